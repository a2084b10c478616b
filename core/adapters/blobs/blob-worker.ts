import { writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { codeOf } from '../../base/errno.ts'
import { FileTail } from './file-tail.ts'

/** A message to the worker about one file, named by a number. */
export type BlobRequest =
  | { readonly file: number; readonly path: string; readonly algorithms: readonly string[] }
  | WriteRequest
  /** There are `size` bytes now; with `final`, that is all. */
  | { readonly file: number; readonly size: number; readonly final: boolean }
  | { readonly file: number; readonly forget: true }

interface WriteRequest {
  readonly file: number
  /** Number of the write itself. */
  readonly write: number
  readonly descriptor: number
  readonly position: number
  readonly batch: readonly Uint8Array<ArrayBuffer>[]
}

/** Of a file, or of a write, which has no digests. */
export type BlobReply =
  | { readonly id: number; readonly digests: Readonly<Record<string, string>> }
  | { readonly id: number; readonly error: string; readonly code: string }

/**
 * Bytes. Of larger writes the kernel makes larger pages, and those a virtual machine may have given
 * back to its host: then a GiB takes it two seconds instead of 0.3.
 */
const pieceSize = 16 * 1024

const tails = new Map<number, FileTail>()
let isTurning = false

parentPort?.on('message', (request: BlobRequest) => {
  if ('write' in request) attempt(request.write, () => write(request))
  else attempt(request.file, () => take(request))
  if (!isTurning) turn()
})

function take(request: Exclude<BlobRequest, WriteRequest>): void {
  if ('path' in request) tails.set(request.file, new FileTail(request.path, request.algorithms))
  else if ('forget' in request) forget(request.file)
  else tails.get(request.file)?.grow(request.size, request.final)
}

function write({ file, write: id, descriptor, position, batch }: WriteRequest): void {
  const tail = tails.get(file)
  let at = position
  for (const bytes of batch) {
    writeAll(descriptor, bytes, at)
    tail?.add(bytes, at)
    at += bytes.length
    // The collector would leave it lying about for tens of megabytes.
    bytes.buffer.transfer(0)
  }
  reply({ id, digests: {} })
}

/** The system may take a part of a piece only. */
function writeAll(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length;) {
    const at = position + written
    const length = Math.min(bytes.length - written, pieceSize - (at % pieceSize))
    written += writeSync(descriptor, bytes, written, length, at)
  }
}

/** Each file has a turn; new messages are taken before the next round. */
function turn(): void {
  for (const [file, tail] of tails) attempt(file, () => advance(file, tail))
  isTurning = [...tails.values()].some((tail) => tail.isBehind)
  if (isTurning) setImmediate(turn)
}

function advance(file: number, tail: FileTail): void {
  if (tail.isBehind) tail.readSome()
  if (!tail.isDone) return
  reply({ id: file, digests: tail.digests() })
  forget(file)
}

function attempt(id: number, step: () => void): void {
  try {
    step()
  } catch (error) {
    // An error that is sent to another thread loses its code.
    reply({ id, error: String(error), code: codeOf(error) })
    forget(id)
  }
}

function forget(file: number): void {
  const tail = tails.get(file)
  tails.delete(file)
  tail?.close()
}

function reply(message: BlobReply): void {
  parentPort?.postMessage(message)
}
