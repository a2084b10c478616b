import { advice, type Advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, isInterruption } from '../failure.ts'
import type { Prepared } from './prepare.ts'

/** Codes for a deposit that is no draft any more: there is nothing to resume. */
const settledCodes: ReadonlySet<string> = new Set(['invalid_action', 'files_frozen'])

/**
 * Runs the steps after a draft was made. Their failures say that the draft is kept, and how to
 * resume: nothing has to be sent twice.
 *
 * @param resume the command that continues
 */
export async function keepDraft<T>(id: string, resume: string, work: () => Promise<T>): Promise<T> {
  const failWith = (said: string, next: Advice, rest: Rest): never => {
    throw new Failure({ tried: rest.tried, said: `${said}; draft ${id} is kept`, next }, rest)
  }
  try {
    return await work()
  } catch (cause) {
    if (isInterruption(cause)) {
      const rest = { tried: 'finish', cause, exitCode: exitCodes.interrupted }
      return failWith('interrupted', advice.continueWith(resume), rest)
    }
    if (!(cause instanceof Failure) || settledCodes.has(cause.problem?.code ?? '')) throw cause
    const { tried, said, next, exitCode } = cause
    return failWith(said, advice.continueDraft(next, resume), { tried, cause, exitCode })
  }
}

/**
 * The deposit of a folder or an archive was published, and that has changed since.
 *
 * @param summary the changes
 */
export function publishedWithout(
  dir: string,
  id: string,
  summary: string,
  { isArchive }: Pick<Prepared, 'isArchive'>,
): Failure {
  const of = isArchive ? 'archive' : 'folder'
  const said = `it is published already, without the changes of the ${of}: ${summary}`
  const next = isArchive ? advice.anotherDeposit(dir) : advice.nextVersion(dir)
  const lines = { tried: `continue ${id}`, said, next }
  return new Failure(lines, { exitCode: exitCodes.refused })
}

interface Rest {
  readonly tried: string
  readonly cause: unknown
  readonly exitCode: Failure['exitCode']
}
