import type { Term } from '../contract/vocabularies.ts'
import { foldText, wordsOf } from '../search/analyze.ts'

/** The words by which a term is found: of its id, its title and its aliases. */
export function wordsOfTerm({ id, title, aliases = [] }: Term): readonly string[] {
  return [...new Set([id, title, ...aliases].flatMap(wordsOf))]
}

/** Folded words of a term that is searched often. */
const kept = new WeakMap<Term, readonly string[]>()

function keptWords(term: Term): readonly string[] {
  const known = kept.get(term) ?? wordsOfTerm(term)
  kept.set(term, known)
  return known
}

/**
 * The terms that have a word beginning with each word of `typed`, best first: those called just so,
 * then those whose name begins so, then the others; equal ones as they come.
 */
export function matchTerms(terms: readonly Term[], typed: string): readonly Term[] {
  const words = wordsOf(typed)
  if (words.length === 0) return terms
  const found = terms.filter((term) => {
    const own = keptWords(term)
    return words.every((word) => own.some((each) => each.startsWith(word)))
  })
  const text = foldText(typed.trim())
  const rank = (term: Term): number => {
    const [id, title, ...aliases] = [term.id, term.title, ...(term.aliases ?? [])].map(foldText)
    if (id === text || title === text) return 0
    if (aliases.includes(text)) return 1
    return title?.startsWith(text) || id?.startsWith(text) ? 2 : 3
  }
  const ranked = found.map((term) => ({ term, rank: rank(term) }))
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ term }) => term)
}
