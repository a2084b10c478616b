import { isDeepStrictEqual } from 'node:util'
import { giveWay } from '../../core/base/turns.ts'
import type { PublishedRecord, Records } from '../../core/index.ts'
import { formatDay, language, text } from './text/text.ts'

/** One revision of a record and what it changed. */
export interface Change {
  readonly time: string
  readonly day: string
  readonly summary: string
}

/** Revisions that a page tells of. */
const most = 20

/** Changed fields that are named. */
const mostNames = 10

/** Changes by the record, its revision and the language: a revision never changes. */
const known = new Map<string, Change>()
const mostKnown = 2000

/** The changes of a record, newest first; of a long history only the latest. */
export async function findChanges(
  records: Pick<Records, 'revision'>,
  record: PublishedRecord,
): Promise<readonly Change[]> {
  const changes: Change[] = []
  let later = record
  for (let number = record.revision; number >= 0 && changes.length < most; number -= 1) {
    const key = `${record.value}@${number} ${language()}`
    const change = known.get(key)
    if (change) changes.push(change)
    else {
      // Documents may be large: others get their turn between them.
      await giveWay()
      const after = later.revision === number ? later : await records.revision(record.value, number)
      const before = number > 0 ? await records.revision(record.value, number - 1) : undefined
      const found = toChange(before, after)
      changes.push(found)
      remember(key, found)
      if (before) later = before
    }
  }
  return changes
}

function remember(key: string, change: Change): void {
  if (known.size >= mostKnown) known.clear()
  known.set(key, change)
}

function toChange(before: PublishedRecord | undefined, after: PublishedRecord): Change {
  const { updated } = after
  return { time: updated, day: formatDay(updated), summary: summaryOf(before, after) }
}

function summaryOf(before: PublishedRecord | undefined, after: PublishedRecord): string {
  if (!before) return text('change.first')
  const names = new Set([...Object.keys(before.metadata), ...Object.keys(after.metadata)])
  const changed = [...names].filter(
    (name) => !isDeepStrictEqual(own(before, name), own(after, name)),
  )
  if (changed.length === 0) return text('change.none')
  const named = changed.slice(0, mostNames).map((name) => name.slice(0, 100))
  const fields = [...named, ...(changed.length > mostNames ? ['…'] : [])].join(', ')
  return text('change.fields', { fields })
}

function own({ metadata }: PublishedRecord, name: string): unknown {
  return Object.hasOwn(metadata, name) ? metadata[name] : undefined
}
