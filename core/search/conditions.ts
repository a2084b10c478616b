import { wordsOf } from './analyze.ts'
import type { FieldPath, PhraseQuery, Query, RangeQuery, ExistsQuery, TermQuery } from './ast.ts'

/** A query in terms of words, as indexes answer it. */
export type Condition =
  | { readonly type: 'all' }
  | { readonly type: 'none' }
  | WordsCondition
  | RangeQuery
  | ExistsQuery
  | { readonly type: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly type: 'not'; readonly condition: Condition }

/** Words that follow each other inside one value; without a field, inside any. */
export interface WordsCondition {
  readonly type: 'words'
  readonly field?: FieldPath
  readonly words: readonly WantedWord[]
}

export interface WantedWord {
  readonly word: string
  /** The word, those that begin with it, or those at most so many edits away. */
  readonly match: 'exact' | 'prefix' | 1 | 2
}

/** Words up to this length may have one fault by a bare `~`, longer ones two. */
const shortWord = 5

/**
 * Takes the texts of a query apart into words. A text without any (`-`, `???`) is left out, as if
 * it had not been written; a query of nothing else matches nothing.
 */
export function toCondition(query: Query): Condition {
  return convert(query) ?? { type: 'none' }
}

function convert(query: Query): Condition | undefined {
  switch (query.type) {
    case 'all':
    case 'range':
    case 'exists':
      return query
    case 'term':
    case 'phrase':
      return toWords(query)
    case 'and':
    case 'or':
      return combine(query.type, query.clauses)
    case 'not': {
      const condition = convert(query.clause)
      return condition && { type: 'not', condition }
    }
  }
}

function toWords(query: TermQuery | PhraseQuery): WordsCondition | undefined {
  const texts = wordsOf(query.text)
  if (texts.length === 0) return undefined
  const words = texts.map((word, index): WantedWord => {
    const last = index === texts.length - 1
    return { word, match: query.type === 'phrase' ? 'exact' : matchOf(query, word, last) }
  })
  return { type: 'words', ...(query.field && { field: query.field }), words }
}

function matchOf({ ending }: TermQuery, word: string, last: boolean): WantedWord['match'] {
  if (ending === 'prefix') return last ? 'prefix' : 'exact'
  if (ending === 'auto') return word.length <= shortWord ? 1 : 2
  return ending
}

function combine(type: 'and' | 'or', clauses: readonly Query[]): Condition | undefined {
  const conditions = clauses.map(convert).filter((condition) => condition !== undefined)
  const [first] = conditions
  return first && conditions.length > 1 ? { type, conditions } : first
}
