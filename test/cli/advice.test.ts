import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { advice } from '../../cli/advice.ts'
import { commandsRun } from '../support/run-cli.ts'
import { accessNames, followAccess, followAccessOfDraft } from './advice/access.ts'
import { ofBatches } from './advice/batches.ts'
import { ofFaults } from './advice/faults.ts'
import { ofFiles } from './advice/files.ts'
import { ofFolders } from './advice/folders.ts'
import { ofOpenings } from './advice/openings.ts'
import { ofPublic } from './advice/public.ts'
import { ofReach, ofSignIn } from './advice/reach.ts'
import { followRefusal, refusalNames } from './advice/refusals.ts'
import { ofPushes } from './advice/pushes.ts'
import { ofRemotes } from './advice/remotes.ts'
import type { Rows } from './advice/rig.ts'
import { ofOverwriting } from './advice/overwriting.ts'
import { ofPermissions } from './advice/permissions.ts'
import { ofServer } from './advice/server.ts'
import { ofTold } from './advice/told.ts'
import { ofWithdrawals } from './advice/withdrawals.ts'
import { ofWords } from './advice/words.ts'

// The daemon of its rows may have ended with an earlier test file of the same process.
vi.hoisted(() => vi.resetModules())

/**
 * One row for each hint: causes the hint, and follows it. A hint of the table without a row does not
 * compile.
 */
const rows: Rows = {
  ...ofServer,
  ...ofPermissions,
  ...ofFaults,
  ...ofPublic,
  ...ofWithdrawals,
  ...ofPushes,
  ...ofRemotes,
  ...ofOverwriting,
  ...ofReach,
  ...ofSignIn,
  ...ofWords,
  ...ofTold,
  ...ofFiles,
  ...ofFolders,
  ...ofBatches,
  ...ofOpenings,
}

describe('advice of the command line works when it is followed', () => {
  it.for(Object.keys(rows) as (keyof Rows)[])('%s', async (name) => {
    const before = commandsRun.length
    await rows[name]()
    const run = new Set(commandsRun.slice(before).map(([command]) => command))
    expect(commandsOf(name).filter((command) => !run.has(command))).toEqual([])
  })

  it('and a message outside of the tables names no command', async () => {
    const named = []
    for (const file of withMessages()) {
      const text = await readFile(join(cli, file), 'utf8')
      const code = text.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '')
      if (namesOfCommands(code).length > 0) named.push(file)
    }

    expect(named).toEqual([])
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

/** Commands of a hint that need what the daemon of these rows does not take. */
const elsewhere: Partial<Record<keyof Rows, readonly string[]>> = {
  // A file large enough to be resumed: test/cli/resume.test.ts.
  endUploads: ['upload'],
}

/** The commands that the text of a hint names. */
function commandsOf(name: keyof Rows): readonly string[] {
  const followed = elsewhere[name] ?? []
  return namesOfCommands(advice[name].toString()).filter((command) => !followed.includes(command))
}

function namesOfCommands(code: string): readonly string[] {
  return [...code.matchAll(/`(?:[A-Z_]+=\S+ )?deposit ([a-z-]+)/g)].flatMap(([, name = '']) => name)
}

const cli = fileURLToPath(new URL('../../cli', import.meta.url))

/** Files whose commands are followed by other tests, or are no part of a message. */
const others = [
  'advice.ts',
  'server-advice.ts',
  'remote-advice.ts',
  // Refusals: below.
  'client/api-failure.ts',
  // Comments of metadata.yaml: test/cli/init.test.ts.
  'folder/skeleton.ts',
  // Command lines that are put into advice.
  'library/library-client.ts',
  'transfer/prepare.ts',
  // Help.
  'program/program.ts',
  'program/topics.ts',
]

function withMessages(): readonly string[] {
  return readdirSync(cli, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('commands/') && !others.includes(file),
  )
}
