import type { Steps } from '../../core/base/turns.ts'
import type { JsonObject } from '../../core/base/json.ts'
import { merge as mergeInPieces, type MergeResult } from '../../core/record/merge.ts'

/** Merges three documents without yielding to other work. */
export function merge(base: JsonObject, ours: JsonObject, theirs: JsonObject): MergeResult {
  return finish(mergeInPieces(base, ours, theirs))
}

function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
