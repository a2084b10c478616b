import { useEffect, useState } from 'preact/hooks'
import {
  isVocabulary,
  vocabularyKeyword,
  type Term,
  type VocabularyName,
} from '../../../../core/contract/vocabularies.ts'
import { language, languageName, translatedTerm } from '../../text/text.ts'
import { ApiProblem, callJson } from '../api/http.ts'
import { readPage } from '../api/page.ts'

/** The vocabulary that a field of a schema takes its values from; undefined where it names none. */
export function vocabularyOf(schema: object): VocabularyName | undefined {
  const name: unknown = (schema as Readonly<Record<string, unknown>>)[vocabularyKeyword]
  return typeof name === 'string' && isVocabulary(name) ? name : undefined
}

/** Vocabularies whose terms are all there is: they are chosen from a list. */
const closed: ReadonlySet<VocabularyName> = new Set(['resource-types', 'relations', 'roles'])

export function isClosed(vocabulary: VocabularyName): boolean {
  return closed.has(vocabulary)
}

/** The name of a term in the language of the page, where it has one. */
export function termTitle(vocabulary: VocabularyName, { id, title }: Term): string {
  if (vocabulary === 'languages' && language() !== 'en') return languageName(id)
  return translatedTerm(title)
}

interface Found {
  readonly hits: { readonly hits: readonly Term[] }
}

function addressOf(vocabulary: VocabularyName): string {
  return readPage().routes.vocabulary.replace('{name}', vocabulary)
}

/** Terms that are offered for what somebody types. */
const offered = 8

/** @throws {ApiProblem} @throws {Unreachable} */
export async function findTerms(
  vocabulary: VocabularyName,
  typed: string,
  signal: AbortSignal,
): Promise<readonly Term[]> {
  const query = new URLSearchParams({ q: typed, size: String(offered) })
  const found = await callJson<Found>(`${addressOf(vocabulary)}?${query.toString()}`, { signal })
  return found.hits.hits
}

/** More than any closed vocabulary has. */
const all = 200

const lists = new Map<VocabularyName, Promise<readonly Term[]>>()

/** All terms of a closed vocabulary; empty until they are there. */
export function useTerms(vocabulary: VocabularyName | undefined): readonly Term[] {
  const [terms, setTerms] = useState<readonly Term[]>([])
  useEffect(() => {
    if (vocabulary === undefined || !isClosed(vocabulary)) return
    const asked =
      lists.get(vocabulary) ??
      callJson<Found>(`${addressOf(vocabulary)}?size=${all}`).then(({ hits }) => hits.hits)
    lists.set(vocabulary, asked)
    // Without their names, the codes are shown.
    asked.then(setTerms, () => lists.delete(vocabulary))
  }, [vocabulary])
  return terms
}

const names = new Map<string, Promise<Term | null | undefined>>()

/** The term that a value stands for; undefined while it is looked up, and null where there is none. */
export function useTerm(vocabulary: VocabularyName, id: string): Term | null | undefined {
  const [term, setTerm] = useState<Term | null | undefined>(undefined)
  useEffect(() => {
    setTerm(undefined)
    if (id === '' || isClosed(vocabulary)) return
    const address = `${addressOf(vocabulary)}/${id.split('/').map(encodeURIComponent).join('/')}`
    const asked = names.get(address) ?? callJson<Term>(address).catch(nullIfNone)
    names.set(address, asked)
    let isWanted = true
    void asked.then((found) => {
      if (isWanted) setTerm(found)
    })
    return () => {
      isWanted = false
    }
  }, [vocabulary, id])
  return term
}

function nullIfNone(error: unknown): null | undefined {
  return error instanceof ApiProblem && error.status === 404 ? null : undefined
}
