import { giveWay } from '../../../core/base/turns.ts'
import { element, maxListBytes, resourceTypes, toResourceType } from '../../../core/index.ts'
import type { Database, Markup, PublishedRecord, RecordChange } from '../../../core/index.ts'
import type { Harvest } from './resumption-token.ts'

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
  write: (record: PublishedRecord) => Promise<Markup>,
): Promise<HarvestPage> {
  const items: Markup[] = []
  let last: RecordChange | undefined
  let bytes = 0
  for await (const { record, change } of changed({ ...range, after })) {
    if (set !== undefined && setOf(record) !== set) continue
    if (items.length === pageLength) return { items, last }
    await giveWay()
    const item = await write(record)
    bytes += Buffer.byteLength(item.markup)
    if (items.length > 0 && bytes > maxListBytes) return { items, last }
    items.push(item)
    last = change
  }
  return { items, last: undefined }

  async function* changed(request: Harvest['range'] & Pick<Harvest, 'after'>) {
    let from = request.after
    for (;;) {
      const changes = await records.changes({ ...request, after: from, limit: pageLength + 1 })
      const known = new Map(changes.map((change) => [change.value, change]))
      for await (const batch of records.batchesOf(await records.measure([...known.keys()]))) {
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

/** The set of a record: its resource type, as DataCite spells it. */
function setOf({ metadata }: PublishedRecord): string | undefined {
  return toResourceType(metadata['resource_type'])?.general
}

export function isSet(name: string): boolean {
  return [...resourceTypes.values()].includes(name)
}

export function listSets(): Markup {
  const sets = [...resourceTypes.values()].map((name) =>
    element('set', {}, [
      element('setSpec', {}, name),
      element('setName', {}, name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')),
    ]),
  )
  return element('ListSets', {}, sets)
}

/** The header of a record. @param identifier of the protocol */
export function headerOf(record: PublishedRecord, identifier: string): Markup {
  const set = setOf(record)
  return element('header', {}, [
    element('identifier', {}, identifier),
    element('datestamp', {}, toSeconds(record.updated)),
    ...(set === undefined ? [] : [element('setSpec', {}, set)]),
  ])
}

/** @param moment ISO 8601, UTC */
export function toSeconds(moment: string): string {
  return moment.replace(/\.\d+Z$/, 'Z')
}
