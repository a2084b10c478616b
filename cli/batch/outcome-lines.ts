import { count } from '../output/units.ts'
import { plain } from '../plain.ts'
import type { PreparedRow } from './prepare-rows.ts'
import type { Rehearsed } from './rehearse-row.ts'
import { describeRow, nameRow, placeOf } from './row.ts'
import type { Outcome } from './run-batch.ts'

/** False where the row is not as the batch has it. */
export function isWell(status: Outcome['status']): boolean {
  return status !== 'failed' && status !== 'changed' && status !== 'not done'
}

/** For a program. */
export function toBody({ row, ...outcome }: Outcome): object {
  return { ...placeOf(row), ...outcome }
}

/** A row of the table on standard output. */
export function toLine({ row, status, id, url, message }: Outcome): string {
  const said = message === null ? '' : plain(message)
  const [what, more] = url !== null && isWell(status) ? [url, said] : [said, '']
  const cells = [`row ${row.number}`, status, id ?? '-', what, plain(nameRow(row)), more]
  return cells.join('\t').trimEnd()
}

/** Tells of a row as soon as it is finished. */
export function toNote({ row, status, id, url, message }: Outcome): string {
  const what = isWell(status) ? [url, message && `(${message})`] : [message]
  return [describeRow(row), status, id, ...what].filter(Boolean).join(' ')
}

/** `12 published, 1 failed, 3 not done (1 with a draft)`. */
export function summarize(outcomes: readonly Outcome[]): string {
  const groups = Map.groupBy(outcomes, ({ status }) => status)
  return [...groups]
    .map(([status, group]) => {
      const begun = status === 'not done' ? group.filter(({ id }) => id !== null).length : 0
      return `${group.length} ${status}${begun === 0 ? '' : ` (${begun} with a draft)`}`
    })
    .join(', ')
}

/** For a dry run: `update 3`. */
export function sayGroup(would: Rehearsed['would'], number: number): string {
  if (would === 'make a new version') return `make ${count(number, 'new version')}`
  return would === 'leave changed' ? `leave ${number} changed` : `${would} ${number}`
}

/** A row of a dry run. */
export function toPlanLine({ row, plan, would, id, message }: PreparedRow & Rehearsed): string {
  const cells = [String(row.number), count(plan.files.length, 'file'), plain(nameRow(row))]
  const planned = would === 'make' ? [] : [would, id ?? '-', plain(message ?? '')]
  return [...cells, ...planned].join('\t').trimEnd()
}
