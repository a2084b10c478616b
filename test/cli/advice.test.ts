import { describe, it } from 'vitest'
import { accessNames, followAccess, followAccessOfDraft } from './advice/access.ts'
import { ofBatches } from './advice/batches.ts'
import { ofFaults } from './advice/faults.ts'
import { ofFiles } from './advice/files.ts'
import { ofFolders } from './advice/folders.ts'
import { ofPublic } from './advice/public.ts'
import { ofReach, ofSignIn } from './advice/reach.ts'
import { followRefusal, refusalNames } from './advice/refusals.ts'
import type { Rows } from './advice/rig.ts'
import { ofServer } from './advice/server.ts'
import { ofTold } from './advice/told.ts'
import { ofWords } from './advice/words.ts'

/**
 * One row for each hint: causes the hint, and follows it. A hint of the table without a row does not
 * compile.
 */
const rows: Rows = {
  ...ofServer,
  ...ofFaults,
  ...ofPublic,
  ...ofReach,
  ...ofSignIn,
  ...ofWords,
  ...ofTold,
  ...ofFiles,
  ...ofFolders,
  ...ofBatches,
}

describe('advice of the command line works when it is followed', () => {
  it.for(Object.keys(rows) as (keyof Rows)[])('%s', async (name) => {
    await rows[name]()
  })
})

describe('a refusal of the command line names commands that work', () => {
  it.for(refusalNames)('%s', async (name) => {
    await followRefusal(name)
  })
})

describe('the line that a refusal gives for metadata that limit access publishes the open files', () => {
  it.for(accessNames)('%s', async (name) => {
    await followAccess(name)
  })
  it('a field of a draft', followAccessOfDraft)
})
