import type Sqlite from 'better-sqlite3'
import {
  DefaultQueryExecutor,
  SqliteAdapter,
  SqliteQueryCompiler,
  type CompiledQuery,
  type QueryResult,
} from 'kysely'

/**
 * Runs compiled queries on the one connection there is, at once. The query builder's own way takes
 * a lock and a connection for each query and gives them back: on calls that never wait for anything
 * that is more work than most queries are.
 */
export class SqliteExecutor extends DefaultQueryExecutor {
  readonly #prepare: (sql: string) => Sqlite.Statement

  constructor(prepare: (sql: string) => Sqlite.Statement) {
    super(new SqliteQueryCompiler(), new SqliteAdapter(), {
      provideConnection: async () => {
        throw new Error('transactions on SQLite are the business of SqliteDatabase')
      },
    })
    this.#prepare = prepare
  }

  override async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#prepare(query.sql)
    if (statement.reader) return { rows: statement.all(query.parameters) as Row[] }
    const { changes } = statement.run(query.parameters)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }
}
