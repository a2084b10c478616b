import { setTimeout } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { StorageFailed, StorageUnavailable } from '../../errors.ts'
import type { Tables } from './tables.ts'

/** How long the server is asked what became of a commit. Milliseconds. */
const patience = 10_000
const pause = 200

/** Number of the transaction, by which its outcome can be asked for; null where it changed nothing. */
export async function transactionNumber(transaction: Kysely<Tables>): Promise<string | null> {
  const { rows } = await sql<{
    readonly number: string | null
  }>`select pg_current_xact_id_if_assigned()::text as number`.execute(transaction)
  return rows[0]?.number ?? null
}

/**
 * Asks, through another connection, whether a transaction was committed whose `COMMIT` had no
 * answer. While the server is away, or has not noticed that we are gone, it is asked again.
 *
 * @throws {StorageFailed} nobody could tell in time
 */
export async function wasCommitted(db: Kysely<Tables>, number: string): Promise<boolean> {
  let failure: unknown
  for (const end = Date.now() + patience; Date.now() < end;) {
    try {
      const status = await statusOf(db, number)
      if (status === 'committed') return true
      if (status === 'aborted') return false
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw new StorageFailed({ cause: error })
      failure = error
    }
    await setTimeout(pause)
  }
  throw new StorageFailed({ cause: failure })
}

async function statusOf(db: Kysely<Tables>, number: string): Promise<string | null> {
  const { rows } = await sql<{
    readonly status: string | null
  }>`select pg_xact_status(${number}::xid8) as status`.execute(db)
  return rows[0]?.status ?? null
}
