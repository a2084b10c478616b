import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { problem } from '../../../errors/errors.ts'
import { codeOf } from '../../../base/errno.ts'
import type { PartSink } from './part-sink.ts'

const broken: ReadonlySet<string> = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'])

/**
 * Lets all of `bytes` flow into `sink`. What can break is the source: failures of the store come
 * with names of their own.
 *
 * @throws {DepositError} file_too_large: `bytes` is longer than the limit
 * @throws {DepositError} broken_upload: `bytes` was closed before its end
 */
export async function receiveParts(
  bytes: Readable,
  sink: PartSink,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await pipeline(bytes, sink, signal ? { signal } : {})
  } catch (error) {
    if (broken.has(codeOf(error))) throw problem('broken_upload', { cause: error })
    throw error
  }
}
