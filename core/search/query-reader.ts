import { problem } from '../errors/errors.ts'

/** Characters of a query, Unicode code points. */
export const maxQueryLength = 1024

/** Characters that end a word; brackets inside of one are ordinary, as in URLs. */
const wordEnd = /(?=$|[\s()"]|&&|\|\|)/uy

/** Walks over the text of a query, from its start to its end and never back. */
export class QueryReader {
  readonly text: string
  #offset = 0

  /** @throws {DepositError} invalid_query: the text is longer than {@link maxQueryLength} */
  constructor(text: string) {
    this.text = text
    if (lengthOf(text) > maxQueryLength) {
      throw problem('invalid_query', {
        reason: `The query is longer than ${maxQueryLength} characters.`,
        position: maxQueryLength,
      })
    }
  }

  get offset(): number {
    return this.#offset
  }

  get atEnd(): boolean {
    return this.#offset >= this.text.length
  }

  /** True where the rest begins with `text`. */
  sees(text: string): boolean {
    return this.text.startsWith(text, this.#offset)
  }

  /** The match of `pattern`, which must be sticky, at this place; nothing is taken. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset
    return pattern.exec(this.text)?.[0]
  }

  /** Goes past `text` if it is next. */
  take(text: string): boolean {
    const next = this.sees(text)
    if (next) this.#offset += text.length
    return next
  }

  /** Goes past what `pattern`, which must be sticky, finds here. */
  takeMatch(pattern: RegExp): string | undefined {
    const found = this.match(pattern)
    this.#offset += found?.length ?? 0
    return found
  }

  skipSpace(): void {
    this.takeMatch(/\s+/uy)
  }

  /** True at the end of the query, before a space, a parenthesis, a quotation mark, `&&`, `||`. */
  get atWordEnd(): boolean {
    return this.match(wordEnd) !== undefined
  }

  /** Takes one character, or the one behind a backslash. */
  readCharacter(): { readonly character: string; readonly escaped: boolean } {
    const at = this.#offset
    const escaped = this.take('\\')
    if (this.atEnd) this.fail('There is nothing behind the backslash.', at)
    const character = String.fromCodePoint(this.text.codePointAt(this.#offset) ?? 0)
    this.#offset += character.length
    return { character, escaped }
  }

  /** @param offset where the fault is, in the units of {@link offset} */
  fail(reason: string, offset = this.#offset): never {
    throw problem('invalid_query', { reason, position: lengthOf(this.text.slice(0, offset)) })
  }
}

function lengthOf(text: string): number {
  const pairs = text.match(/[\u{10000}-\u{10ffff}]/gu)
  return text.length - (pairs?.length ?? 0)
}
