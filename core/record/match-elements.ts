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
  pairs.match(canonicalJson, { repeated: true })
  for (const field of identities) pairs.match((element) => identityOf(element, field))
  if (byPosition && left.length === right.length) pairs.matchPositions()
  return pairs.found
}

/** The elements not yet paired, and the pairs found so far. */
class Pairs {
  readonly found = new Map<number, number>()
  readonly #left: Map<number, Json>
  readonly #right: Map<number, Json>

  constructor(left: readonly Json[], right: readonly Json[]) {
    this.#left = new Map(left.entries())
    this.#right = new Map(right.entries())
  }

  /** Pairs by `key`; where several share one, in their order or, unless `repeated`, not at all. */
  match(key: (element: Json) => string | undefined, { repeated = false } = {}): void {
    const left = indexesByKey(this.#left, key)
    for (const [text, rights] of indexesByKey(this.#right, key)) {
      const lefts = left.get(text) ?? []
      if (!repeated && (lefts.length > 1 || rights.length > 1)) continue
      for (const [place, index] of rights.entries()) this.#pair(lefts[place], index)
    }
  }

  matchPositions(): void {
    for (const [index, element] of this.#right) {
      const other = this.#left.get(index)
      if (other !== undefined && areAnonymous(element, other)) this.#pair(index, index)
    }
  }

  #pair(left: number | undefined, right: number): void {
    if (left === undefined) return
    this.found.set(right, left)
    this.#left.delete(left)
    this.#right.delete(right)
  }
}

function indexesByKey(
  elements: ReadonlyMap<number, Json>,
  key: (element: Json) => string | undefined,
): ReadonlyMap<string, readonly number[]> {
  const indexes = new Map<string, number[]>()
  for (const [index, element] of elements) {
    const text = key(element)
    if (text === undefined) continue
    const others = indexes.get(text)
    if (others) others.push(index)
    else indexes.set(text, [index])
  }
  return indexes
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
