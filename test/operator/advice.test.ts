import { afterAll, beforeAll, describe, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { backupRows } from './advice/backups.ts'
import { diskRows } from './advice/disks.ts'
import { homeRows } from './advice/homes.ts'
import { moveRows } from './advice/moves.ts'
import { olderRows } from './advice/older-rows.ts'
import { openScene, scene, type Rows } from './advice/scene.ts'
import { storeRows } from './advice/stores.ts'
import { userRows } from './advice/users.ts'

beforeAll(() => openScene())
afterAll(() => scene()[Symbol.asyncDispose]())

/** A row for each hint: one without does not compile. */
const rows: Rows = {
  ...homeRows,
  ...diskRows,
  ...userRows,
  ...backupRows,
  ...moveRows,
  ...storeRows,
  ...olderRows,
}

describe('the advice of depositd works when it is followed', () => {
  it.for(Object.entries(rows))('%s', async ([, row], { skip }) => {
    await using folder = await temporaryFolder()
    scene().folder = folder.path
    await row(skip)
  })
})
