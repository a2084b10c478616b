import { randomUUID } from 'node:crypto'
import Sqlite from 'better-sqlite3'
import { snapshot } from '../../core/actions/publish.ts'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import { defaults } from '../../core/contract/defaults.ts'
import type { DraftDeposit } from '../../core/deposit/deposit.ts'
import { newDraft } from '../../core/deposit/new-draft.ts'
import { newBucketId } from '../../core/files/file.ts'
import { parseUserId, type Database, type UnitOfWork, type UserId } from '../../core/index.ts'
import { mintDepositPid } from '../../core/pid/deposit-pid.ts'
import { mintConcept, mintRecid } from '../../core/pid/record-minters.ts'
import { homeAt } from '../../daemon/home/home.ts'
import { documentOf } from './documents.ts'
import { ownerEmail } from './home.ts'
import { recordSchema } from './million/rows.ts'
import { ownDeposits } from './scale.ts'

/** Deposits in one unit of work. */
const batch = 2000

/** Deposits until the database is closed once, which writes its log back. */
const logged = 20_000

/** What the deposits of a home are. */
export type Seeded = 'drafts' | 'records'

/**
 * Fills a home with `count` deposits: a thousand of the measured user (or all, if there are no more),
 * spread evenly among those of others, who have a thousand each. Records have no files, and their
 * manifests count as written, so that the daemon does not write them first.
 *
 * Only this part of a measurement bypasses HTTP, since a million requests take hours. The service's
 * own database writes the rows, which are those that a request makes.
 */
export async function seed(home: string, count: number, kind: Seeded = 'drafts'): Promise<void> {
  const report = (error: unknown): void => {
    throw error
  }
  const insert = kind === 'drafts' ? insertDraft : insertRecord
  const file = homeAt(home).database
  let owners: ((index: number) => UserId) | undefined
  for (let from = 0; from < count; from += logged) {
    await using stack = new AsyncDisposableStack()
    const database = stack.use(await openSqliteDatabase(file, report))
    const ownerOf = (owners ??= await ownersOf(database, count))
    for (let first = from; first < Math.min(from + logged, count); first += batch) {
      await database.write(async (unit) => {
        const end = Math.min(first + batch, count)
        for (let index = first; index < end; index++) await insert(unit, ownerOf(index), index)
      })
    }
  }
  if (kind === 'records') countAsManifested(file)
}

function countAsManifested(file: string): void {
  const database = new Sqlite(file)
  database.exec('UPDATE record_revisions SET manifested = 1')
  database.close()
}

/** The owners of the deposits. */
async function ownersOf(database: Database, count: number): Promise<(index: number) => UserId> {
  const account = await database.read.accounts.findByEmail(ownerEmail)
  if (!account) throw new Error(`the home has no ${ownerEmail}`)
  const every = Math.max(1, Math.floor(count / ownDeposits))
  const others = await database.write((unit) => addUsers(unit, Math.ceil(count / ownDeposits)))
  return (index) =>
    index % every === 0 ? account.id : (others[index % others.length] ?? account.id)
}

async function addUsers(unit: UnitOfWork, count: number): Promise<readonly UserId[]> {
  const users = Array.from({ length: count }, () => parseUserId(randomUUID()))
  for (const [index, id] of users.entries()) {
    const email = `other-${index}@example.org`
    await unit.accounts.insert({ id, email, admin: false, disabled: false, created: timeOf(0) })
  }
  return users
}

async function insertRecord(unit: UnitOfWork, owner: UserId, index: number): Promise<void> {
  const draft = await insertDraft(unit, owner, index)
  const recid = mintRecid()
  await unit.pids.insert(recid)
  const record = snapshot(draft, recid, { schema: recordSchema, now: draft.updated })
  await unit.records.insert(record)
  const { type, value, revision } = record
  const ref = { type, value, revision }
  await unit.deposits.save({ ...draft, status: 'published', record: ref }, draft.updated)
}

async function insertDraft(unit: UnitOfWork, owner: UserId, index: number): Promise<DraftDeposit> {
  const pid = mintDepositPid()
  const concept = mintConcept(mintRecid)
  await unit.pids.insert(pid)
  await unit.pids.insert(concept)
  const draft = newDraft({
    id: pid.value,
    pidType: pid.type,
    bucket: newBucketId(),
    owner,
    concept: concept.value,
    schema: defaults.DEPOSIT_DEFAULT_JSONSCHEMA,
    metadata: { ...documentOf(index) },
    now: timeOf(index),
  })
  await unit.deposits.insert(draft)
  return draft
}

/** A time one second later for each. */
function timeOf(index: number): string {
  return new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString()
}
