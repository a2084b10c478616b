import {
  isJsonArray,
  parseInTurn,
  type JsonObject,
  type PublishedRecord,
} from '../../core/index.ts'
import type { Services } from '../api/services.ts'
import { shorten } from '../discovery/shorten.ts'
import { typeName } from './field-lines.ts'
import { plainText } from './plain-markdown.ts'
import { counted, formatSize, text } from './text/text.ts'

/** A record among others: who, what, when, and how much of it there is. */
interface RecordCard {
  readonly url: string
  readonly title: string
  /** Names with semicolons between. */
  readonly creators: string
  readonly year: string
  readonly type: string | undefined
  readonly license: string | undefined
  readonly description: string | undefined
  readonly files: string
}

/** Fields that a card is made from. */
const shown = [
  'title',
  'creators',
  'description',
  'publication_date',
  'resource_type',
  'license',
] as const

/** Creators that are named. */
const mostNamed = 3

const limits = { text: 200, description: 320, elements: 20, values: 100, characters: 4000 }

/** Cards of records, in their order. */
export async function toCards(
  { parts, describer }: Pick<Services, 'parts' | 'describer'>,
  batches: AsyncIterable<readonly PublishedRecord[]>,
): Promise<readonly RecordCard[]> {
  const cards: RecordCard[] = []
  for await (const records of batches) {
    const totals = await parts.database.read.files.totals(records.map(({ bucket }) => bucket))
    for (const record of records) {
      await parseInTurn(record)
      const metadata = partOf(record.metadata)
      const about = await describer.record(record, { metadata, files: [] })
      const isOpen = about.access.files === 'public'
      const total = isOpen ? totals.get(record.bucket) : undefined
      const { count, size } = total ?? { count: 0, size: 0 }
      cards.push({
        url: about.url,
        title: about.title ?? text('record.untitled'),
        creators: [...about.creators.map(({ name }) => name), ...furtherOf(record)].join('; '),
        year: about.year,
        type: about.resourceType && typeName(about.resourceType.id),
        license: about.rights?.id ?? about.rights?.name,
        description: about.description && plainText(about.description),
        files: count === 0 ? '' : `${counted('files.count', count)}, ${formatSize(size)}`,
      })
    }
  }
  return cards
}

function partOf(metadata: JsonObject): JsonObject {
  const fields = shown.flatMap((name) => {
    const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined
    if (value === undefined) return []
    return [[name, isJsonArray(value) ? value.slice(0, mostNamed) : value] as const]
  })
  return shorten(Object.fromEntries(fields), limits).metadata
}

/** How many creators are not named. */
function furtherOf({ metadata: { creators } }: PublishedRecord): readonly string[] {
  const number = creators !== undefined && isJsonArray(creators) ? creators.length : 0
  return number > mostNamed ? [counted('card.others', number - mostNamed)] : []
}
