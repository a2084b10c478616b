import { statfs } from 'node:fs/promises'
import { diskRoom } from '../../base/disk-reserve.ts'
import { problem } from '../../errors/errors.ts'
import type { StorageHealth } from '../storage-health.ts'

/** Bytes left from which on room is saved rather than time. */
const shortRoom = 64 * 1024 * 1024

/** For how long the answer of the system is trusted: others fill the disk too. */
const trustedMs = 250

/** Bytes left on a file system before its reserve. */
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

  /** @throws {DepositError} storage_full: less than the reserve would be left after `bytes` more */
  async require(bytes: number): Promise<void> {
    if (performance.now() - this.#askedAt > trustedMs || bytes > this.#left) await this.#ask()
    if (bytes > this.#left) throw problem('storage_full')
  }

  /**
   * Lets rows have a part of the reserve; the rest is for what makes room.
   *
   * @throws {DepositError} storage_full
   */
  async requireForRows(): Promise<void> {
    const isOld = performance.now() - this.#askedAt > trustedMs
    // What rows take is not counted here: where it may matter soon, the system is asked each time.
    if (isOld || this.#left < this.#reserve) await this.#ask()
    if (this.#isRowsShareUsed) throw problem('storage_full')
  }

  /** As {@link require}, and counts `bytes` as taken. */
  async take(bytes: number): Promise<void> {
    await this.require(bytes)
    this.#left -= bytes
  }

  /** Whether, when the system was last asked, little was left: then nothing may lie there twice. */
  get isShort(): boolean {
    return this.#left < shortRoom
  }

  get #isRowsShareUsed(): boolean {
    return this.#left < -this.#reserve / 2
  }

  async #ask(): Promise<void> {
    const { reserve, left } = diskRoom(await this.#health.changing(() => statfs(this.#path)))
    this.#reserve = reserve
    this.#left = left
    this.#askedAt = performance.now()
  }
}
