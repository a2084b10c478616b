import { constants } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { StorageHealth } from '../storage-health.ts'
import { codeOf } from '../../base/errno.ts'

/** Makes names durable. Those who wait for the same directory share one sync. */
export class DirectorySyncs {
  readonly #health: StorageHealth
  /** Syncs that did not begin yet: they cover every name made until they do. */
  readonly #waiting = new Map<string, Promise<void>>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #making = new Map<string, Promise<void>>()
  readonly #durable = new Set<string>()

  constructor(health: StorageHealth) {
    this.#health = health
  }

  /** Answers once every name `directory` has now is durable. */
  sync(directory: string): Promise<void> {
    const waiting = this.#waiting.get(directory) ?? this.#syncNext(directory)
    this.#waiting.set(directory, waiting)
    return waiting
  }

  /**
   * Makes `directory`, whose parent exists, and its name durable. One that exists may have been
   * made by a process that died before its sync: so the first use in each process syncs as well.
   */
  async make(directory: string): Promise<void> {
    if (this.#durable.has(directory)) return
    const making = this.#making.get(directory) ?? this.#make(directory)
    this.#making.set(directory, making)
    await making
  }

  async #make(directory: string): Promise<void> {
    try {
      await this.#health.changing(() => makeDirectory(directory))
      await this.sync(dirname(directory))
      this.#durable.add(directory)
    } finally {
      this.#making.delete(directory)
    }
  }

  async #syncNext(directory: string): Promise<void> {
    // A sync that fails degrades the storage, which the next one then meets.
    await this.#running.get(directory)?.catch(() => {})
    this.#waiting.delete(directory)
    const running = this.#syncNow(directory)
    this.#running.set(directory, running)
    try {
      await running
    } finally {
      if (this.#running.get(directory) === running) this.#running.delete(directory)
    }
  }

  async #syncNow(directory: string): Promise<void> {
    const handle = await this.#health.changing(() => open(directory, constants.O_DIRECTORY))
    try {
      await this.#health.syncing(() => handle.sync())
    } finally {
      await handle.close()
    }
  }
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}
