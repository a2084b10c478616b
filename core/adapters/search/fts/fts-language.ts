import type Sqlite from 'better-sqlite3'
import type { IndexedDocument } from '../../../ports/search-index.ts'
import type { WantedWord, WordsCondition } from '../../../search/conditions.ts'
import { isWithinEdits } from '../../../search/word-pieces.ts'
import { existsToken, fieldNumber, fieldToken } from '../../../search/field-tokens.ts'
import { holds } from '../../../search/match.ts'
import { nothing, ofValue, type MatchLanguage, type Plan } from '../query-plan.ts'

/** The query language of FTS5, over `sqlite`, an index of `open-fts.ts`. */
export function ftsLanguage(sqlite: Sqlite.Database): MatchLanguage<string> {
  const terms = sqlite.prepare('SELECT term FROM vocabulary WHERE term >= ? AND term < ?').pluck()
  const bodies = sqlite
    .prepare(
      'SELECT n, document FROM bodies WHERE n IN (SELECT rowid FROM words WHERE words MATCH ?)',
    )
    .raw()

  /** FTS5 knows no edits: the words that are near enough are looked up. Undefined without any. */
  function nearMatch({ word, match }: WantedWord, prefix: string): string | undefined {
    if (typeof match !== 'number') return phrase([prefix + word])
    const near: string[] = []
    for (const range of rangesOf(prefix)) {
      for (const term of terms.iterate(...range) as Iterable<string>) {
        if (isWithinEdits(term.slice(prefix.length), word, match)) near.push(term)
      }
    }
    return near.length > 0 ? `(${near.map((term) => phrase([term])).join(' OR ')})` : undefined
  }

  /** Words that may differ and follow each other: documents with all of them are looked at. */
  function planNearPhrase(condition: WordsCondition, matches: readonly string[]): Plan<string> {
    const found: number[] = []
    for (const row of bodies.iterate(matches.join(' AND '))) {
      const [n, document] = row as [number, string]
      if (holds(condition, JSON.parse(document) as IndexedDocument)) found.push(n)
    }
    const sql = 'facts.n IN (SELECT value FROM json_each(?))'
    return { where: { sql, values: [JSON.stringify(found)] } }
  }

  function planNear(condition: WordsCondition, prefix: string): Plan<string> {
    const matches = condition.words.flatMap((word) => nearMatch(word, prefix) ?? [])
    if (matches.length < condition.words.length) return nothing
    const [match] = matches
    return matches.length === 1 && match ? { match } : planNearPhrase(condition, matches)
  }

  return {
    words: (condition) => {
      const { field, words } = condition
      const prefix = field ? fieldToken(fieldNumber(field), '') : ''
      if (words.some(({ match }) => typeof match === 'number')) return planNear(condition, prefix)
      const tokens = words.map(({ word }) => prefix + word)
      return { match: phrase(tokens, words.at(-1)?.match === 'prefix') }
    },
    exists: ({ field }) => ({ match: phrase([existsToken(fieldNumber(field))]) }),
    all: (matches) => `(${matches.join(' AND ')})`,
    any: (matches) => `(${matches.join(' OR ')})`,
    without: (wanted, unwanted) => `(${wanted} NOT ${unwanted})`,
    toClause: (match) => ({
      sql: 'facts.n IN (SELECT rowid FROM words WHERE words MATCH ?)',
      values: [match],
    }),
    withValue: (range) => {
      const { sql, values } = ofValue(range)
      return { sql: `facts.n IN (SELECT n FROM field_values WHERE ${sql})`, values }
    },
  }
}

/** Tokens that follow each other; the last one may be the beginning of a word. */
export function phrase(tokens: readonly string[], isPrefix = false): string {
  return `"${tokens.join(' ')}"${isPrefix ? ' *' : ''}`
}

/** The range of the words of a field in the vocabulary; words without a field are around all ranges. */
function rangesOf(prefix: string): readonly (readonly [from: string, to: string])[] {
  const end = '\u{10ffff}'
  if (prefix !== '') return [[prefix, prefix + end]]
  return [
    ['', '\ue000'],
    ['\uf900', end],
  ]
}
