import { setTimeout as sleep } from 'node:timers/promises'
import { StartFailure } from '../../start-failure.ts'

/** For how long a home that is taken may be without a daemon that can be asked. */
const patienceMs = 10_000

const pauseMs = 100

/**
 * Does something in the daemon where one runs, else here. A process that has the home and cannot be asked
 * is most likely a daemon that starts or stops, or another short command: this waits for it.
 *
 * @param there undefined where no daemon can be asked
 * @param here with the home for this process alone
 * @throws {StartFailure} the home stayed taken, or what `here` throws
 */
export async function thereOrHere<Result>(
  there: () => Promise<Result | undefined>,
  here: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const end = performance.now() + patienceMs
  for (;;) {
    const answer = await there()
    if (answer !== undefined) return answer
    try {
      return await here()
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error
    }
    await sleep(pauseMs, undefined, { ...(signal && { signal }) })
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof StartFailure && error.reason === 'busy'
}
