import { giveWay } from '../base/give-way.ts'
import { Turns } from '../base/turns.ts'
import type { JsonObject } from '../base/json.ts'

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
