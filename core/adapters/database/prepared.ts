import { CompiledQuery, type Compilable, type DatabaseConnection, type Kysely } from 'kysely'
import type { Tables } from './schema/tables.ts'

/** Values up to which a query with a list of them is kept: as many as the longest row has, and more. */
const mostKept = 30

/** A query that is run often with other values. */
interface Prepared {
  readonly isPrepared: true
  /** Nobody asks what it changed: a unit may go on without its answer, and fails with it. */
  readonly isBlind?: boolean
  /** The column that is compared with its one value: others may ask for other values meanwhile. */
  readonly gatheredBy?: string | undefined
  /** Set where one index alone has that column: it is the best way for any number of values. */
  readonly hasOneWay?: boolean
  /** A blind change of a row that many units change: the others wait from then on. */
  readonly isLast?: boolean
  /** It changes one row where the unit has locked that row: such a unit need not wait for the answer. */
  readonly isSure?: boolean
}

/** Whether a server had better keep the plan of a query. */
export function isPrepared(query: object): boolean {
  return 'isPrepared' in query && query.isPrepared === true
}

/** Whether nobody asks what a change has changed. */
export function isBlind(query: object): boolean {
  return 'isBlind' in query && query.isBlind === true
}

/** Whether a change that is not of one row fails a unit that is to have locked the row. */
export function isSure(query: object): boolean {
  return 'isSure' in query && query.isSure === true
}

/** The column by whose values rows are asked for, where those of several may be asked for at once. */
export function gatheredBy(query: object): string | undefined {
  return 'gatheredBy' in query && typeof query.gatheredBy === 'string'
    ? query.gatheredBy
    : undefined
}

/** Whether there is one way to gathered rows, which need not be looked for each time. */
export function hasOneWay(query: object): boolean {
  return 'hasOneWay' in query && query.hasOneWay === true
}

/** Whether a blind change is made at the end of its unit. */
export function isLast(query: object): boolean {
  return 'isLast' in query && query.isLast === true
}

/** What runs the queries of a builder. */
export type Runner = Pick<DatabaseConnection, 'executeQuery'>

const runners = new WeakMap<object, Runner>()

/**
 * Lets the prepared queries of `db` run by `runner` alone. A builder takes longer to find a connection
 * of its own than such a query does.
 */
export function runBy(db: Kysely<Tables>, runner: Runner): Kysely<Tables> {
  runners.set(db, runner)
  return db
}

/** As {@link runBy} said, or the builder itself. */
export function runnerOf(db: Kysely<Tables>): Runner {
  const direct = runners.get(db)
  if (direct) return direct
  return {
    executeQuery: <Row>(query: CompiledQuery) => db.executeQuery<Row>(query),
  }
}

/** SQL that writes rows of which nobody asks how many there were. */
export function blindChange(text: string, values: readonly unknown[]): CompiledQuery & Prepared {
  return { ...CompiledQuery.raw(text, [...values]), isPrepared: true, isBlind: true }
}

/**
 * A query that is built and compiled once for each number of values: for the few that most requests
 * run, where that takes longer than the query itself.
 *
 * @param build uses each of its values as one parameter, in their order, and no others
 * @param gatheredBy column of the rows that its value is compared with, where that is all
 */
export function prepared<Values extends readonly unknown[], Row>(
  db: Kysely<Tables>,
  build: (...values: Values) => Compilable<Row>,
  gatheredBy?: string,
  options: Pick<Prepared, 'hasOneWay'> = {},
): (...values: Values) => Promise<readonly Row[]> {
  const queries = new Map<number, CompiledQuery<Row>>()
  const runner = runnerOf(db)
  const made = (values: Values): CompiledQuery<Row> => {
    const compiled = { ...compile(build(...values), values), ...options, gatheredBy }
    // Of lists of every length a server would keep a plan each.
    if (values.length > mostKept) return Object.assign(compiled, { isPrepared: false })
    queries.set(values.length, compiled)
    return compiled
  }
  return async (...values) => {
    const query = queries.get(values.length) ?? made(values)
    // Nothing else is added here: to put an object together of several takes as long as the query.
    const { rows } = await runner.executeQuery<Row>({ ...query, parameters: values })
    return rows
  }
}

