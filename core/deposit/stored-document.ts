import type { JsonObject } from '../json.ts'

/** Characters from which on a document is long: to parse it takes longer than to read its row. */
const longText = 64 * 1024

const texts = new WeakMap<object, string>()

/**
 * Gives a deposit, or a record, the document that is stored as `text`. A long one is parsed when it
 * is first asked for: most who read it only pass it on.
 */
export function withDocument<Item extends object>(
  item: Item,
  text: string,
): Item & { readonly metadata: JsonObject } {
  if (text.length < longText) return { ...item, metadata: parse(text) }
  let parsed: JsonObject | undefined
  const withText = {
    ...item,
    get metadata(): JsonObject {
      return (parsed ??= parse(text))
    },
  }
  texts.set(withText, text)
  return withText
}

/** The text that the long document of `item` was read as; undefined where there is none. */
export function textOfLong(item: object): string | undefined {
  return texts.get(item)
}

function parse(text: string): JsonObject {
  return JSON.parse(text) as JsonObject
}
