import { advice } from '../advice.ts'
import type { HttpSender } from '../client/http.ts'
import { Failure } from '../failure.ts'
import { findDaemon, isAlive, type RunningDaemon } from './find.ts'
import { pollUntil } from './launch.ts'

/** For requests under way to end. */
const drainMs = 60_000

/**
 * Ends the daemon of `home` once it has answered what it is at; undefined where none runs.
 *
 * Only a process that answers as this daemon is signalled: a number in a file may be anybody's.
 */
export async function stopDaemon(
  home: string,
  http: HttpSender,
): Promise<RunningDaemon | undefined> {
  const daemon = await findDaemon(home, http)
  if (daemon === undefined) return undefined
  const { pid } = daemon
  process.kill(pid, 'SIGTERM')
  const hasEnded = await pollUntil(drainMs, async () => (isAlive(pid) ? undefined : true))
  if (hasEnded) return daemon
  throw new Failure({
    tried: 'stop the local daemon',
    said: `process ${pid} still answers requests after ${drainMs / 1000} s`,
    next: advice.runAgainSoon(),
  })
}
