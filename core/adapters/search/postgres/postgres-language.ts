import type { ExistsQuery } from '../../../search/ast.ts'
import type { WantedWord, WordsCondition } from '../../../search/conditions.ts'
import { existsToken, fieldNumber, fieldToken } from '../../../search/field-tokens.ts'
import {
  joined,
  not,
  nothing,
  ofValue,
  type Clause,
  type MatchLanguage,
  type Plan,
} from '../query-plan.ts'
import { inRun } from './run-clause.ts'
import { isTimeOfChange, timeHasWords, timeIsWithin } from './time-of-change.ts'

/** A query of the full text search, and what it is where a document is too long for it. */
export interface PostgresMatch {
  /** Text of a `tsquery`. */
  readonly query: string
  /** The same without places: true for every document for which the query is. */
  readonly loose: string | undefined
  /** The same on `runs`. */
  readonly long: Clause
}

/** Looked up before a query is planned. */
export interface Vocabulary {
  /** Words that are near enough to the one that is wanted. */
  readonly near: (wanted: WantedWord) => readonly string[]
  /** Paths of the schemas for whose addresses a condition on `$schema` holds. */
  readonly schemas: (condition: WordsCondition) => readonly string[]
}

/** The query language of PostgreSQL, over `table` and its values. */
export function postgresLanguage(
  table: string,
  vocabulary: Vocabulary,
): MatchLanguage<PostgresMatch> {
  return {
    words: (condition) => {
      if (isSchema(condition))
        return { where: { sql: 'schema_path = ANY (?)', values: [vocabulary.schemas(condition)] } }
      return isTimeOfChange(table, condition.field)
        ? planTime(condition, vocabulary)
        : planWords(condition, vocabulary)
    },
    exists: (condition) => {
      if (isSchema(condition)) return { where: { sql: 'schema_path IS NOT NULL', values: [] } }
      if (isTimeOfChange(table, condition.field)) return {}
      return { match: ofTokens([[existsToken(fieldNumber(condition.field))]], false) }
    },
    all: (matches) => ({
      query: `(${matches.map(({ query }) => query).join(' & ')})`,
      loose: matches.flatMap(({ loose }) => loose ?? []).join(' & ') || undefined,
      long: joined(
        matches.map(({ long }) => long),
        ' AND ',
      ),
    }),
    any: (matches) => ({
      query: `(${matches.map(({ query }) => query).join(' | ')})`,
      loose: matches.every(({ loose }) => loose !== undefined)
        ? `(${matches.map(({ loose }) => loose).join(' | ')})`
        : undefined,
      long: joined(
        matches.map(({ long }) => long),
        ' OR ',
      ),
    }),
    without: (wanted, unwanted) => ({
      query: `(${wanted.query} & !${unwanted.query})`,
      loose: wanted.loose,
      long: joined([wanted.long, not(unwanted.long)], ' AND '),
    }),
    toClause,
    withValue: (range) => {
      if (isTimeOfChange(table, range.field)) return timeIsWithin(range)
      const { sql, values } = ofValue(range)
      return { sql: `id IN (SELECT id FROM ${table}_values WHERE ${sql})`, values }
    },
  }
}

/** Documents that are too long for places have `runs`, and are few. */
function toClause({ query, loose, long }: PostgresMatch): Clause {
  const short: Clause = { sql: 'runs IS NULL AND terms @@ ?::tsquery', values: [query] }
  const candidates: Clause =
    loose === undefined
      ? { sql: 'runs IS NOT NULL', values: [] }
      : {
          sql: 'runs IS NOT NULL AND (terms IS NULL OR terms @@ ?::tsquery)',
          values: [loose],
        }
  return joined([short, joined([candidates, long], ' AND ')], ' OR ')
}

function isSchema({ field }: { readonly field?: ExistsQuery['field'] }): boolean {
  return field?.length === 1 && field[0] === '$schema'
}

function planWords(condition: WordsCondition, vocabulary: Vocabulary): Plan<PostgresMatch> {
  const { field } = condition
  const prefix = field ? fieldToken(fieldNumber(field), '') : ''
  const tokens = choices(condition, vocabulary).map((words) => words.map((word) => prefix + word))
  if (tokens.some(({ length }) => length === 0)) return nothing
  return { match: ofTokens(tokens, endsInPrefix(condition)) }
}

function planTime(condition: WordsCondition, vocabulary: Vocabulary): Plan<never> {
  const words = choices(condition, vocabulary)
  if (words.some(({ length }) => length === 0)) return nothing
  return { where: timeHasWords(words, endsInPrefix(condition)) }
}

/** The words that are wanted one after the other: at each place one of several. */
function choices({ words }: WordsCondition, { near }: Vocabulary): readonly (readonly string[])[] {
  return words.map((wanted) => (typeof wanted.match === 'number' ? near(wanted) : [wanted.word]))
}

function endsInPrefix({ words }: WordsCondition): boolean {
  return words.at(-1)?.match === 'prefix'
}

/** @param tokens that follow each other, at each place one of several */
function ofTokens(tokens: readonly (readonly string[])[], isPrefix: boolean): PostgresMatch {
  const last = tokens.length - 1
  const places = tokens.map((choice, index) => {
    const written = choice.map((token) => `'${token}'${isPrefix && index === last ? ':*' : ''}`)
    return written.length > 1 ? `(${written.join(' | ')})` : (written[0] ?? '')
  })
  return {
    query: `(${places.join(' <-> ')})`,
    loose: `(${places.join(' & ')})`,
    long: inRun('runs', tokens, isPrefix),
  }
}
