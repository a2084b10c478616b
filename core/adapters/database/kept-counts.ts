import type { Kysely } from 'kysely'
import type { Readers } from '../../ports/database.ts'
import type { DepositReader } from '../../ports/deposits.ts'
import type { WhichVersions } from '../../ports/records.ts'
import { movedValues } from './version-rows.ts'
import type { Tables } from './schema/tables.ts'

/** Counts of everything, kept beside the rows; undefined while they are not known. */
interface KeptCounts {
  /** Of all deposits that are shown. */
  readonly byStatus: () => Promise<StatusCounts | undefined>
  readonly records: (which: WhichVersions) => Promise<number | undefined>
}

type StatusCounts = Awaited<ReturnType<DepositReader['countByStatus']>>

/** Reads the counts of everything where they are kept; those of one owner are few. */
export function withKeptCounts(read: Readers, kept: KeptCounts): Readers {
  const { deposits, records } = read
  return {
    ...read,
    deposits: {
      ...deposits,
      countByStatus: async (visibility, pidType) => {
        const isOfAll = visibility.of === 'deposits' && visibility.only === undefined
        const counts = isOfAll && pidType === undefined ? await kept.byStatus() : undefined
        return counts ?? deposits.countByStatus(visibility, pidType)
      },
    },
    records: {
      ...records,
      count: async (which = {}) => (await kept.records(which)) ?? records.count(which),
    },
  }
}

/** The counts in SQLite, as triggers keep them (`0014-counts-by-triggers.ts`). */
export function keptCounts(db: Kysely<Tables>): KeptCounts {
  const read = async () => {
    const rows = await db.selectFrom('kept_counts').selectAll().execute()
    return new Map(rows.map(({ kind, count }) => [kind, count]))
  }
  return {
    byStatus: async () => {
      const counts = await read()
      return { draft: counts.get('draft') ?? 0, published: counts.get('published') ?? 0 }
    },
    records: async ({ isNewest = false }) =>
      ((await read()).get(isNewest ? 'newest' : 'records') ?? 0) - (await countMoved(db, isNewest)),
  }
}

/** Records whose identifier leads to another, which is not listed twice: they are few. */
async function countMoved(db: Kysely<Tables>, isNewest: boolean): Promise<number> {
  const moved = db.selectFrom(movedValues(db).as('moved'))
  const { count } = await moved
    .select((expression) => expression.fn.countAll<number>().as('count'))
    .where((expression) =>
      expression.exists(
        expression
          .selectFrom('record_revisions')
          .select('revision')
          .whereRef('record_revisions.pid_value', '=', 'moved.pid_value')
          .where('superseded', 'in', isNewest ? [0] : [0, 1]),
      ),
    )
    .executeTakeFirstOrThrow()
  return count
}
