import { send } from '../../support/http.ts'
import type { User } from '../../support/user.ts'
import type { Service } from '../service.ts'

/** A failing disk, a full one, and one with a used-up quota. */
export const errors = ['EIO', 'ENOSPC', 'EDQUOT'] as const
export type Errno = (typeof errors)[number]

/** The observations after a call has failed. */
export interface Aftermath {
  /** The call, as strace tells it. */
  readonly hit: string
  /** All calls of this kind. */
  readonly trace: readonly string[]
  /** Whether a request was not acknowledged. */
  readonly isPending: boolean
  /** The answer; undefined for none. */
  readonly refused: number | undefined
}

/**
 * Calls that nothing depends on: their failure may go unnoticed if every request succeeded. Without its
 * index a search goes through the rows.
 */
const harmless = /^mkdir|^openat\(.*O_DIRECTORY|daemon\.json|\/home\/(?:records|search)\b/

/** Copies, which are written again from the beginning; the rows list those that are still due. */
const isManifest = (call: string): boolean => call.includes('/home/records/')

/** The reaction of the service, which keeps running. */
export interface Verdict {
  /** The faults in its reaction. */
  readonly faults: readonly string[]
  /** Whether it accepts further changes. */
  readonly isSound: boolean
}

export async function faultsOf(
  service: Service,
  user: User,
  error: Errno,
  { hit, trace, isPending, refused }: Aftermath,
): Promise<Verdict> {
  const degrades = error === 'EIO' || isSync(hit)
  const faults: string[] = []
  if (isPending && !expectedStatuses(degrades).includes(refused ?? 0)) {
    faults.push(`the request was answered with ${refused}`)
  }
  if (isSync(hit) && !isManifest(hit) && isTriedAgain(hit, trace))
    faults.push('the sync was tried again')
  // The call then runs after the answers, as for manifests; its failure must be noticed as well.
  const health = await healthOf(service)
  const isSound = health === 'ok'
  if (!isPending && harmless.test(hit)) return { faults, isSound }
  if (isSound === degrades) faults.push(`health is ${health}`)
  return { faults: [...faults, ...(await stateFaults(user, degrades))], isSound }
}

async function healthOf({ url }: Service): Promise<string | undefined> {
  const { body } = await send('GET', `${url}/health`)
  return (body as { readonly status?: string }).status
}

/** A request that meets a failing disk may get either answer; a full disk has one answer. */
function expectedStatuses(degrades: boolean): readonly number[] {
  return degrades ? [500, 503] : [507]
}

/** Reading must work; writing must work after a full disk, and be refused after a failing one. */
async function stateFaults(user: User, degrades: boolean): Promise<readonly string[]> {
  const faults: string[] = []
  const read = await user.get('/deposits/')
  if (read.status !== 200) faults.push(`reading answered ${read.status}`)
  const written = await user.post('/deposits/', { json: { title: 'After the failure' } })
  const expected = degrades ? 503 : 201
  if (written.status !== expected) faults.push(`writing answered ${written.status}`)
  const { id } = (written.body ?? {}) as { readonly id?: string }
  if (id !== undefined) await user.delete(`/deposits/${id}`)
  return faults
}

const isSync = (call: string): boolean => /^\s*(?:\d+\s+)?f(?:data)?sync/.test(call)

/** True if the same file is synced once more after the failed call. */
function isTriedAgain(hit: string, trace: readonly string[]): boolean {
  const path = /<([^>]*)>/.exec(hit)?.[1]
  const later = trace.slice(trace.indexOf(hit) + 1)
  return path !== undefined && later.some((line) => line.includes(`<${path}>`))
}
