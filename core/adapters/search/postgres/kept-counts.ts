import type { Kysely } from 'kysely'
import { isProblem } from '../../../errors/errors.ts'
import type { Tables } from '../../database/schema/tables.ts'
import { levelCounts } from './level-counts.ts'
import type { Kind } from './projection.ts'
import { findSince, readCounts, type Counts } from './read-counts.ts'

/** Documents that are looked at with each reading, at most, before they are counted for good. */
const mostPending = 500

const kinds: readonly Kind[] = ['deposits', 'records']

export interface KeptCountsOptions {
  readonly db: Kysely<Tables>
  /** Connections whose statements may take long. */
  readonly patient: Kysely<Tables>
  /** Told of failures that no caller waits for. */
  readonly report: (error: unknown) => void
}

/**
 * Counts of all documents, so that nobody has to go through them.
 *
 * Who changes a document does not touch them: a row of counts would let all writers wait for each
 * other. Every so often the documents are counted that were changed since (`level-counts.ts`); who
 * reads adds what has become since then of those few, in one statement, so it is never wrong. Which
 * those are, every program has noted since there is something to search, so older ones may go on.
 */
export class KeptCounts implements AsyncDisposable {
  readonly #options: KeptCountsOptions
  /** Since when changes are to be added, as it was last seen. */
  readonly #since = new Map<Kind, string>()
  #written = 0
  #work: Promise<void> | undefined

  constructor(options: KeptCountsOptions) {
    this.#options = options
  }

  /** Undefined where nothing is kept yet: that is begun then, and whoever asks counts for himself. */
  readonly of = async (kind: Kind): Promise<Counts | undefined> => {
    const { db } = this.#options
    const since = this.#since.get(kind) ?? (await findSince(db, kind))
    if (since === undefined) return undefined
    const found = since === null ? undefined : await readCounts(db, kind, since)
    if (found) this.#since.set(kind, found.since)
    else this.#since.delete(kind)
    if (!found || found.pending > mostPending) this.#levelSoon()
    return found?.counts
  }

  /** Told of each unit of work that is done. */
  readonly written = (): void => {
    this.#written += 1
    if (this.#written % mostPending === 0) this.#levelSoon()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#work
  }

  /** Behind what goes on, and never twice at a time. */
  #levelSoon(): void {
    this.#work ??= this.#level().finally(() => (this.#work = undefined))
  }

  async #level(): Promise<void> {
    try {
      for (const kind of kinds) await levelCounts(this.#options.patient, kind)
    } catch (error) {
      if (!isProblem(error, 'storage_unavailable')) this.#options.report(error)
    }
  }
}
