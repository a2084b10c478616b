import { canonicalJson } from '../canonical.ts'
import { isJsonArray, isJsonObject, ownField, type Json } from '../json.ts'

/** Fields that say which thing an object is about, the surest first. */
const identities = [
  'id',
  'orcid',
  'ror',
  'identifier',
  'award',
  'doi',
  'url',
  'name',
  'funder',
  'subject',
  'title',
  'date',
  'type',
] as const

/**
 * Pairs each element of `right` with the same one of `left`; the answer maps indexes of `right` to
 * indexes of `left`.
 *
 * First come those that are equal, in their order; then objects by the first field of
 * {@link identities} whose value no other element left over shares; then, while the lengths are
 * equal, objects and arrays that bear no identity by their position. What is left has no partner.
 */
export function matchElements(
  left: readonly Json[],
  right: readonly Json[],
  { byPosition = true } = {},
): ReadonlyMap<number, number> {
  const pairs = new Pairs(left, right)
  pairs.matchEqual()
  // Lists of keywords may be very long, and a value is the same as its equal alone.
  pairs.leaveOutScalars()
  for (const field of identities) pairs.matchBy(field)
  if (byPosition && left.length === right.length) pairs.matchPositions()
  return pairs.found
}

/** Index of an element and the element. */
type Entry = readonly [index: number, element: Json]

/** The elements not yet paired, and the pairs found so far. */
class Pairs {
  readonly found = new Map<number, number>()
  #left: readonly Entry[]
  #right: readonly Entry[]

  constructor(left: readonly Json[], right: readonly Json[]) {
    this.#left = [...left.entries()]
    this.#right = [...right.entries()]
  }

  /** Pairs equal elements; where there are several, in their order. */
  matchEqual(): void {
    // From the end, so that the first one is the next to be taken.
    const lefts = indexesByKey(this.#left.toReversed(), textOf)
    for (const [index, element] of this.#right) {
      const left = lefts.get(textOf(element))?.pop()
      if (left !== undefined) this.found.set(index, left)
    }
    this.#leaveOutFound()
  }

  /** Pairs objects whose `field` no other one shares. */
  matchBy(field: string): void {
    if (this.#left.length === 0 || this.#right.length === 0) return
    const lefts = indexesByKey(this.#left, (element) => identityOf(element, field))
    const rights = indexesByKey(this.#right, (element) => identityOf(element, field))
    for (const [text, [index, ...others]] of rights) {
      const [left, ...rivals] = lefts.get(text) ?? []
      if (left === undefined || index === undefined) continue
      if (others.length === 0 && rivals.length === 0) this.found.set(index, left)
    }
    this.#leaveOutFound()
  }

  leaveOutScalars(): void {
    this.#left = this.#left.filter(isContainer)
    this.#right = this.#right.filter(isContainer)
  }

  matchPositions(): void {
    const left = new Map(this.#left)
    for (const [index, element] of this.#right) {
      const other = left.get(index)
      if (other !== undefined && areAnonymous(element, other)) this.found.set(index, index)
    }
  }

  #leaveOutFound(): void {
    const taken = new Set(this.found.values())
    this.#left = this.#left.filter(([index]) => !taken.has(index))
    this.#right = this.#right.filter(([index]) => !this.found.has(index))
  }
}

function isContainer([, element]: Entry): boolean {
  return typeof element === 'object' && element !== null
}

function indexesByKey(
  entries: readonly Entry[],
  key: (element: Json) => string | undefined,
): ReadonlyMap<string, number[]> {
  const indexes = new Map<string, number[]>()
  for (const [index, element] of entries) {
    const text = key(element)
    if (text === undefined) continue
    const others = indexes.get(text)
    if (others) others.push(index)
    else indexes.set(text, [index])
  }
  return indexes
}

/** The same for equal elements alone. Strings, which may be very many, are taken as they are. */
function textOf(element: Json): string {
  if (typeof element !== 'string') return `\0${canonicalJson(element)}`
  return element.startsWith('\0') ? `\0"${element}` : element
}

function identityOf(element: Json, field: string): string | undefined {
  const value = isJsonObject(element) ? ownField(element, field) : undefined
  return typeof value === 'string' || typeof value === 'number' ? canonicalJson(value) : undefined
}

/** Both containers of one kind, and nothing in them says that they are different things. */
function areAnonymous(one: Json, other: Json): boolean {
  if (isJsonArray(one)) return isJsonArray(other)
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  return !identities.some(
    (field) => identityOf(one, field) !== undefined && identityOf(other, field) !== undefined,
  )
}
