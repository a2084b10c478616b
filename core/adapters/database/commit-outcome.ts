import { setTimeout } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { isProblem, problem } from '../../errors/errors.ts'
import type { Tables } from './schema/tables.ts'

/** Time to ask for the outcome of a commit. Milliseconds. */
const patience = 10_000
const pause = 200

/** By what a server knows a transaction. */
export interface TransactionName {
  readonly number: string
  /** Since when the server has run; see {@link serverRun}. */
  readonly since: string
}

/**
 * SQL that differs after each start and each crash, for a crash resets the statistics: it is the
 * same for as long as a connection lasts.
 */
export const serverRun =
  'concat(pg_postmaster_start_time(), (select stats_reset from pg_stat_bgwriter))'

/**
 * Asks, through another connection, whether a transaction was committed whose `COMMIT` had no
 * answer. While the server is away, or has not noticed that we are gone, it is asked again.
 *
 * After a crash the server reuses transaction numbers that had not reached its disk. A committed
 * number may then be another transaction's: the outcome is unknown, and the client has to retry.
 *
 * @throws {DepositError} storage_unavailable: the server has restarted, and the number is a committed one
 * @throws {DepositError} storage_failed: the outcome was not known in time
 */
export async function wasCommitted(db: Kysely<Tables>, name: TransactionName): Promise<boolean> {
  let failure: unknown
  let isAnothers = false
  for (const end = performance.now() + patience; performance.now() < end;) {
    try {
      const { status, isSame } = await statusOf(db, name)
      if (status === 'committed' && isSame) return true
      if (status === 'aborted') return false
      isAnothers = status === 'committed'
      if (isAnothers) break
    } catch (error) {
      if (!isProblem(error, 'storage_unavailable', 'overloaded'))
        throw problem('storage_failed', { cause: error })
      failure = error
    }
    await setTimeout(pause)
  }
  throw isAnothers
    ? problem('storage_unavailable', { isOutcomeUnknown: true })
    : problem('storage_failed', { cause: failure })
}

interface Status {
  readonly status: string | null
  /** Whether the server has not been started again. */
  readonly isSame: boolean
}

/** A number that was not given out yet is of a transaction that was lost. */
async function statusOf(db: Kysely<Tables>, name: TransactionName): Promise<Status> {
  const { number } = name
  const { rows } = await sql<Status>`select same as "isSame", case
      when not same and ${number}::xid8 >= pg_snapshot_xmax(pg_current_snapshot()) then 'aborted'
      else pg_xact_status(${number}::xid8) end as status
    from (select ${sql.raw(serverRun)} = ${name.since} as same) as server`.execute(db)
  return rows[0] ?? { status: null, isSame: true }
}
