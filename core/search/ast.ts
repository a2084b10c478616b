import type { DateSpan } from './dates.ts'

/** Names from the top of the document down: `creators.name` is `['creators', 'name']`. */
export type FieldPath = readonly string[]

/** A search query as it was written, before its text is taken apart into words. */
export type Query =
  | AllQuery
  | TermQuery
  | PhraseQuery
  | RangeQuery
  | ExistsQuery
  | AndQuery
  | OrQuery
  | NotQuery

/** `*` and `*:*`. */
export interface AllQuery {
  readonly type: 'all'
}

/** One word, or what counts as one: a DOI, a URL, an ORCID. Without a field, the whole document. */
export interface TermQuery {
  readonly type: 'term'
  readonly field?: FieldPath
  readonly text: string
  readonly ending: TermEnding
}

/**
 * How much a word may differ: not at all, by what follows it (`data*`), or by that many edits
 * (`~1`, `~2`; a bare `~` chooses by the word's length).
 */
export type TermEnding = 'exact' | 'prefix' | Fuzziness

export type Fuzziness = 'auto' | 1 | 2

/** Words that follow each other. */
export interface PhraseQuery {
  readonly type: 'phrase'
  readonly field?: FieldPath
  readonly text: string
}

/** `[a TO b]`, `>a` and the like; an end that is absent is open. */
export interface RangeQuery {
  readonly type: 'range'
  readonly field: FieldPath
  readonly from?: Bound
  readonly to?: Bound
}

/** One end of a range. `2020` can be a number and a year: it is compared with values of its kind. */
export interface Bound {
  readonly text: string
  readonly inclusive: boolean
  readonly number?: number
  readonly date?: DateSpan
}

/** `_exists_:field` and `field:*`. */
export interface ExistsQuery {
  readonly type: 'exists'
  readonly field: FieldPath
}

export interface AndQuery {
  readonly type: 'and'
  readonly clauses: readonly Query[]
}

export interface OrQuery {
  readonly type: 'or'
  readonly clauses: readonly Query[]
}

export interface NotQuery {
  readonly type: 'not'
  readonly clause: Query
}
