import { parentPort, type MessagePort } from 'node:worker_threads'
import { codeOf } from '../../base/errno.ts'
import { FileTail } from './file-tail.ts'

/** A message to the thread that measures, about one file, named by a number. */
export type BlobRequest =
  | { readonly file: number; readonly path: string; readonly algorithms: readonly string[] }
  /** There are `size` bytes now; with `final`, that is all. */
  | { readonly file: number; readonly size: number; readonly final: boolean }
  | { readonly file: number; readonly forget: true }
  /** Bytes that were read of the file; their memory is given back. */
  | (MeasureRequest & { readonly isLent: true })
  /** Where the thread that writes hands on what it has written. */
  | { readonly written: MessagePort }

/** Bytes at a position of a file. */
export interface MeasureRequest {
  readonly file: number
  /** Number of the measuring of this batch. */
  readonly step: number
  readonly position: number
  readonly batch: readonly Uint8Array<ArrayBuffer>[]
}

/** Of a file, or of a write or a batch, which have no digests; with memory that was lent. */
export type BlobReply =
  | {
      readonly id: number
      readonly digests: Readonly<Record<string, string>>
      readonly memory?: MeasureRequest['batch']
    }
  | { readonly id: number; readonly error: string; readonly code: string }

const tails = new Map<number, FileTail>()
let isTurning = false

parentPort?.on('message', (request: BlobRequest) => {
  if ('written' in request) request.written.on('message', measure)
  else if ('isLent' in request) measureLent(request)
  else attempt(request.file, () => take(request))
  keepTurning()
})

type FileRequest = Exclude<BlobRequest, MeasureRequest | { readonly written: MessagePort }>

function take(request: FileRequest): void {
  if ('path' in request) tails.set(request.file, new FileTail(request.path, request.algorithms))
  else if ('forget' in request) forget(request.file)
  else tails.get(request.file)?.grow(request.size, request.final)
}

/** Bytes that come too early or too late are read from the file instead. */
function measure({ file, step, position, batch }: MeasureRequest): void {
  attempt(file, () => add(file, position, batch))
  // The collector would leave it lying about for tens of megabytes.
  for (const { buffer } of batch) buffer.transfer(0)
  reply({ id: step, digests: {} })
  keepTurning()
}

function measureLent({ file, step, position, batch: memory }: MeasureRequest): void {
  attempt(file, () => add(file, position, memory))
  const lent = memory.map(({ buffer }) => buffer)
  parentPort?.postMessage({ id: step, digests: {}, memory } satisfies BlobReply, lent)
}

function add(file: number, position: number, batch: MeasureRequest['batch']): void {
  const tail = tails.get(file)
  let at = position
  for (const bytes of batch) {
    tail?.add(bytes, at)
    at += bytes.length
  }
}

function keepTurning(): void {
  if (!isTurning) turn()
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
