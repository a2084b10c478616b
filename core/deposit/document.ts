import type { JsonObject } from '../base/json.ts'
import { knownText } from '../json/canonical.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { Deposit } from './deposit.ts'
import { giveWay, Turns } from '../base/turns.ts'

/** Turns the registry path of a schema into its absolute URL. */
export type SchemaUrl = (path: string) => string

/**
 * The document of a deposit as clients see it: the user's fields, `$schema` and `_deposit`.
 * Values that are not set yet are absent.
 *
 * @see Specification, "Deposit"
 */
export function toDepositDocument(deposit: Deposit, schemaUrl: SchemaUrl): JsonObject {
  return { ...deposit.metadata, ...reservedOfDeposit(deposit, schemaUrl) }
}

/** The fields of its document that are not the user's: `$schema` and `_deposit`. */
export function reservedOfDeposit(deposit: Deposit, schemaUrl: SchemaUrl): JsonObject {
  const { id, status, owners, createdBy, base, record } = deposit
  return {
    $schema: deposit.schema === null ? null : schemaUrl(deposit.schema),
    _deposit: {
      id,
      status,
      owners,
      created_by: createdBy,
      ...(base === undefined ? {} : { pid: base }),
      ...(record ? { type: record.type, value: record.value, revision_id: record.revision } : {}),
    },
  }
}

/** The document of a record: the user's fields, `$schema`, and the dump of its deposit. */
export function toRecordDocument(record: PublishedRecord, schemaUrl: SchemaUrl): JsonObject {
  return { ...record.metadata, ...reservedOfRecord(record, schemaUrl) }
}

/** As {@link reservedOfDeposit}. */
export function reservedOfRecord(record: PublishedRecord, schemaUrl: SchemaUrl): JsonObject {
  const { id, owners, createdBy, base } = record.deposit
  return {
    $schema: record.schema === null ? null : schemaUrl(record.schema),
    _deposit: {
      id,
      status: 'published',
      owners,
      created_by: createdBy,
      ...(base === undefined ? {} : { pid: base }),
      type: record.type,
      value: record.value,
      revision_id: record.revision,
    },
  }
}

/** The user's part of a document that a client sent, without the reserved fields. */
export function userFields(document: JsonObject): JsonObject {
  const { _deposit, $schema, ...fields } = document
  return fields
}

/** Characters from which on a document is long: to parse it takes longer than to read its row. */
const longText = 64 * 1024

/** Characters of the long documents that stay parsed, for the next who read the same text. */
const mostParsed = 2 * 1024 * 1024

interface Unparsed {
  readonly text: string
  readonly isParsed: () => boolean
}

const texts = new WeakMap<object, Unparsed>()

/**
 * Gives a deposit, or a record, the document that is stored as `text`. A long one is parsed when it
 * is first asked for: most who read it only pass it on.
 *
 * @param digest of the text, where it is read by many: they share what one of them has parsed
 */
export function withDocument<Item extends object>(
  item: Item,
  text: string,
  digest?: string,
): Item & { readonly metadata: JsonObject } {
  if (text.length < longText) return { ...item, metadata: parse(text) }
  let parsed: JsonObject | undefined
  const withText = {
    ...item,
    get metadata(): JsonObject {
      return (parsed ??= digest === undefined ? parse(text) : shared.parse(digest, text))
    },
  }
  const isParsed = (): boolean =>
    parsed !== undefined || (digest !== undefined && shared.has(digest))
  texts.set(withText, { text, isParsed })
  return withText
}

/** The text that the long document of `item` was read as; undefined where there is none. */
export function textOfLong(item: object): string | undefined {
  return texts.get(item)?.text
}

/** The same, and that of a long document which has just been stored. */
export function storedText(item: { readonly metadata: JsonObject }): string | undefined {
  const text = textOfLong(item) ?? knownText(item.metadata)
  return text !== undefined && text.length >= longText ? text : undefined
}

/** A copy of `item` with other fields, whose long document stays unparsed. */
export function withFields<Item extends object, Fields extends object>(
  item: Item,
  fields: Fields,
): Item & Fields {
  const unparsed = texts.get(item)
  if (!unparsed) return { ...item, ...fields }
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(item)) as Item
  texts.set(copy, unparsed)
  return Object.assign(copy, fields)
}

/** Each takes tens of milliseconds, in which nothing else is done. */
const longParses = new Turns({ all: 1, each: 1 })

/**
 * Parses a large document of `item`: one after another, and after other requests that wait. So only
 * requests for large documents wait for each other.
 */
export async function parseInTurn(item: { readonly metadata: JsonObject }): Promise<void> {
  const isLeft = (): boolean => texts.get(item)?.isParsed() === false
  using turn = isLeft() ? await longParses.take('') : undefined
  if (turn && isLeft()) await giveWay()
  void item.metadata
}

function parse(text: string): JsonObject {
  return JSON.parse(text) as JsonObject
}

/** Long documents by the digest of their text; the first in is the first out. */
class SharedDocuments {
  readonly #known = new Map<string, { readonly document: JsonObject; readonly length: number }>()
  #length = 0

  has(digest: string): boolean {
    return this.#known.has(digest)
  }

  parse(digest: string, text: string): JsonObject {
    const known = this.#known.get(digest)
    if (known) return known.document
    const document = parse(text)
    this.#keep(digest, document, text.length)
    return document
  }

  #keep(digest: string, document: JsonObject, length: number): void {
    if (length > mostParsed) return
    for (const [oldest, kept] of this.#known) {
      if (this.#length + length <= mostParsed) break
      this.#known.delete(oldest)
      this.#length -= kept.length
    }
    this.#known.set(digest, { document, length })
    this.#length += length
  }
}

const shared = new SharedDocuments()
