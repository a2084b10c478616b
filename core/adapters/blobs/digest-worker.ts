import { createHash } from 'node:crypto'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { errorCode } from '../storage-health.ts'

/** What the worker is told about one file, named by a number. */
export type DigestRequest =
  | { readonly file: number; readonly path: string; readonly algorithms: readonly string[] }
  /** There are `size` bytes now; with `final`, that is all. */
  | { readonly file: number; readonly size: number; readonly final: boolean }
  | { readonly file: number; readonly forget: true }

export type DigestReply =
  | { readonly file: number; readonly digests: Readonly<Record<string, string>> }
  | { readonly file: number; readonly error: string; readonly code: string }

/** Bytes read of one file before the next has its turn. */
const turnSize = 512 * 1024
const buffer = Buffer.allocUnsafeSlow(turnSize)

/** Reads a file behind whoever writes it. */
class Tail {
  readonly #descriptor: number
  readonly #hashes: readonly (readonly [string, ReturnType<typeof createHash>])[]
  #position = 0
  #size = 0
  #isFinal = false

  constructor(path: string, algorithms: readonly string[]) {
    this.#hashes = algorithms.map((name) => [name, createHash(name)])
    this.#descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  }

  get isBehind(): boolean {
    return this.#position < this.#size
  }

  get isDone(): boolean {
    return this.#isFinal && !this.isBehind
  }

  grow(size: number, isFinal: boolean): void {
    this.#size = size
    this.#isFinal = isFinal
  }

  readSome(): void {
    const length = Math.min(turnSize, this.#size - this.#position)
    const read = readSync(this.#descriptor, buffer, 0, length, this.#position)
    if (read === 0) throw new Error(`The file ends at ${this.#position} of ${this.#size} bytes`)
    for (const [, hash] of this.#hashes) hash.update(buffer.subarray(0, read))
    this.#position += read
  }

  digests(): Record<string, string> {
    return Object.fromEntries(this.#hashes.map(([name, hash]) => [name, hash.digest('hex')]))
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

const tails = new Map<number, Tail>()
let isTurning = false

parentPort?.on('message', (request: DigestRequest) => {
  attempt(request.file, () => take(request))
  if (!isTurning) turn()
})

function take(request: DigestRequest): void {
  if ('path' in request) tails.set(request.file, new Tail(request.path, request.algorithms))
  else if ('forget' in request) forget(request.file)
  else tails.get(request.file)?.grow(request.size, request.final)
}

/** Each file has a turn; messages that came meanwhile are taken before the next round. */
function turn(): void {
  for (const [file, tail] of tails) attempt(file, () => advance(file, tail))
  isTurning = [...tails.values()].some((tail) => tail.isBehind)
  if (isTurning) setImmediate(turn)
}

function advance(file: number, tail: Tail): void {
  if (tail.isBehind) tail.readSome()
  if (!tail.isDone) return
  reply({ file, digests: tail.digests() })
  forget(file)
}

function attempt(file: number, step: () => void): void {
  try {
    step()
  } catch (error) {
    // An error that is sent to another thread loses its code.
    reply({ file, error: String(error), code: errorCode(error) })
    forget(file)
  }
}

function forget(file: number): void {
  const tail = tails.get(file)
  tails.delete(file)
  tail?.close()
}

function reply(message: DigestReply): void {
  parentPort?.postMessage(message)
}
