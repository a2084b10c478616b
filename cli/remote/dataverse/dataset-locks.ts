import { setTimeout as wait } from 'node:timers/promises'
import { RemoteFailure } from '../port/remote-failure.ts'
import type { RemoteHttp } from '../port/remote-http.ts'
import { listOf, textOf } from '../port/values.ts'

/** A dataset is looked at again so often. */
export const mostLooks = 200
const lookMs = { first: 50, longest: 3000 }

/** Locks that stay until a person acts. */
const lasting = /InReview|FileValidationFailed/

/**
 * Locks of datasets: while one is published, or a table is read in, it cannot be changed.
 *
 * @see https://guides.dataverse.org/en/latest/api/native-api.html#dataset-locks
 */
export class DatasetLocks {
  readonly #http: RemoteHttp
  #told = ''

  constructor(http: RemoteHttp) {
    this.#http = http
  }

  /** @throws {RemoteFailure} they stay */
  async wait(id: string): Promise<void> {
    const tried = `wait for ${id} on ${this.#http.name}`
    const path = `/api/datasets/:persistentId/locks?${idOf(id)}`
    for (let look = 0; ; look += 1) {
      const { data } = await this.#http.json({ tried, method: 'GET', path })
      const locks = listOf(data)
      if (locks.length === 0) return
      const kinds = locks.map(({ lockType }) => textOf(lockType) ?? '').join(', ')
      if (look >= mostLooks || lasting.test(kinds)) {
        const said = `it is locked there: ${kinds}`
        throw new RemoteFailure(tried, this.#http.remote, { status: 409, message: said }, { said })
      }
      this.#tell(id, kinds)
      await this.pause(look)
    }
  }

  pause(look: number): Promise<void> {
    const ms = Math.min(lookMs.first * 2 ** look, lookMs.longest)
    return wait(ms, undefined, { signal: this.#http.signal })
  }

  /** Once for locks that last, not at each look. */
  #tell(id: string, kinds: string): void {
    const line = `Waiting for ${id}: it is locked there (${kinds})`
    if (line !== this.#told) this.#http.tell(line)
    this.#told = line
  }
}

export function idOf(id: string): string {
  return `persistentId=${encodeURIComponent(id)}`
}
