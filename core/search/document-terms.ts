import { isJsonArray, type Json } from '../base/json.ts'
import { wordsOf } from './analyze.ts'
import { parseDateSpan } from './dates.ts'
import { leavesAt, plainLeaves, type Leaf, type IndexedDocument } from './indexed-document.ts'
import { existsToken, fieldToken, innerField, ownerToken } from './field-tokens.ts'

/** Words of one value in their order. */
export type Run = readonly string[]

/** All that an index on disk has to know of a document to answer any query. */
export interface DocumentTerms {
  /** Words that terms without a field are searched in. */
  readonly title: readonly Run[]
  readonly text: readonly Run[]
  /** The same and all the rest as field tokens: each value once for every field it is in. */
  readonly fields: readonly Run[]
  /** Which fields there are, and whose the document is. */
  readonly marks: readonly string[]
  readonly values: readonly FieldValue[]
  /** Those of all values, each once. */
  readonly words: ReadonlySet<string>
}

/** A number, or where the time that a date covers begins: milliseconds since 1970. */
export interface FieldValue {
  readonly field: number
  readonly kind: 'number' | 'date'
  readonly value: number
}

/** Times of a document that are fields of it. */
type Time = 'created' | 'updated'

const allTimes: readonly Time[] = ['created', 'updated']

/**
 * Takes a document apart as `match.ts` looks at it.
 *
 * @param times that are looked at
 */
export function termsOf(document: IndexedDocument, times = allTimes): DocumentTerms {
  const fields: Run[] = []
  const values: FieldValue[] = []
  const known = new Set<number>()
  const all = new Set<string>()
  for (const { field, words, value } of fieldTerms(document, times)) {
    known.add(field)
    for (const word of words) all.add(word)
    if (words.length > 0) fields.push(words.map((word) => fieldToken(field, word)))
    if (value) values.push({ field, ...value })
  }
  return {
    title: [...titleRuns(document)],
    text: [...textRuns(document)],
    fields,
    marks: marksOf(document, known),
    values,
    words: all,
  }
}

/** A value of a document in one of the fields that have it. */
export interface FieldTerm {
  readonly field: number
  readonly words: Run
  readonly value: Omit<FieldValue, 'field'> | undefined
}

/**
 * Words in fields from which on a value counts for its own field and the outermost one alone:
 * otherwise one document of a megabyte, nested as deep as it may be, has thirty million.
 */
const mostFieldWords = 100_000

/** Each value of a document, once for every field it is in. */
export function* fieldTerms(document: IndexedDocument, times = allTimes): Generator<FieldTerm> {
  let count = 0
  for (const { leaf, within } of placedLeaves(document, times)) {
    const words = wordsOf(String(leaf))
    const value = toValue(leaf)
    const fields = count < mostFieldWords ? within : outerAndOwn(within)
    for (const field of fields) yield { field, words, value }
    count += fields.length * Math.max(1, words.length)
  }
}

function outerAndOwn(within: readonly number[]): readonly number[] {
  return within.length > 2 ? [...within.slice(0, 1), ...within.slice(-1)] : within
}

/** Words that terms without a field are searched in, and in which a match counts most. */
export function titleRuns(document: IndexedDocument): Generator<Run> {
  return runsOf(leavesAt(document, ['title']))
}

/** Words that terms without a field are searched in, but for the title. */
export function textRuns(document: IndexedDocument): Generator<Run> {
  return runsOf(plainLeaves(document, 'title'))
}

/** Tokens that say whose the document is, and which fields it has. */
export function marksOf({ owners }: IndexedDocument, fields: Iterable<number>): readonly string[] {
  return [...[...fields].map(existsToken), ...owners.map(ownerToken)]
}

function* runsOf(leaves: Iterable<Leaf>): Generator<Run> {
  for (const leaf of leaves) {
    const words = wordsOf(String(leaf))
    if (words.length > 0) yield words
  }
}

function toValue(leaf: Leaf): Omit<FieldValue, 'field'> | undefined {
  if (typeof leaf === 'number') return { kind: 'number', value: leaf }
  const date = typeof leaf === 'string' ? parseDateSpan(leaf) : undefined
  return date && { kind: 'date', value: date.start }
}

interface PlacedLeaf {
  readonly leaf: Leaf
  /** Numbers of the leaf's own field and those around it. */
  readonly within: readonly number[]
}

function* placedLeaves(indexed: IndexedDocument, times: readonly Time[]): Generator<PlacedLeaf> {
  for (const time of times) {
    yield { leaf: indexed[time], within: [innerField(0, `_${time}`)] }
  }
  for (const [name, value] of Object.entries(indexed.document)) {
    const isTime = name === '_created' || name === '_updated'
    for (const placed of placedIn(value, [innerField(0, name)])) {
      // A user's field of that name is hidden behind the document's own time.
      yield isTime ? { ...placed, within: placed.within.slice(1) } : placed
    }
  }
}

function* placedIn(value: Json, within: readonly number[]): Generator<PlacedLeaf> {
  if (value === null) return
  if (typeof value !== 'object') yield { leaf: value, within }
  else if (isJsonArray(value)) {
    for (const inner of value) yield* placedIn(inner, within)
  } else {
    const outer = within.at(-1) ?? 0
    for (const [name, inner] of Object.entries(value)) {
      yield* placedIn(inner, [...within, innerField(outer, name)])
    }
  }
}
