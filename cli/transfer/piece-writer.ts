import type { FileHandle } from 'node:fs/promises'

/** What is written at once. Bytes. */
const pieceBytes = 256 * 1024

/**
 * Appends to a file in large pieces. Of two buffers one is filled while the other is written: what
 * was handed over may be forgotten at once.
 */
export class PieceWriter {
  readonly #file: FileHandle
  readonly #size: number
  #filling: Buffer
  #other: Buffer | undefined
  #filled = 0
  #written: Promise<void> = Promise.resolve()

  /** @param expected bytes that are to come; fewer of them are no fault here */
  constructor(file: FileHandle, expected: number) {
    this.#file = file
    this.#size = Math.min(Math.max(expected, 1), pieceBytes)
    this.#filling = Buffer.allocUnsafe(this.#size)
  }

  /** Done when there is room for more. */
  async write(chunk: Buffer): Promise<void> {
    for (let taken = 0; taken < chunk.length;) {
      const copied = chunk.copy(this.#filling, this.#filled, taken)
      taken += copied
      this.#filled += copied
      if (this.#filled === this.#size) await this.#turn()
    }
  }

  /** Done when all of it has been written. */
  async flush(): Promise<void> {
    await this.#turn()
    await this.#written
  }

  async #turn(): Promise<void> {
    await this.#written
    const piece = this.#filling.subarray(0, this.#filled)
    this.#written = this.#file.appendFile(piece)
    // Awaited at the next turn; a failure until then is not an unhandled one.
    this.#written.catch(() => {})
    const next = this.#other ?? Buffer.allocUnsafe(this.#size)
    this.#other = this.#filling
    this.#filling = next
    this.#filled = 0
  }
}
