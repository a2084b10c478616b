import { problem } from '../../errors/errors.ts'

/** How many bytes a stream may take. */
export interface Admission {
  /** Bytes; the first one beyond fails the stream. */
  readonly limit: number
  /** As of {@link WriteOptions}. */
  readonly admit?: (bytes: number) => void
}

/**
 * @param total bytes of the stream, with `further` that have just come
 * @throws {DepositError} file_too_large: and what `admit` throws
 */
export function requireAdmitted({ limit, admit }: Admission, total: number, further: number): void {
  if (total > limit) throw problem('file_too_large', { limit })
  admit?.(further)
}

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

/** A thrown value as an error, with which a stream can be destroyed. */
export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The bytes were not stored', { cause: error })
}
