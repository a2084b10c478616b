import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './schema/tables.ts'

/**
 * A query that is built and compiled once: for the few that most requests run, where that takes
 * longer than the query itself.
 *
 * @param build uses each of its values as one parameter, in their order, and no others
 */
export function prepared<Values extends readonly unknown[], Row>(
  db: Kysely<Tables>,
  build: (...values: Values) => Compilable<Row>,
): (...values: Values) => Promise<readonly Row[]> {
  let query: CompiledQuery<Row> | undefined
  return async (...values) => {
    query ??= compile(build(...values), values)
    const { rows } = await db.executeQuery<Row>({ ...query, parameters: values })
    return rows
  }
}

/**
 * A change that is built and compiled once, as {@link prepared}; answers how many rows it changed.
 */
export function preparedChange<Values extends readonly unknown[]>(
  db: Kysely<Tables>,
  build: (...values: Values) => Compilable,
): (...values: Values) => Promise<bigint> {
  let query: CompiledQuery | undefined
  return async (...values) => {
    query ??= compile(build(...values), values)
    const { numAffectedRows = 0n } = await db.executeQuery({ ...query, parameters: values })
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
): (row: Row) => Promise<void> {
  const queries = new Map<string, CompiledQuery>()
  return async (row) => {
    const columns = Object.keys(row).join()
    const values: readonly unknown[] = Object.values(row)
    const query = queries.get(columns) ?? compile(build(row), values)
    queries.set(columns, query)
    await db.executeQuery({ ...query, parameters: values })
  }
}

/** @throws {TypeError} the query has other parameters than `values`, or in another order */
function compile<Row>(query: Compilable<Row>, values: readonly unknown[]): CompiledQuery<Row> {
  const compiled = query.compile()
  const { parameters, sql } = compiled
  if (parameters.length === values.length && values.every((value, i) => value === parameters[i])) {
    return { ...compiled, sql: withOnePlan(sql) }
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
