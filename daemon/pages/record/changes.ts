import { isDeepStrictEqual } from 'node:util'
import type { PublishedRecord } from '../../../core/index.ts'
import { text } from '../text/text.ts'
import { formatDay } from '../text/units.ts'

/** One revision of a record and what it changed. */
export interface Change {
  readonly time: string
  readonly day: string
  readonly summary: string
}

/** How a record came to be what it is, newest first. @param revisions oldest first */
export function toChanges(revisions: readonly PublishedRecord[]): readonly Change[] {
  return revisions
    .map((revision, index) => ({
      time: revision.updated,
      day: formatDay(revision.updated),
      summary: summaryOf(revisions[index - 1], revision),
    }))
    .toReversed()
}

function summaryOf(before: PublishedRecord | undefined, after: PublishedRecord): string {
  if (!before) return text('change.first')
  const names = new Set([...Object.keys(before.metadata), ...Object.keys(after.metadata)])
  const changed = [...names].filter(
    (name) => !isDeepStrictEqual(own(before, name), own(after, name)),
  )
  if (changed.length === 0) return text('change.none')
  return text('change.fields', { fields: changed.join(', ') })
}

function own({ metadata }: PublishedRecord, name: string): unknown {
  return Object.hasOwn(metadata, name) ? metadata[name] : undefined
}
