import { createHash } from 'node:crypto'
import { closeSync, constants, openSync, readSync } from 'node:fs'

/** Bytes read of one file before the next has its turn. */
const turnSize = 512 * 1024
const buffer = Buffer.allocUnsafeSlow(turnSize)

/** Measures a file while it is written. */
export class FileTail {
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

  /** `bytes` were written at `position`: where that is next, they need not be read. */
  add(bytes: Uint8Array, position: number): void {
    if (position === this.#position) this.#measure(bytes)
    this.#size = Math.max(this.#size, position + bytes.length)
  }

  readSome(): void {
    const length = Math.min(turnSize, this.#size - this.#position)
    const read = readSync(this.#descriptor, buffer, 0, length, this.#position)
    if (read === 0) throw new Error(`The file ends at ${this.#position} of ${this.#size} bytes`)
    this.#measure(buffer.subarray(0, read))
  }

  digests(): Record<string, string> {
    return Object.fromEntries(this.#hashes.map(([name, hash]) => [name, hash.digest('hex')]))
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #measure(bytes: Uint8Array): void {
    for (const [, hash] of this.#hashes) hash.update(bytes)
    this.#position += bytes.length
  }
}
