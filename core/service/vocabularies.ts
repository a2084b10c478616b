import { vocabularyNames, type Term, type VocabularyName } from '../contract/vocabularies.ts'
import type { TermReader } from '../ports/terms.ts'
import { wordsOf } from '../search/analyze.ts'
import { matchTerms } from '../vocabularies/match-terms.ts'
import { shippedTerms } from '../vocabularies/shipped-terms.ts'

interface Rows {
  readonly terms: TermReader
}

/**
 * The terms of a vocabulary that are found by what somebody has typed, best first: those of the
 * package, and those an operator has loaded. A loaded one replaces its namesake.
 *
 * @returns of loaded terms {@link mostMatching} at most
 */
export async function findTerms(
  { terms }: Rows,
  vocabulary: VocabularyName,
  typed: string,
): Promise<readonly Term[]> {
  const loaded = await terms.matching(vocabulary, wordsOf(typed))
  const own = new Set(loaded.map(({ id }) => id))
  const shipped = (await shippedTerms(vocabulary)).filter(({ id }) => !own.has(id))
  const shortest = loaded.toSorted((a, b) => a.title.length - b.title.length)
  return matchTerms([...shipped, ...shortest], typed)
}

/** The term with an id; its case does not count. */
export async function findTerm(
  { terms }: Rows,
  vocabulary: VocabularyName,
  id: string,
): Promise<Term | undefined> {
  const loaded = await terms.find(vocabulary, id)
  if (loaded) return loaded
  const shipped = await shippedTerms(vocabulary)
  return shipped.find((term) => term.id.toLowerCase() === id.toLowerCase())
}

/** How many terms each vocabulary has: those of the package and those loaded. */
export async function countTerms({ terms }: Rows): Promise<ReadonlyMap<VocabularyName, number>> {
  const counts = new Map<VocabularyName, number>()
  for (const name of vocabularyNames) {
    const shipped = await shippedTerms(name)
    counts.set(name, shipped.length + (await terms.count(name)))
  }
  return counts
}
