import { existsSync } from 'node:fs'
import { rebuild as rebuildRows, type Database } from '../../../core/index.ts'
import { advice } from '../../advice.ts'
import { openDatabase } from '../../stores/open-stores.ts'
import { openBlobs, openManifests } from '../../stores/storages.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { count } from '../../../core/base/amounts.ts'
import type { Home } from '../../home/home.ts'
import { describePlace } from '../../home/place.ts'
import { StartFailure } from '../../start-failure.ts'
import type { OfflineWork, OperatorCommand } from '../command/operator-command.ts'

/** `depositd rebuild`: where the database is lost, from the manifests beside it. */
const rebuild: OfflineWork = async (home, _options, { tell }) => {
  if (home.databaseUrl === undefined && existsSync(home.database)) {
    throw new OperatorFailure(`${home.database} is there.`, advice.moveDatabaseAway())
  }
  await using stack = new AsyncDisposableStack()
  const report = (error: unknown): void => tell('note', String(error))
  const database = stack.use(await openDatabase(home, report))
  if (home.databaseUrl !== undefined && (await isUsed(database))) {
    throw new OperatorFailure('The database has rows already.', advice.useEmptyDatabase())
  }
  const blobs = stack.use(await openBlobs(home, { database, report }))
  const lost: string[] = []
  const rebuilt = await rebuildRows(
    { database, blobs, manifests: await openManifests(home) },
    (message) => {
      lost.push(message)
      tell('result', message)
    },
  )
  const { records, revisions, files, setAside } = rebuilt
  const made = `${count(records, 'record')}, ${count(revisions, 'revision')}, ${count(files, 'file')}`
  tell('note', `Rebuilt ${made} in ${describePlace(home)}.`)
  if (setAside > 0) tell('note', `Set ${count(setAside, 'file')} of drafts aside in quarantine.`)
  tell('note', `Drafts, tokens and administrators are not in manifests. ${advice.makeAgain()}`)
  return {
    ending: lost.length > 0 ? 'failed' : 'done',
    data: { records, revisions, files, setAside, lost },
  }
}

/** @throws {StartFailure} there is nothing to make a database of: most likely another home is meant */
async function requireManifests(home: Home): Promise<void> {
  const manifests = await openManifests(home)
  for await (const name of manifests.list()) if (!('strange' in name)) return
  const said = `There are no manifests of records in ${describePlace(home)}.`
  throw new StartFailure('no_input', said, { next: advice.findHome() })
}

export const rebuildCommand: OperatorCommand = {
  name: 'rebuild',
  requires: requireManifests,
  summary: 'rebuild a lost database from the manifests of published records',
  makesHome: true,
  kind: 'alone',
  run: rebuild,
}

async function isUsed({ read }: Database): Promise<boolean> {
  const accounts = await read.accounts.list()
  return accounts.length > 0 || (await read.records.count()) > 0
}
