import { send } from '../../support/http.ts'
import type { User } from '../../support/user.ts'
import type { Service } from '../service.ts'

/** A disk that fails, and one that is full. */
export type Errno = 'EIO' | 'ENOSPC'

/** What there is to see after a call has failed. */
export interface Aftermath {
  /** The call, as strace tells it. */
  readonly hit: string
  /** All calls of this kind. */
  readonly trace: readonly string[]
  /** Whether a request was not acknowledged. */
  readonly isPending: boolean
  /** What it was answered with; undefined for nothing. */
  readonly refused: number | undefined
}

/** Calls that nothing depends on, so that nothing need be noted where every request succeeded. */
const harmless = /^statfs|^mkdir|^openat\(.*O_DIRECTORY|daemon\.json/

/** What is wrong with how the service took it; it goes on running. */
export async function faultsOf(
  service: Service,
  user: User,
  error: Errno,
  { hit, trace, isPending, refused }: Aftermath,
): Promise<readonly string[]> {
  const degrades = error === 'EIO' || isSync(hit)
  const faults: string[] = []
  if (isPending && !expectedStatuses(degrades).includes(refused ?? 0)) {
    faults.push(`the request was answered with ${refused}`)
  }
  if (isSync(hit) && isTriedAgain(hit, trace)) faults.push('the sync was tried again')
  // What was hit then is done when the answers are given, such as manifests; it is noted as well.
  if (!isPending && harmless.test(hit)) return faults
  return [...faults, ...(await stateFaults(service, user, degrades))]
}

/** A failing disk may be a surprise to the request that meets it; a full one has one answer. */
function expectedStatuses(degrades: boolean): readonly number[] {
  return degrades ? [500, 503] : [507]
}

/** Reading goes on; writing does where there was no room, and does not where the disk failed. */
async function stateFaults({ url }: Service, user: User, degrades: boolean) {
  const faults: string[] = []
  const read = await user.get('/deposits/')
  if (read.status !== 200) faults.push(`reading answered ${read.status}`)
  const written = await user.post('/deposits/', { json: { title: 'After the failure' } })
  const expected = degrades ? 503 : 201
  if (written.status !== expected) faults.push(`writing answered ${written.status}`)
  const { id } = (written.body ?? {}) as { readonly id?: string }
  if (id !== undefined) await user.delete(`/deposits/${id}`)
  const health = (await send('GET', `${url}/health`)).body as { readonly status?: string }
  if (health.status !== (degrades ? 'degraded' : 'ok')) faults.push(`health is ${health.status}`)
  return faults
}

const isSync = (call: string): boolean => /^\s*(?:\d+\s+)?f(?:data)?sync/.test(call)

/** True where the same file is synced once more after the call that failed. */
function isTriedAgain(hit: string, trace: readonly string[]): boolean {
  const path = /<([^>]*)>/.exec(hit)?.[1]
  const later = trace.slice(trace.indexOf(hit) + 1)
  return path !== undefined && later.some((line) => line.includes(`<${path}>`))
}
