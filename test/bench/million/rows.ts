import { toRow as toDepositRow } from '../../../core/adapters/database/deposit-row.ts'
import { toRow as toPidRow } from '../../../core/adapters/database/pid-rows.ts'
import { toRow as toRecordRow } from '../../../core/adapters/database/record-rows.ts'
import type {
  DepositRow,
  PidRow,
  RecordRevisionRow,
  VersionRow,
} from '../../../core/adapters/database/schema/deposit-tables.ts'
import { toVersionRow } from '../../../core/adapters/database/version-rows.ts'
import { toSearchRow, type SearchRow } from '../../../core/adapters/search/postgres/search-row.ts'
import { toIndexedDeposit, toIndexedRecord } from '../../../core/search/indexed-document.ts'
import type { Made } from '../filling.ts'

/** Files of each deposit. */
export const filesEach = 10

/** All rows of a deposit except those of its files and of the search index. */
export interface SeededRows {
  readonly deposit: DepositRow
  readonly pids: readonly PidRow[]
  readonly version: VersionRow
  /** Only for a published one. */
  readonly record?: RecordRevisionRow
}

/**
 * The rows as the program writes them, but that the manifest of a record counts as written, so that
 * no daemon has to write half a million of them.
 */
export function rowsOf({ deposit, record, pids }: Made): SeededRows {
  const [number, value] = record ? [record.number, record.value] : [null, null]
  return {
    deposit: toDepositRow(deposit),
    pids: pids.map(toPidRow),
    version: { ...toVersionRow(deposit), number, record: value },
    ...(record && { record: { ...toRecordRow(record), manifested: 1 } }),
  }
}

/** The rows of a deposit and of its record in the search index of PostgreSQL. */
export interface SearchRows {
  readonly deposit: SearchRow
  readonly record?: SearchRow
}

const samePath = (path: string): string => path

export function searchRowsOf({ deposit, record }: Made): SearchRows {
  return {
    deposit: toSearchRow(toIndexedDeposit(deposit, samePath)),
    ...(record && { record: toSearchRow(toIndexedRecord(record, samePath)) }),
  }
}
