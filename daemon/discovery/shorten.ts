import { isJsonArray, type Json, type JsonObject } from '../../core/index.ts'

interface Limits {
  readonly text: number
  readonly description: number
  readonly elements: number
  readonly values: number
  readonly characters: number
}

/** Limits on the part of a document that a page shows; the whole of it is one link away. */
const mostShown: Limits = {
  /** Characters of one text, and of a description. */
  text: 1000,
  description: 20_000,
  /** Elements of an array, fields of an object. */
  elements: 100,
  /** Values and characters of the whole document. */
  values: 2000,
  characters: 60_000,
}

/** Limits for citations and tags in the head, which name all creators. */
export const mostCited: Limits = {
  ...mostShown,
  elements: 1000,
  values: 10_000,
  characters: 200_000,
}

export interface Shortened {
  readonly metadata: JsonObject
  /** True where something is left out. */
  readonly isCut: boolean
}

/** A document as a page can show it: its texts and lists cut where they are very long. */
export function shorten(metadata: JsonObject, most: Limits = mostShown): Shortened {
  const cutter = new Cutter(most)
  const { description } = metadata
  const cut = typeof description === 'string' ? cutter.text(description, most.description) : null
  const rest = cutter.object(metadata, ['description'])
  const whole = cut === null ? rest : { ...rest, description: cut }
  return { metadata: whole, isCut: cutter.isCut }
}

class Cutter {
  isCut = false
  readonly #most: Limits
  #values: number
  #characters: number

  constructor(most: Limits) {
    this.#most = most
    this.#values = most.values
    this.#characters = most.characters
  }

  text(text: string, limit: number = this.#most.text): string {
    const room = Math.min(limit, this.#characters)
    this.#characters -= Math.min(text.length, room)
    if (text.length <= room) return text
    this.isCut = true
    // Half of a surrogate pair would be no character.
    return `${text
      .slice(0, room)
      .toWellFormed()
      .replace(/\uFFFD$/, '')}…`
  }

  /** @param except fields that are left out; those that are not shown cost next to nothing */
  object(value: JsonObject, except: readonly string[] = []): JsonObject {
    const names = this.#first(Object.keys(value).filter((name) => !except.includes(name)))
    return Object.fromEntries(
      names.map((name) => [this.text(name), this.#value(value[name] ?? null)]),
    )
  }

  #value(value: Json): Json {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (isJsonArray(value)) return this.#first(value).map((inner) => this.#value(inner))
    return this.object(value)
  }

  #first<Item>(items: readonly Item[]): readonly Item[] {
    const room = Math.min(this.#most.elements, this.#values)
    if (items.length > room) this.isCut = true
    this.#values -= Math.min(items.length, room)
    return items.slice(0, room)
  }
}