/** A change as {@link prepared}; answers how many rows it changed, unless it is blind. */
export function preparedChange<Values extends readonly unknown[]>(
  db: Kysely<Tables>,
  build: (...values: Values) => Compilable,
  options: Pick<Prepared, 'isBlind' | 'isSure'> = {},
): (...values: Values) => Promise<bigint> {
  const queries = new Map<number, CompiledQuery>()
  const runner = runnerOf(db)
  return async (...values) => {
    const query = queries.get(values.length) ?? { ...compile(build(...values), values), ...options }
    if (values.length <= mostKept) queries.set(values.length, query)
    const { numAffectedRows = 0n } = await runner.executeQuery({ ...query, parameters: values })
    return numAffectedRows
  }
}

/**
 * An insert that is built and compiled once for all rows that have their columns in one order.
 *
 * @param build inserts the row as it is, and no other
 */
export function preparedInsert<Row extends object>(
  db: Kysely<Tables>,
  build: (row: Row) => Compilable,
  options?: InsertOptions,
): (row: Row) => Promise<void> {
  const first = ([row]: readonly Row[]): Compilable => {
    if (!row) throw new TypeError('there is no row to insert')
    return build(row)
  }
  const insert = preparedInserts<Row>(db, first, options)
  return (row) => insert([row])
}

interface InsertOptions {
  /** Lets the caller see a refused row at once, as one whose key is taken. */
  readonly isSeen?: boolean
  readonly isLast?: boolean
}

/**
 * An insert of several rows in one statement, as {@link preparedInsert}.
 *
 * @param build inserts the rows as they are, all with the same columns in the same order
 */
export function preparedInserts<Row extends object>(
  db: Kysely<Tables>,
  build: (rows: readonly Row[]) => Compilable,
  { isSeen = false, isLast = false }: InsertOptions = {},
): (rows: readonly Row[]) => Promise<void> {
  const known: KnownInsert[] = []
  const runner = runnerOf(db)
  return async (rows) => {
    const [first] = rows
    if (!first) return
    const values: readonly unknown[] = rows.flatMap((row): unknown[] => Object.values(row))
    const columns = Object.keys(first)
    const same = known.find((each) => each.rows === rows.length && isSame(each.columns, columns))
    const query = same?.query ?? { ...compile(build(rows), values), isBlind: !isSeen, isLast }
    if (!same && rows.length <= mostKept) known.push({ rows: rows.length, columns, query })
    await runner.executeQuery({ ...query, parameters: values })
  }
}

/** An insert that was compiled: for so many rows with these columns. */
interface KnownInsert {
  readonly rows: number
  readonly columns: readonly string[]
  readonly query: CompiledQuery & Prepared
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((name, index) => name === others[index])
}

/** @throws {TypeError} the query has other parameters than `values`, or in another order */
function compile<Row>(
  query: Compilable<Row>,
  values: readonly unknown[],
): CompiledQuery<Row> & Prepared {
  const compiled = query.compile()
  const { parameters, sql } = compiled
  if (parameters.length === values.length && values.every((value, i) => value === parameters[i])) {
    return { ...compiled, sql: withOnePlan(sql), isPrepared: true }
  }
  throw new TypeError(`a prepared query takes its values otherwise: ${sql}`)
}

/**
 * SQLite replans a statement whenever a bound value may influence the choice of an index, which takes
 * ten times as long as running it. An expression has no such influence, so the plan stays.
 *
 * @see https://www.sqlite.org/c3ref/prepare.html, on SQLITE_ENABLE_STAT4
 */
function withOnePlan(statement: string): string {
  return statement.replaceAll(' = ?', ' = +?')
}
