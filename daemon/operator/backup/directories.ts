import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncPath } from '../../../core/base/durable-files.ts'

/** Makes folders and remembers them, so that every name in them can be made durable at the end. */
export class Directories {
  readonly #root: string
  readonly #made = new Set<string>()

  /** @param root exists, and is the outermost that is synced */
  constructor(root: string) {
    this.#root = root
    this.#made.add(root)
  }

  /** Makes the folder that is to hold the file at `path`, which lies below the root. */
  async holding(path: string): Promise<string> {
    await this.#make(dirname(path))
    return path
  }

  /** Makes durable what is in them, the innermost first. */
  async sync(): Promise<void> {
    const deepestFirst = [...this.#made].sort((one, other) => other.length - one.length)
    for (const directory of deepestFirst) await syncPath(directory)
  }

  async #make(directory: string): Promise<void> {
    if (this.#made.has(directory) || !directory.startsWith(this.#root)) return
    await this.#make(dirname(directory))
    await mkdir(directory, { recursive: true, mode: 0o700 })
    this.#made.add(directory)
  }
}
