import { wordsOf } from './analyze.ts'
import type { Bound, Query, RangeQuery } from './ast.ts'
import { toCondition, type Condition, type WantedWord, type WordsCondition } from './conditions.ts'
import { parseDateSpan, type DateSpan } from './dates.ts'
import { isWithinEdits } from './word-pieces.ts'
import { leavesAt, plainLeaves, type Leaf, type IndexedDocument } from './indexed-document.ts'

/** The meaning of a query: every index finds exactly the documents for which this is true. */
export function matches(query: Query, document: IndexedDocument): boolean {
  return holds(toCondition(query), document)
}

export function holds(condition: Condition, document: IndexedDocument): boolean {
  switch (condition.type) {
    case 'all':
      return true
    case 'none':
      return false
    case 'words':
      return hasWords(condition, document)
    case 'range':
      return [...leavesAt(document, condition.field)].some((leaf) => isInRange(leaf, condition))
    case 'exists':
      return !leavesAt(document, condition.field).next().done
    case 'and':
      return condition.conditions.every((inner) => holds(inner, document))
    case 'or':
      return condition.conditions.some((inner) => holds(inner, document))
    case 'not':
      return !holds(condition.condition, document)
  }
}

function hasWords({ field, words }: WordsCondition, document: IndexedDocument): boolean {
  const leaves = field ? leavesAt(document, field) : plainLeaves(document)
  return [...leaves].some((leaf) => hasWordsIn(String(leaf), words))
}

/** True where the text has the words, one after the other. */
export function hasWordsIn(text: string, words: readonly WantedWord[]): boolean {
  return follow(wordsOf(text), words)
}

function follow(words: readonly string[], wanted: readonly WantedWord[]): boolean {
  const last = words.length - wanted.length
  for (let start = 0; start <= last; start += 1) {
    if (wanted.every((want, index) => isWanted(words[start + index] ?? '', want))) return true
  }
  return false
}

function isWanted(word: string, { word: wanted, match }: WantedWord): boolean {
  if (match === 'exact') return word === wanted
  if (match === 'prefix') return word.startsWith(wanted)
  return isWithinEdits(word, wanted, match)
}

/** A number is compared with numbers, a date in a text with dates; anything else is in no range. */
function isInRange(leaf: Leaf, { from, to }: RangeQuery): boolean {
  const date = typeof leaf === 'string' ? parseDateSpan(leaf) : undefined
  return (!from || isAbove(leaf, date, from)) && (!to || isBelow(leaf, date, to))
}

/** A date begins where it begins: 2020 is after 2019-12, and not after 2020-01. */
function isAbove(leaf: Leaf, date: DateSpan | undefined, bound: Bound): boolean {
  if (date && bound.date) return date.start >= (bound.inclusive ? bound.date.start : bound.date.end)
  if (typeof leaf !== 'number' || bound.number === undefined) return false
  return bound.inclusive ? leaf >= bound.number : leaf > bound.number
}

function isBelow(leaf: Leaf, date: DateSpan | undefined, bound: Bound): boolean {
  if (date && bound.date) return date.start < (bound.inclusive ? bound.date.end : bound.date.start)
  if (typeof leaf !== 'number' || bound.number === undefined) return false
  return bound.inclusive ? leaf <= bound.number : leaf < bound.number
}
