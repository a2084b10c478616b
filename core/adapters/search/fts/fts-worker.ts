import { parentPort, workerData } from 'node:worker_threads'
import type { SearchResult, Visibility } from '../../../ports/search-index.ts'
import type { SearchRequest } from '../../../search/request.ts'
import { FtsFile, type Version } from './fts-file.ts'
import { isDamage } from './open-fts.ts'

/**
 * Tasks of the thread, one after another in the order of asking. A search whose
 * turn comes after `until` (milliseconds since 1970, of the clock that is never set) is left out.
 */
export type FtsTask =
  | { readonly put: string /* JSON of an IndexedDocument */ }
  | { readonly remove: string }
  | { readonly compare: readonly Version[] }
  | { readonly forgetOthers: readonly string[] }
  | { readonly tidy: 'first' | 'next' }
  | { readonly search: SearchRequest; readonly visibility: Visibility; readonly until: number }
  /** The mark that the file had when it was opened. */
  | { readonly foundSeal: true }
  /** With the mark that the file gets if no change has failed; 0 for none. */
  | { readonly close: number }

export interface FtsQuestion {
  readonly number: number
  readonly task: FtsTask
}

export type FtsAnswer =
  | {
      readonly number: number
      readonly answer: readonly string[] | SearchResult | boolean | number | undefined
    }
  | { readonly number: number; readonly error: unknown }

/** Longest wait of a change for others to share its transaction. Milliseconds. */
const commitAfter = 300

const file = new FtsFile(workerData as string)
let timer: NodeJS.Timeout | undefined
/** False once a change may be missing. */
let hasAll = true

parentPort?.on('message', ({ number, task }: FtsQuestion) => {
  parentPort?.postMessage(answerTo(number, () => run(task)))
  if ('close' in task) parentPort?.close()
  else timer ??= setTimeout(commit, commitAfter)
})

function run(task: FtsTask): readonly string[] | SearchResult | boolean | number | undefined {
  if ('search' in task) {
    return performance.timeOrigin + performance.now() > task.until
      ? undefined
      : file.search(task.search, task.visibility)
  }
  if ('compare' in task) return file.compare(task.compare)
  if ('tidy' in task) return file.tidy(task.tidy)
  if ('foundSeal' in task) return file.foundSeal
  if ('put' in task) file.put(task.put)
  else if ('remove' in task) file.remove(task.remove)
  else if ('forgetOthers' in task) file.forgetOthers(task.forgetOthers)
  else {
    clearTimeout(timer)
    if (task.close !== 0 && hasAll) file.seal(task.close)
    file[Symbol.dispose]()
  }
  return undefined
}

/** A failure ends the thread. The next start finds the changes missing that a commit lost. */
function commit(): void {
  timer = undefined
  file.commit()
}

function answerTo(number: number, work: () => FtsResult): FtsAnswer {
  try {
    return { number, answer: work() }
  } catch (error) {
    // Answers of a damaged file cannot be trusted: the thread ends, and reports the reason.
    if (isDamage(error)) throw error
    hasAll = false
    return { number, error }
  }
}

type FtsResult = ReturnType<typeof run>
