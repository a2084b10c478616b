import { writeSync } from 'node:fs'
import { parentPort, type MessagePort } from 'node:worker_threads'
import { codeOf } from '../../base/errno.ts'
import type { BlobReply, MeasureRequest } from './blob-worker.ts'

/** A message to the thread that writes: a batch, or the port to the thread that measures. */
export type WriteRequest = WriteBatch | { readonly measuring: MessagePort }

interface WriteBatch extends MeasureRequest {
  /** Number of the write itself. */
  readonly write: number
  readonly descriptor: number
}

/**
 * Bytes. Of larger writes the kernel makes larger pages, and those a virtual machine may have given
 * back to its host: then a GiB takes it two seconds instead of 0.3.
 */
const pieceSize = 16 * 1024

let measuring: MessagePort | undefined

parentPort?.on('message', (request: WriteRequest) => {
  if ('write' in request) attempt(request)
  else measuring = request.measuring
})

function attempt(request: WriteBatch): void {
  try {
    write(request)
    reply({ id: request.write, digests: {} })
  } catch (error) {
    // An error that is sent to another thread loses its code.
    reply({ id: request.write, error: String(error), code: codeOf(error) })
  }
}

/** Hands the memory on once it is written: what is measured is there to be read. */
function write({ descriptor, file, step, position, batch }: WriteBatch): void {
  let at = position
  for (const bytes of batch) {
    writeAll(descriptor, bytes, at)
    at += bytes.length
  }
  const request: MeasureRequest = { file, step, position, batch }
  measuring?.postMessage(
    request,
    batch.map(({ buffer }) => buffer),
  )
}

/** The system may take a part of a piece only. */
function writeAll(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length;) {
    const at = position + written
    const length = Math.min(bytes.length - written, pieceSize - (at % pieceSize))
    written += writeSync(descriptor, bytes, written, length, at)
  }
}

function reply(message: BlobReply): void {
  parentPort?.postMessage(message)
}
