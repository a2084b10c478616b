import { afterEach, beforeEach, describe } from 'vitest'
import type { Database } from '../../core/ports/database.ts'
import { accountRowsContract } from './database-accounts.contract.ts'
import { countsContract } from './database-counts.contract.ts'
import { depositRowsContract } from './database-deposits.contract.ts'
import { fileRowsContract } from './database-files.contract.ts'
import { identifierRowsContract } from './database-identifiers.contract.ts'
import { intentRowsContract } from './database-intents.contract.ts'
import { recordRowsContract } from './database-records.contract.ts'
import { unitsContract } from './database-units.contract.ts'
import { versionsContract } from './database-versions.contract.ts'

/** An empty database, and its reports to the operator. */
export interface DatabaseFixture extends AsyncDisposable {
  readonly database: Database
  readonly reported: readonly unknown[]
}

/** The fixture of the running test. */
export type CurrentFixture = () => DatabaseFixture

/** The behaviour of every database; run once for each adapter. */
export function databaseContract(name: string, open: () => Promise<DatabaseFixture>): void {
  describe(`${name} database`, () => {
    let fixture: DatabaseFixture
    beforeEach(async () => void (fixture = await open()))
    afterEach(() => fixture[Symbol.asyncDispose]())

    const current: CurrentFixture = () => fixture
    unitsContract(current)
    depositRowsContract(current)
    countsContract(current)
    fileRowsContract(current)
    recordRowsContract(current)
    versionsContract(current)
    accountRowsContract(current)
    intentRowsContract(current)
    identifierRowsContract(current)
  })
}
