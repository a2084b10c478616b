import type { Advice } from '../advice.ts'
import { Failure } from '../failure.ts'

/** One thing that was looked at. */
export interface Examined {
  readonly what: string
  readonly found: string
  /** What to do; absent where all is well. */
  readonly fix?: Advice
}

/** What cannot be looked at needs a fix. */
export async function orFailure(
  what: string,
  look: () => Promise<Examined | readonly Examined[]>,
): Promise<readonly Examined[]> {
  try {
    return [await look()].flat()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ what, found: error.said, fix: error.next }]
  }
}
