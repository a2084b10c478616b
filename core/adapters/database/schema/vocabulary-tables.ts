/** Which load of a vocabulary is used. */
export interface VocabularyLoadRow {
  readonly vocabulary: string
  readonly load: number
  readonly terms: number
  readonly source: string
  readonly loaded: string
}

/** A term of a load; `body` is JSON. */
export interface TermRow {
  readonly vocabulary: string
  readonly load: number
  readonly id: string
  readonly title: string
  readonly body: string
}

/** A word that a term is found by. */
export interface TermWordRow {
  readonly vocabulary: string
  readonly load: number
  readonly word: string
  readonly id: string
}
