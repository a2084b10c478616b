import { exitCodes } from '../exit-codes.ts'
import { Failure, isInterruption } from '../failure.ts'

/**
 * Runs what comes after a draft was made. A failure then says that the draft is kept, and how to
 * go on with it: nothing has to be sent twice.
 *
 * @param resume the command that goes on
 */
export async function keepDraft<T>(id: string, resume: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const kept = `draft ${id} is kept, with what it has`
    const next = `go on with \`${resume}\``
    if (isInterruption(error)) {
      const said = `interrupted; ${kept}`
      throw new Failure(
        { tried: 'finish', said, next },
        { cause: error, exitCode: exitCodes.interrupted },
      )
    }
    if (!(error instanceof Failure)) throw error
    const { tried, said, exitCode } = error
    throw new Failure(
      { tried, said: `${said}; ${kept}`, next: `${error.next}; then ${next}` },
      { cause: error, exitCode },
    )
  }
}
