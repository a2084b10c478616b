import MiniSearch from 'minisearch'
import type { Query, QueryCombination } from 'minisearch'
import type { FieldPath } from '../../../search/ast.ts'
import type { Condition, WantedWord, WordsCondition } from '../../../search/conditions.ts'
import { isServiceField } from '../../../search/indexed-document.ts'

/** The parts of a document that MiniSearch keeps apart. */
export const indexedFields = ['title', 'text', 'service'] as const
export type IndexedField = (typeof indexedFields)[number]

/** A query of MiniSearch for a condition. */
export interface Candidates {
  /** Finds at least every document for which the condition holds. */
  readonly query: Query
  /** The query finds those alone; otherwise each has to be looked at. */
  readonly exact: boolean
}

const everything: Query = MiniSearch.wildcard
const nothing: Query = { combineWith: 'OR', queries: [] }

export function toCandidates(condition: Condition): Candidates {
  switch (condition.type) {
    case 'all':
      return { query: everything, exact: true }
    case 'none':
      return { query: nothing, exact: true }
    case 'range':
    case 'exists':
      return { query: everything, exact: false }
    case 'words':
      return ofWords(condition)
    case 'or':
      return combine('OR', condition.conditions.map(toCandidates))
    case 'and':
      return ofAnd(condition.conditions)
    case 'not':
      return ofAnd([condition])
  }
}

/** MiniSearch knows which words a part has, neither where they stand nor in which field. */
function ofWords({ field, words }: WordsCondition): Candidates {
  const fields = fieldsOf(field)
  const queries = words.map((word) => ofWord(word, fields))
  const wholePart = field === undefined || (field.length === 1 && field[0] === 'title')
  return { query: { combineWith: 'AND', queries }, exact: wholePart && words.length === 1 }
}

function ofWord({ word, match }: WantedWord, fields: IndexedField[]): QueryCombination {
  const fuzzy = typeof match === 'number' && match
  return { combineWith: 'OR', queries: [word], fields, prefix: match === 'prefix', fuzzy }
}

function fieldsOf(field: FieldPath | undefined): IndexedField[] {
  if (field === undefined) return ['title', 'text']
  if (field[0] === 'title') return ['title']
  return [isServiceField(field[0] ?? '') ? 'service' : 'text']
}

/**
 * Unwanted documents can only be excluded where the query is exact. A clause that finds
 * everything adds nothing to the others.
 */
function ofAnd(conditions: readonly Condition[]): Candidates {
  const wanted = conditions.filter((condition) => condition.type !== 'not').map(toCandidates)
  const unwanted = conditions
    .filter((condition) => condition.type === 'not')
    .map(({ condition }) => toCandidates(condition))
  const positive = combine(
    'AND',
    wanted.filter(({ query }) => query !== everything),
  )
  const known = unwanted.filter(({ exact }) => exact).map(({ query }) => query)
  return {
    query: known.length
      ? { combineWith: 'AND_NOT', queries: [positive.query, ...known] }
      : positive.query,
    exact: [...wanted, ...unwanted].every(({ exact }) => exact),
  }
}

function combine(combineWith: 'AND' | 'OR', parts: readonly Candidates[]): Candidates {
  const [first] = parts
  if (!first) return { query: everything, exact: true }
  if (parts.length === 1) return first
  const queries = parts.map(({ query }) => query)
  return { query: { combineWith, queries }, exact: parts.every(({ exact }) => exact) }
}
