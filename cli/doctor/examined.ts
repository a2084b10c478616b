import { Failure } from '../failure.ts'

/** One thing that was looked at. */
export interface Examined {
  readonly what: string
  readonly found: string
  /** What to do; absent where all is well. */
  readonly mend?: string
}

/** What cannot be looked at is something to mend. */
export async function orFailure(
  what: string,
  look: () => Promise<Examined | readonly Examined[]>,
): Promise<readonly Examined[]> {
  try {
    return [await look()].flat()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ what, found: error.said, mend: error.next }]
  }
}
