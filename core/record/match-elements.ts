import { pieceSize, type Steps } from '../base/turns.ts'
import { canonicalJson } from '../json/canonical.ts'
import { isJsonArray, isJsonObject, ownField, type Json } from '../base/json.ts'

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
 * equal, objects and arrays that bear no identity by their position. Elements left have no partner.
 */
export function* matchElements(
  left: readonly Json[],
  right: readonly Json[],
  { byPosition = true } = {},
): Steps<ReadonlyMap<number, number>> {
  const pairs = new Pairs(left, right, yield* pairEqual(left, right))
  for (const field of identities) {
    yield
    yield* pairs.matchBy(field)
  }
  yield
  if (byPosition && left.length === right.length) pairs.matchPositions()
  return pairs.found
}

/** Index of an element and the element. */
type Entry = readonly [index: number, element: Json]

/** The elements not yet paired, and the pairs found so far: first all that are equal. */
class Pairs {
  readonly found: Map<number, number>
  #left: readonly Entry[]
  #right: readonly Entry[]

  constructor(left: readonly Json[], right: readonly Json[], equal: Map<number, number>) {
    this.found = equal
    // Lists of keywords may be very long, and a value is the same as its equal alone.
    this.#left = containersOf(left)
    this.#right = containersOf(right)
    this.#leaveOutFound()
  }

  /** Pairs objects whose `field` no other one shares. */
  *matchBy(field: string): Steps<void> {
    if (this.#left.length === 0 || this.#right.length === 0) return
    const lefts = yield* indexesByIdentity(this.#left, field)
    if (lefts.size === 0) return
    const rights = yield* indexesByIdentity(this.#right, field)
    const before = this.found.size
    for (const [text, [index, ...others]] of rights) {
      const [left, ...rivals] = lefts.get(text) ?? []
      if (left === undefined || index === undefined) continue
      if (others.length === 0 && rivals.length === 0) this.found.set(index, left)
    }
    if (this.found.size > before) this.#leaveOutFound()
  }

  matchPositions(): void {
    const left = new Map(this.#left)
    for (const [index, element] of this.#right) {
      const other = left.get(index)
      if (other !== undefined && areAnonymous(element, other)) this.found.set(index, index)
    }
  }

  #leaveOutFound(): void {
    if (this.#left.length === 0 && this.#right.length === 0) return
    const taken = new Set(this.found.values())
    this.#left = this.#left.filter(([index]) => !taken.has(index))
    this.#right = this.#right.filter(([index]) => !this.found.has(index))
  }
}

/**
 * Pairs equal elements, index in `right` to index in `left`; where there are several, in their
 * order. Lists of a hundred thousand are ordinary here: nothing is made for each element.
 */
function* pairEqual(left: readonly Json[], right: readonly Json[]): Steps<Map<number, number>> {
  const pairs = new Map<number, number>()
  const start = lengthOfSameStart(left, right)
  for (let index = 0; index < start; index += 1) pairs.set(index, index)
  const { first, next } = yield* chainEqual(left, start)
  for (let place = start; place < right.length; place += 1) {
    if (place % pieceSize === 0) yield
    const text = textOf(right[place] ?? null)
    const index = first.get(text)
    if (index === undefined || index === none) continue
    pairs.set(place, index)
    first.set(text, next[index] ?? none)
  }
  return pairs
}

/** The number of equal strings at the start of two lists. */
function lengthOfSameStart(left: readonly Json[], right: readonly Json[]): number {
  const isSame = (element: Json, index: number): boolean =>
    typeof element === 'string' && element === left[index]
  const end = right.findIndex((element, index) => !isSame(element, index))
  return end === -1 ? right.length : end
}

/** Stands for no index. */
const none = -1

interface Chains {
  /** The index of the first of equal elements, by their text. */
  readonly first: Map<string, number>
  /** The index of the next equal element behind each. */
  readonly next: Int32Array
}

/** Finds which elements are equal, from `start` on. */
function* chainEqual(elements: readonly Json[], start: number): Steps<Chains> {
  const first = new Map<string, number>()
  const next = new Int32Array(elements.length)
  for (let index = elements.length - 1; index >= start; index -= 1) {
    if (index % pieceSize === 0) yield
    const text = textOf(elements[index] ?? null)
    next[index] = first.get(text) ?? none
    first.set(text, index)
  }
  return { first, next }
}

function containersOf(elements: readonly Json[]): readonly Entry[] {
  const entries: Entry[] = []
  for (const [index, element] of elements.entries()) {
    if (typeof element === 'object' && element !== null) entries.push([index, element])
  }
  return entries
}

function* indexesByIdentity(
  entries: readonly Entry[],
  field: string,
): Steps<ReadonlyMap<string, readonly number[]>> {
  const indexes = new Map<string, number[]>()
  for (const [place, [index, element]] of entries.entries()) {
    if (place % pieceSize === pieceSize - 1) yield
    const text = identityOf(element, field)
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
