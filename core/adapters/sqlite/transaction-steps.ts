import type Sqlite from 'better-sqlite3'

/** The statements around units of work, prepared once. */
export interface TransactionSteps {
  readonly begin: () => void
  readonly commit: () => void
  readonly rollback: () => void
  /** Begins a unit within the transaction: what follows can be undone by itself. */
  readonly beginUnit: () => void
  readonly keepUnit: () => void
  /** Undoes the unit, which still has to be ended by {@link keepUnit}. */
  readonly undoUnit: () => void
}

export function transactionSteps(sqlite: Sqlite.Database): TransactionSteps {
  const step = (sql: string) => {
    const statement = sqlite.prepare(sql)
    return (): void => void statement.run()
  }
  return {
    begin: step('BEGIN IMMEDIATE'),
    commit: step('COMMIT'),
    rollback: step('ROLLBACK'),
    beginUnit: step('SAVEPOINT unit'),
    keepUnit: step('RELEASE unit'),
    undoUnit: step('ROLLBACK TO unit'),
  }
}
