import { send } from '../../support/http.ts'
import type { User } from '../../support/user.ts'
import type { Service } from '../service.ts'

/** A disk that fails, one that is full, and one of which no more may be used. */
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

/** Calls that nothing depends on, so that nothing need be noted where every request succeeded. */
const harmless = /^mkdir|^openat\(.*O_DIRECTORY|daemon\.json|\/home\/records\b/

/** Copies, which are written again from the beginning: the rows know which of them are still due. */
const isManifest = (call: string): boolean => call.includes('/home/records/')

/** The reaction of the service, which keeps running. */
export interface Verdict {
  /** The fault in that. */
  readonly faults: readonly string[]
  /** Whether it takes further changes. */
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
  // The call hit then runs after the answers, such as for manifests; it is noted as well.
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

/** A failing disk may be a surprise to the request that meets it; a full one has one answer. */
function expectedStatuses(degrades: boolean): readonly number[] {
  return degrades ? [500, 503] : [507]
}

/** Reading goes on; writing does where there was no room, and does not where the disk failed. */
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

/** True where the same file is synced once more after the call that failed. */
function isTriedAgain(hit: string, trace: readonly string[]): boolean {
  const path = /<([^>]*)>/.exec(hit)?.[1]
  const later = trace.slice(trace.indexOf(hit) + 1)
  return path !== undefined && later.some((line) => line.includes(`<${path}>`))
}
