import { statfs } from 'node:fs/promises'
import { StorageFull } from '../../errors.ts'
import type { StorageHealth } from '../storage-health.ts'

/** Bytes kept free at most, so that a full disk can still record that something is deleted. */
const largestReserve = 64 * 1024 * 1024
const reservedShare = 0.01

/** For how long the answer of the system is trusted: others fill the disk too. */
const trustedMs = 250

/** What is left of a file system before its reserve. */
export class Room {
  readonly #path: string
  readonly #health: StorageHealth
  /** Bytes left, at most; what was taken since the system was asked is off. */
  #left = 0
  #askedAt = -Infinity
  #reserve = 0

  constructor(path: string, health: StorageHealth) {
    this.#path = path
    this.#health = health
  }

  /** @throws {StorageFull} less than the reserve would be left after `bytes` more */
  async require(bytes: number): Promise<void> {
    if (performance.now() - this.#askedAt > trustedMs || bytes > this.#left) await this.#ask()
    if (bytes > this.#left) throw new StorageFull()
  }

  /**
   * Lets rows have a part of the reserve; the rest is for what makes room.
   *
   * @throws {StorageFull}
   */
  async requireForRows(): Promise<void> {
    const isOld = performance.now() - this.#askedAt > trustedMs
    if (isOld || this.#isRowsShareUsed) await this.#ask()
    if (this.#isRowsShareUsed) throw new StorageFull()
  }

  /** As {@link require}, and counts `bytes` as taken. */
  async take(bytes: number): Promise<void> {
    await this.require(bytes)
    this.#left -= bytes
  }

  get #isRowsShareUsed(): boolean {
    return this.#left < -this.#reserve / 2
  }

  async #ask(): Promise<void> {
    const { bavail, blocks, bsize } = await this.#health.changing(() => statfs(this.#path))
    this.#reserve = Math.min(largestReserve, blocks * bsize * reservedShare)
    // Some network file systems do not count; there, only the write itself can tell.
    this.#left = blocks === 0 ? Infinity : bavail * bsize - this.#reserve
    this.#askedAt = performance.now()
  }
}
