import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isOfThisNetwork } from './remote-request.ts'

/** Finds all addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** A name stands for this machine, or for one of its network. */
export class LeadsToThisNetwork extends Error {
  readonly hostname: string

  constructor(hostname: string) {
    super(`${hostname} has an address of this network`)
    this.hostname = hostname
  }
}

/**
 * Looks names up for connections to a repository and to where its answers lead. Names may stand for
 * addresses of this network only if that of the repository itself did when it was first asked for:
 * what is checked is the address that is connected to, for a name can change from one moment to the
 * next.
 *
 * @param own hostname of the repository
 */
export function guardedLookup(own: string, resolve: Resolve = resolveBySystem): LookupFunction {
  const isLocal = ({ address }: LookupAddress): boolean => isOfThisNetwork(address)
  let isOwnLocal: Promise<boolean> | undefined
  const mayBeLocal = async (): Promise<boolean> => {
    if (isOfThisNetwork(own)) return true
    isOwnLocal ??= resolve(own).then(
      (found) => found.every(isLocal),
      () => false,
    )
    return isOwnLocal
  }
  const allowed = async (hostname: string): Promise<readonly LookupAddress[]> => {
    const isAnyAllowed = await mayBeLocal()
    const found = await resolve(hostname)
    const kept = isAnyAllowed ? found : found.filter((each) => !isLocal(each))
    if (kept.length === 0) throw new LeadsToThisNetwork(hostname)
    return kept
  }
  return (hostname, { all, family }, done) => {
    const answer = async (): Promise<Parameters<typeof done>> => {
      const found = await allowed(hostname)
      const [first = { address: '', family: 4 }] = found
      const [one = first] = found.filter((each) => each.family === family)
      return all ? [null, [...found]] : [null, one.address, one.family]
    }
    const failed = (error: unknown): Parameters<typeof done> => [error as NodeJS.ErrnoException, '']
    const tell = async (): Promise<void> => done(...(await answer().catch(failed)))
    void tell()
  }
}

function resolveBySystem(hostname: string): Promise<readonly LookupAddress[]> {
  return process.getBuiltinModule('node:dns').promises.lookup(hostname, { all: true })
}
