import type { IndexedDocument } from '../../../ports/search-index.ts'
import { wordsOf } from '../../../search/analyze.ts'
import {
  termsOf,
  type DocumentTerms,
  type FieldValue,
  type Run,
} from '../../../search/document-terms.ts'
import { gapToken } from '../../../search/field-tokens.ts'
import { isSuperseded } from '../../../search/indexed-document.ts'

/** Numbers and dates of a document: as many of each, in one text with spaces between. */
interface FieldValues {
  readonly fields: string
  readonly kinds: string
  readonly values: string
}

/** A document as it is stored for searches on PostgreSQL. */
export interface SearchRow {
  readonly id: string
  /** `superseded` of a record that a later version has superseded. */
  readonly status: string
  readonly owners: readonly string[]
  readonly schemaPath: string | null
  readonly created: string
  readonly updated: string
  /** Text of a `tsvector`; null where it would be larger than those can be. */
  readonly terms: string | null
  /** All tokens in their order with a space around each, where `terms` cannot say where they stand. */
  readonly runs: string | null
  readonly values: FieldValues
  /** Each once: the words among which near words are searched. */
  readonly words: readonly string[]
}

/** Limits of a `tsvector`: the highest position, how many a token can have, and bytes of all. */
const limits = { position: 16_383, places: 255, bytes: 1_000_000 } as const

/**
 * @param document whose `$schema` is the path in the registry: addresses change, and the daemons on
 *   one database may have several. It is kept by itself, and no words are made of it. Nor are any of
 *   the time when a deposit was changed: see `time-of-change.ts`.
 */
export function toSearchRow(document: IndexedDocument): SearchRow {
  const { $schema: schema, ...rest } = document.document
  const { id, kind, status, owners, created, updated } = document
  const terms = termsOf(
    { ...document, document: rest },
    kind === 'deposit' ? ['created'] : undefined,
  )
  return {
    id,
    status: isSuperseded(document) ? 'superseded' : status,
    owners,
    created,
    updated,
    schemaPath: typeof schema === 'string' ? schema : null,
    ...toVector(terms),
    values: pack(uniqueValues(terms.values)),
    words: [...new Set([...terms.words, ...wordsOf(updated)])],
  }
}

function toVector(terms: DocumentTerms): Pick<SearchRow, 'terms' | 'runs'> {
  const placed = place(terms)
  if (placed.isWhole) return { terms: toText(placed.places, true), runs: null }
  const all = [...terms.title, ...terms.text, ...terms.fields, terms.marks.flatMap(apart)]
  const runs = all.map((run) => ` ${run.join(' ')} `).join(gapToken)
  return { terms: toText(placed.places, false), runs }
}

function apart(mark: string): readonly string[] {
  return [mark, gapToken]
}

interface Placed {
  readonly places: ReadonlyMap<string, string>
  /** False where some token stands where a `tsvector` cannot say. */
  readonly isWhole: boolean
}

/** Gives each token its places; between two values one is left out, so that no phrase goes across. */
function place({ title, text, fields, marks }: DocumentTerms): Placed {
  const places = new Map<string, string>()
  let at = 0
  const add = (runs: readonly Run[], weight: string): void => {
    for (const run of runs) {
      at += 1
      for (const token of run) {
        at += 1
        const known = places.get(token)
        places.set(token, known === undefined ? `${at}${weight}` : `${known},${at}${weight}`)
      }
    }
  }
  add(title, 'A')
  add([...text, ...fields, marks], '')
  const isFew = (of: string): boolean => of.split(',').length <= limits.places
  const areFew = at <= limits.places || places.values().every(isFew)
  return { places, isWhole: at <= limits.position && areFew }
}

function toText(places: Placed['places'], withPlaces: boolean): string | null {
  let text = ''
  for (const [token, at] of places) text += withPlaces ? `'${token}':${at} ` : `'${token}' `
  // A character has three bytes at most.
  if (text.length * 3 <= limits.bytes) return text
  const bytes = [...places.keys()].reduce((sum, token) => sum + Buffer.byteLength(token), 0)
  return bytes > limits.bytes ? null : text
}

function uniqueValues(values: readonly FieldValue[]): readonly FieldValue[] {
  const byText = new Map(values.map((value) => [JSON.stringify(value), value]))
  return [...byText.values()]
}

function pack(values: readonly FieldValue[]): FieldValues {
  return {
    fields: values.map(({ field }) => field).join(' '),
    kinds: values.map(({ kind }) => kind).join(' '),
    values: values.map(({ value }) => value).join(' '),
  }
}
