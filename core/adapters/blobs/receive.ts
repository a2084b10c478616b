import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { problem } from '../../errors/errors.ts'
import { BatchSink } from './batch-sink.ts'
import { copying, releasing } from './release.ts'
import { codeOf } from '../../base/errno.ts'

export interface ReceiveOptions {
  /** Bytes. */
  readonly limit: number
  readonly admit?: (bytes: number) => void
  readonly signal?: AbortSignal
  /** Keeps what arrived before the source broke: the rest will follow another time. */
  readonly isResumable?: true
  /** The memory of a batch may be freed; else `take`, who may, has a copy of it. */
  readonly isGivenAway?: true
}

const broken = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'])

/**
 * Gives all of `bytes` to `take`, a batch after another. What can break is the source: failures of
 * the storage come with names of their own.
 *
 * @throws {DepositError} file_too_large: `bytes` is longer than the limit
 * @throws {DepositError} broken_upload: `bytes` was closed before its end
 */
export async function receive(
  bytes: Readable,
  take: (batch: readonly Buffer[]) => Promise<void>,
  { signal, isResumable, isGivenAway, ...admitted }: ReceiveOptions,
): Promise<void> {
  const sink = new BatchSink(admitted, isGivenAway ? releasing(take) : copying(take))
  try {
    await pipeline(bytes, sink, signal ? { signal } : {})
  } catch (error) {
    await (isResumable ? sink.keepRest() : sink.settled())
    if (broken.has(codeOf(error))) throw problem('broken_upload', { cause: error })
    throw error
  }
}
