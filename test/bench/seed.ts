import { randomUUID } from 'node:crypto'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import { defaults } from '../../core/contract/defaults.ts'
import { newDraft } from '../../core/deposit/new-draft.ts'
import { newBucketId } from '../../core/files/file.ts'
import { parseUserId, type Database, type UnitOfWork, type UserId } from '../../core/index.ts'
import { mintDepositPid } from '../../core/pid/deposit-pid.ts'
import { homeAt } from '../../daemon/home/home.ts'
import { documentOf } from './documents.ts'
import { ownerEmail } from './home.ts'
import { ownDeposits } from './scale.ts'

/** Deposits in one unit of work. */
const batch = 2000

/**
 * Fills a home with `count` drafts: a thousand of the measured user (or all, if there are no more),
 * spread evenly among those of others, who have a thousand each.
 *
 * Only this part of a measurement bypasses HTTP, since a million requests take hours. The service's
 * own database writes the rows, which are those that a request makes.
 */
export async function seed(home: string, count: number): Promise<void> {
  const report = (error: unknown): void => {
    throw error
  }
  await using database = await openSqliteDatabase(homeAt(home).database, report)
  const owners = await ownersOf(database, count)
  for (let first = 0; first < count; first += batch) {
    await database.write(async (unit) => {
      const end = Math.min(first + batch, count)
      for (let index = first; index < end; index++) await insert(unit, owners(index), index)
    })
  }
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

async function insert(unit: UnitOfWork, owner: UserId, index: number): Promise<void> {
  const pid = mintDepositPid()
  await unit.pids.insert(pid)
  await unit.deposits.insert(
    newDraft({
      id: pid.value,
      pidType: pid.type,
      bucket: newBucketId(),
      owner,
      schema: defaults.DEPOSIT_DEFAULT_JSONSCHEMA,
      metadata: { ...documentOf(index) },
      now: timeOf(index),
    }),
  )
}

/** A time one second later for each. */
function timeOf(index: number): string {
  return new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString()
}
