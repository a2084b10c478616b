import { confirm, asksFirst } from '../session/confirm.ts'
import type { CliContext } from '../session/context.ts'
import { count } from '../output/units.ts'
import type { Entry } from './journal.ts'
import type { PreparedRow } from './prepare-rows.ts'
import { isChanged } from './run-row.ts'

interface PublishOptions {
  readonly publish?: true
  readonly update?: true
}

/**
 * Number of rows that a run publishes: new ones, drafts, and changed rows of published deposits.
 *
 * @param entries of the journal, by the identity of their rows
 */
export function countPublished(
  rows: readonly PreparedRow[],
  entries: ReadonlyMap<string, Entry>,
  { publish, update }: PublishOptions,
): number {
  return rows.filter((prepared) => {
    const entry = entries.get(prepared.row.identity)
    if (entry?.done === 'published') return update === true && isChanged(entry, prepared)
    return publish === true
  }).length
}

/** @throws {Failure} the answer was not yes */
export async function askToPublish(
  context: CliContext,
  file: string,
  number: number,
  options: Parameters<typeof asksFirst>[1],
): Promise<void> {
  if (number === 0 || !asksFirst(context, options)) return
  const records =
    number === 1
      ? 'Its record is public and its files cannot change.'
      : 'Their records are public and their files cannot change.'
  const question = `Publish ${count(number, 'row')} for good? ${records}`
  await confirm(context, { tried: `publish ${file}`, summary: [], question, undone: 'published' })
}
