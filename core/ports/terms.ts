import type { Term, VocabularyName } from '../contract/vocabularies.ts'

/** The terms that operators have loaded. */
export interface TermReader {
  readonly find: (vocabulary: VocabularyName, id: string) => Promise<Term | undefined>
  /** Those that have words beginning with each of `words`, in no order; without words, by title. */
  readonly matching: (
    vocabulary: VocabularyName,
    words: readonly string[],
  ) => Promise<readonly Term[]>
  readonly count: (vocabulary: VocabularyName) => Promise<number>
  /** What was loaded, and when. */
  readonly loads: () => Promise<readonly VocabularyLoad[]>
}

/** All terms of a vocabulary that were loaded together. */
export interface VocabularyLoad {
  readonly vocabulary: VocabularyName
  readonly terms: number
  /** Name of the file. */
  readonly source: string
  /** ISO 8601, UTC. */
  readonly loaded: string
}

/** Most terms that {@link TermReader.matching} answers. */
export const mostMatching = 2000

export interface TermWriter extends TermReader {
  /** Begins a load, which is seen once it is finished; answers its number. */
  readonly begin: (vocabulary: VocabularyName) => Promise<number>
  /** Adds terms to a load; one whose id is there already replaces it. */
  readonly add: (vocabulary: VocabularyName, load: number, terms: readonly Term[]) => Promise<void>
  /** Lets a load take the place of the one before. */
  readonly finish: (load: number, made: VocabularyLoad) => Promise<void>
  /** Removes some terms of loads that are not in use; answers whether there may be more. */
  readonly sweep: (vocabulary: VocabularyName, inUse?: number) => Promise<boolean>
  /** Takes all loaded terms of a vocabulary out of use. */
  readonly clear: (vocabulary: VocabularyName) => Promise<void>
}
