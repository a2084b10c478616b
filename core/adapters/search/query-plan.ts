import type { Bound, ExistsQuery, FieldPath, RangeQuery } from '../../search/ast.ts'
import type { Condition, WordsCondition } from '../../search/conditions.ts'
import { fieldNumber } from '../../search/field-tokens.ts'
import type { SearchRequest } from '../../search/request.ts'

/** A condition of SQL, with the values of its parameters in the order of their `?`. */
export interface Clause {
  readonly sql: string
  readonly values: readonly (string | number | null | readonly string[])[]
}

/**
 * How a condition is answered: by a query of the engine's full text search, by SQL, or by both where
 * both must hold. Where there is neither, everything is wanted.
 */
export interface Plan<Match> {
  readonly match?: Match
  readonly where?: Clause
}

/** The query language of an engine's full text search. */
export interface MatchLanguage<Match> {
  readonly words: (condition: WordsCondition) => Plan<Match>
  readonly exists: (condition: ExistsQuery) => Plan<Match>
  readonly all: (matches: readonly [Match, ...Match[]]) => Match
  readonly any: (matches: readonly [Match, ...Match[]]) => Match
  readonly without: (wanted: Match, unwanted: Match) => Match
  readonly toClause: (match: Match) => Clause
  /** Documents with a value in the range. */
  readonly withValue: (range: ValueRange) => Clause
}

/** Where a value of a field, as a number or as a date, has to be. */
export interface ValueRange {
  readonly field: FieldPath
  readonly kind: 'number' | 'date'
  readonly ends: readonly End[]
}

/** A plan that finds nothing. */
export const nothing = { where: { sql: 'false', values: [] } } as const satisfies Plan<never>

/** A plan that finds exactly the documents for which `condition` holds. */
export function toPlan<Match>(condition: Condition, language: MatchLanguage<Match>): Plan<Match> {
  switch (condition.type) {
    case 'all':
      return {}
    case 'none':
      return nothing
    case 'words':
      return language.words(condition)
    case 'exists':
      return language.exists(condition)
    case 'range':
      return { where: ofRange(condition, language) }
    case 'or':
      return anyOf(
        condition.conditions.map((inner) => toPlan(inner, language)),
        language,
      )
    case 'and':
      return allOf(condition.conditions, language)
    case 'not':
      return { where: not(toClause(toPlan(condition.condition, language), language)) }
  }
}

export function joined(clauses: readonly Clause[], by: ' AND ' | ' OR '): Clause {
  return {
    sql: clauses.map(({ sql }) => `(${sql})`).join(by),
    values: clauses.flatMap(({ values }) => values),
  }
}

export function not({ sql, values }: Clause): Clause {
  return { sql: `NOT (${sql})`, values }
}

/** Matches are joined into one query of the engine, which then walks over its lists once. */
function allOf<Match>(
  conditions: readonly Condition[],
  language: MatchLanguage<Match>,
): Plan<Match> {
  const wanted = conditions.filter((condition) => condition.type !== 'not')
  const unwanted = conditions.filter((condition) => condition.type === 'not')
  const plans = wanted.map((condition) => toPlan(condition, language))
  const against = unwanted.map(({ condition }) => toPlan(condition, language))
  const positive = combined(matchesOf(plans), language.all)
  const isTaken = (plan: Plan<Match>): boolean => positive !== undefined && isMatch(plan)
  const negative = combined(matchesOf(against.filter(isTaken)), language.any)
  const clauses = [
    ...plans.flatMap(({ where }) => where ?? []),
    ...against.filter((plan) => !isTaken(plan)).map((plan) => not(toClause(plan, language))),
  ]
  return {
    ...(positive !== undefined && {
      match: negative === undefined ? positive : language.without(positive, negative),
    }),
    ...(clauses.length > 0 && { where: joined(clauses, ' AND ') }),
  }
}

