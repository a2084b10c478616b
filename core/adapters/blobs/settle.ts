/** Tells a stream, in its own way, what became of its work. */
export async function settle(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  let failure: Error | undefined
  try {
    await work
  } catch (error) {
    failure = toError(error)
  }
  done(failure)
}

/** What was thrown, as the error that a stream can be destroyed with. */
export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The bytes were not stored', { cause: error })
}
