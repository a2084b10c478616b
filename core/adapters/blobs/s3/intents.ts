import { problem } from '../../../errors/errors.ts'
import type { BlobId } from '../../../files/file.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Database } from '../../../ports/database.ts'

/** Milliseconds after which an intent is said again; it counts for a day. */
const freshMs = 60 * 60 * 1000

/** That a blob is on its way. */
export interface Intent {
  /** @throws {DepositError} storage_unavailable: it took so long that it was given up */
  readonly requireKept: () => Promise<void>
}

/** Says in rows what is about to be written, so that what a crash leaves is found. */
export class Intents {
  readonly #database: Pick<Database, 'write'>
  readonly #clock: Clock

  constructor(database: Pick<Database, 'write'>, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async begin(id: BlobId): Promise<Intent> {
    await this.#renew(id)
    const begun = performance.now()
    return {
      requireKept: async () => {
        if (performance.now() - begun > freshMs) await this.#renew(id)
      },
    }
  }

  async end(id: BlobId): Promise<void> {
    await this.#database.write((unit) => unit.intents.remove(id))
  }

  async #renew(id: BlobId): Promise<void> {
    const isKept = await this.#database.write((unit) => unit.intents.renew(id, this.#clock.now()))
    if (!isKept)
      throw problem('storage_unavailable', {
        store: 'files',
        message: 'The upload took too long, and was given up.',
      })
  }
}