function anyOf<Match>(plans: readonly Plan<Match>[], language: MatchLanguage<Match>): Plan<Match> {
  const match = combined(matchesOf(plans.filter(isMatch)), language.any)
  const others = plans.filter((plan) => !isMatch(plan)).map((plan) => toClause(plan, language))
  if (match !== undefined && others.length === 0) return { match }
  const found = match === undefined ? [] : [language.toClause(match)]
  return { where: joined([...found, ...others], ' OR ') }
}

function matchesOf<Match>(plans: readonly Plan<Match>[]): readonly Match[] {
  return plans.flatMap(({ match }) => (match === undefined ? [] : [match]))
}

/** One match is itself; undefined where there is none. */
function combined<Match>(
  [first, ...rest]: readonly Match[],
  combine: (matches: readonly [Match, ...Match[]]) => Match,
): Match | undefined {
  return first !== undefined && rest.length > 0 ? combine([first, ...rest]) : first
}

function isMatch<Match>({ match, where }: Plan<Match>): boolean {
  return match !== undefined && !where
}

/** The whole plan as SQL. */
function toClause<Match>(plan: Plan<Match>, language: MatchLanguage<Match>): Clause {
  const { match, where } = plan
  const found = match === undefined ? [] : [language.toClause(match)]
  const clauses = [...found, ...(where ? [where] : [])]
  return clauses.length > 0 ? joined(clauses, ' AND ') : { sql: 'true', values: [] }
}

/** Both ends bound the same value, as a number or as a date. */
function ofRange<Match>({ field, from, to }: RangeQuery, language: MatchLanguage<Match>): Clause {
  const bounds = [...(from ? [from] : []), ...(to ? [to] : [])]
  const inField = (kind: ValueRange['kind'], ends: readonly End[]): Clause =>
    language.withValue({ field, kind, ends })
  const numbers = bounds.every((bound) => bound.number !== undefined)
  const dates = bounds.every((bound) => bound.date !== undefined)
  const clauses = [
    ...(numbers ? [inField('number', numberEnds(from, to))] : []),
    ...(dates ? [inField('date', dateEnds(from, to))] : []),
  ]
  return clauses.length > 0 ? joined(clauses, ' OR ') : nothing.where
}

interface End {
  readonly operator: '>' | '>=' | '<' | '<='
  /** Undefined where nothing bounds the value. */
  readonly value: number | undefined
}

function numberEnds(from: Bound | undefined, to: Bound | undefined): readonly End[] {
  return [
    { operator: from?.inclusive ? '>=' : '>', value: from?.number },
    { operator: to?.inclusive ? '<=' : '<', value: to?.number },
  ]
}

/** A date is where it begins, and a bound is as long as it is written: `match.ts`. */
function dateEnds(from: Bound | undefined, to: Bound | undefined): readonly End[] {
  return [
    { operator: '>=', value: from?.inclusive ? from.date?.start : from?.date?.end },
    { operator: '<', value: to?.inclusive ? to.date?.end : to?.date?.start },
  ]
}

/** A range as a condition on columns `field`, `kind` and `value`. */
export function ofValue({ field, kind, ends }: ValueRange): Clause {
  const used = ends.flatMap(({ operator, value }) =>
    value === undefined ? [] : [{ sql: ` AND value ${operator} ?`, value }],
  )
  return {
    sql: `field = ? AND kind = ?${used.map(({ sql }) => sql).join('')}`,
    values: [fieldNumber(field), kind, ...used.map(({ value }) => value)],
  }
}

/**
 * True where `columns` (by the path of a field) and the status answer all that a request sorts,
 * counts and filters by: then no document has to be read.
 */
export function isAtHand(
  { sort, facets, filters }: SearchRequest,
  columns: ReadonlyMap<string, string>,
): boolean {
  const isStatus = ({ field }: { readonly field: readonly string[] }): boolean =>
    field.join('.') === '_deposit.status'
  return (
    sort.every(({ by }) => by === 'score' || columns.has(by.join('.'))) &&
    facets.every(isStatus) &&
    filters.every(isStatus)
  )
}
