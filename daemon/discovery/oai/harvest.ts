import { giveWay } from '../../../core/base/turns.ts'
import { element, maxListBytes } from '../../../core/index.ts'
import type { Database, Markup, PublishedRecord, RecordChange } from '../../../core/index.ts'
import type { Harvest } from './resumption-token.ts'
import type { OaiSets } from './sets.ts'

/** Records of a page. */
const pageLength = 200

/** A page of a harvest. */
interface HarvestPage {
  readonly items: readonly Markup[]
  /** The last of them where more follow. */
  readonly last: RecordChange | undefined
}

/**
 * Reads a page, a few records at a time: it ends early where it would pass 8 MiB.
 *
 * @param write a record, or its header alone
 */
export async function readPage(
  { records }: Database['read'],
  { set, range, after }: Harvest,
  sets: OaiSets,
  write: (record: PublishedRecord, isDeleted: boolean) => Promise<Markup>,
): Promise<HarvestPage> {
  const items: Markup[] = []
  let last: RecordChange | undefined
  let bytes = 0
  for await (const { record, change } of changed({ ...range, after })) {
    if (set !== undefined && !sets.of(record).includes(set)) continue
    if (items.length === pageLength) return { items, last }
    await giveWay()
    const item = await write(record, change.isMoved === true)
    bytes += Buffer.byteLength(item.markup)
    if (items.length > 0 && bytes > maxListBytes) return { items, last }
    items.push(item)
    last = change
  }
  return { items, last: undefined }

  async function* changed(request: Harvest['range'] & Pick<Harvest, 'after'>) {
    let from = request.after
    for (;;) {
      const changes = await records.changes({
        ...request,
        after: from,
        withMoved: true,
        limit: pageLength + 1,
      })
      const known = new Map(changes.map((change) => [change.value, change]))
      const measured = await records.measure([...known.keys()])
      for await (const batch of records.batchesOf(measured, 'withMoved')) {
        for (const record of batch) {
          const change = known.get(record.value)
          // One that was corrected since then comes at its new place, in this harvest or the next.
          if (change?.updated === record.updated) yield { record, change }
        }
      }
      from = changes.at(-1)
      if (changes.length <= pageLength) return
    }
  }
}

/**
 * The header of a record: a deleted one has no more than that.
 *
 * @param identifier of the protocol
 */
export function headerOf(
  record: PublishedRecord,
  identifier: string,
  { sets, isDeleted }: { readonly sets: OaiSets; readonly isDeleted: boolean },
): Markup {
  return element('header', isDeleted ? { status: 'deleted' } : {}, [
    element('identifier', {}, identifier),
    element('datestamp', {}, toSeconds(record.updated)),
    ...sets.of(record).map((set) => element('setSpec', {}, set)),
  ])
}

/** @param moment ISO 8601, UTC */
export function toSeconds(moment: string): string {
  return moment.replace(/\.\d+Z$/, 'Z')
}
