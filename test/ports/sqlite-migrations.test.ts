import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { foundation } from '../../core/adapters/database/schema/0001-foundation.ts'
import { countsByTriggers } from '../../core/adapters/database/schema/0014-counts-by-triggers.ts'
import { migrations } from '../../core/adapters/database/schema/index.ts'
import {
  openReader,
  openWriter,
  openSqliteDatabase,
} from '../../core/adapters/database/sqlite-database.ts'
import type { Database } from '../../core/ports/database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { ada } from '../support/rows.ts'
import { useDeposits } from '../support/use-deposits.ts'

const latest = migrations.length

describe('opening a database of an older schema', () => {
  it('brings it up to date and keeps its contents', async () => {
    await using folder = await temporaryFolder()
    const path = await oldDatabase(folder.path)

    await open(path)

    expect(versionOf(path)).toBe(latest)
    expect(emailsIn(path)).toEqual(['ada@example.org'])
  })

  it('keeps a copy from before the migration', async () => {
    await using folder = await temporaryFolder()
    const path = await oldDatabase(folder.path)

    await open(path)

    const [copy = ''] = await readdir(join(folder.path, 'backup'))
    expect(copy).toMatch(new RegExp(`^pre-1-${latest}-\\d{4}-.*\\.db$`))
    expect(versionOf(join(folder.path, 'backup', copy))).toBe(1)
    expect(emailsIn(join(folder.path, 'backup', copy))).toEqual(['ada@example.org'])
  })

  it('counts the rows from before counts were kept', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'deposit.db')
    const before = await countsIn(path, (database) => useDeposits(database, 14))
    {
      using writer = openWriter(path)
      const sql = `SELECT 'DROP TRIGGER ' || name FROM sqlite_schema WHERE type = 'trigger'`
      for (const drop of writer.sqlite.prepare<[], string>(sql).pluck().all()) {
        writer.sqlite.exec(drop)
      }
      writer.sqlite.exec(
        'DROP TABLE numbers; DROP TABLE versions; DROP INDEX record_revisions_newest',
      )
      for (const column of ['superseded', 'made'])
        writer.sqlite.exec(`ALTER TABLE record_revisions DROP COLUMN ${column}`)
      writer.sqlite.exec('DROP TABLE metadata_usage; DROP TABLE identifiers')
      writer.sqlite.exec('DROP TABLE history; DROP TABLE trashed_files')
      writer.sqlite.exec('DROP TABLE identifier_outbox; DROP TABLE identifier_pauses')
      writer.sqlite.exec('DROP TABLE kept_counts; DROP INDEX deposits_predecessor')
      writer.sqlite.exec('ALTER TABLE uploads DROP COLUMN concat')
      writer.sqlite.exec('ALTER TABLE uploads DROP COLUMN length_deferred')
      writer.sqlite.exec('ALTER TABLE accounts DROP COLUMN quota')
      writer.sqlite.exec('ALTER TABLE accounts DROP COLUMN name')
      writer.sqlite.exec('ALTER TABLE accounts DROP COLUMN claimed_admin')
      writer.sqlite.exec('ALTER TABLE blobs DROP COLUMN crc32')
      writer.sqlite.exec('DROP INDEX issuer_entries_by_account')
      writer.sqlite.exec('ALTER TABLE issuer_entries DROP COLUMN account_id')
      writer.sqlite.exec('DROP INDEX tokens_by_parent_id')
      writer.sqlite.exec('ALTER TABLE tokens DROP COLUMN parent_id')
      writer.sqlite.exec('DROP INDEX deposits_of_further_endpoints')
      writer.sqlite.exec('ALTER TABLE deposits DROP COLUMN pid_type')
      writer.sqlite.exec('DROP INDEX deposits_withdrawn')
      writer.sqlite.exec('ALTER TABLE deposits DROP COLUMN withdrawal')
      writer.sqlite.exec('DROP INDEX deposits_offered')
      writer.sqlite.exec('ALTER TABLE deposits DROP COLUMN people')
      writer.sqlite.exec('ALTER TABLE deposits DROP COLUMN offer')
      writer.sqlite.exec('DROP INDEX deposits_submitted')
      writer.sqlite.exec('DROP INDEX deposits_submitted_by_owner')
      for (const column of ['review', 'submitted', 'makers'])
        writer.sqlite.exec(`ALTER TABLE deposits DROP COLUMN ${column}`)
      for (const column of ['roles', 'claimed_roles'])
        writer.sqlite.exec(`ALTER TABLE accounts DROP COLUMN ${column}`)
      for (const table of [
        'deposit_people',
        'links',
        'invitations',
        'audit',
        'review_comments',
        'announced_files',
        'vocabulary_loads',
        'terms',
        'term_words',
      ])
        writer.sqlite.exec(`DROP TABLE ${table}`)
      writer.sqlite.exec('DROP INDEX pids_unlisted')
      writer.sqlite.exec("CREATE INDEX pids_moved ON pids (pid_type) WHERE status = 'M'")
      const number = migrations.indexOf(countsByTriggers)
      writer.sqlite.pragma(`user_version = ${number}`)
    }

    expect(before).toMatchObject({ draft: 6, published: 4, records: 4 })
    expect(before.used).toBeGreaterThan(0)
    expect(await countsIn(path)).toEqual(before)
  })

  it('keeps the last three copies', async () => {
    await using folder = await temporaryFolder()
    const path = await oldDatabase(folder.path)
    const older = ['2001', '2002', '2003'].map((year) => `pre-0-1-${year}-01-01T00-00-00-000Z.db`)
    await mkdir(join(folder.path, 'backup'))
    for (const name of older) await writeFile(join(folder.path, 'backup', name), '')

    await open(path)

    const copies = await readdir(join(folder.path, 'backup'))
    expect(copies).toHaveLength(3)
    expect(copies).not.toContain(older[0])
  })

  it('does not migrate when the copy cannot be made', async () => {
    await using folder = await temporaryFolder()
    const path = await oldDatabase(folder.path)
    await writeFile(join(folder.path, 'backup'), 'in the way')

    await expect(open(path)).rejects.toThrow()

    expect(versionOf(path)).toBe(1)
  })
})

describe('opening a database of a newer schema', () => {
  it('is refused, and the file is not touched', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'deposit.db')
    await open(path)
    setVersion(path, latest + 1)
    const before = await stat(path)

    await expect(open(path)).rejects.toThrow(`The database has schema version ${latest + 1}`)

    const after = await stat(path)
    expect(after.mtimeMs).toBe(before.mtimeMs)
    expect(await readdir(folder.path)).not.toContain('backup')
  })
})

describe('opening a database again', () => {
  it('leaves no mapped file beside it', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'deposit.db')
    await open(path)
    await open(path)

    expect(await readdir(folder.path)).toEqual(['deposit.db'])
  })
})

describe('making a new database', () => {
  it('makes no copy', async () => {
    await using folder = await temporaryFolder()

    await open(join(folder.path, 'deposit.db'))

    expect(await readdir(folder.path)).not.toContain('backup')
  })
})

async function countsIn(path: string, use: (database: Database) => Promise<void> = async () => {}) {
  await using database = await openSqliteDatabase(path, () => {})
  await use(database)
  const { deposits, records, usage } = database.read
  const counts = await deposits.countByStatus({ of: 'deposits' })
  return { ...counts, records: await records.count(), used: await usage.metadata(ada) }
}

async function open(path: string): Promise<void> {
  const database = await openSqliteDatabase(path, () => {})
  await database[Symbol.asyncDispose]()
}

/** A database as the first release made it, with one account. */
async function oldDatabase(folder: string): Promise<string> {
  const path = join(folder, 'deposit.db')
  using connection = openWriter(path)
  await foundation(connection.db.schema)
  const row = { id: '1', email: 'ada@example.org', admin: 0, disabled: 0, created: '2026' }
  await connection.db.insertInto('accounts').values(row).execute()
  connection.sqlite.pragma('user_version = 1')
  return path
}

function versionOf(path: string): unknown {
  using reader = openReader(path)
  return reader.sqlite.pragma('user_version', { simple: true })
}

function emailsIn(path: string): unknown[] {
  using reader = openReader(path)
  return reader.sqlite.prepare('SELECT email FROM accounts').pluck().all()
}

function setVersion(path: string, version: number): void {
  using writer = openWriter(path)
  writer.sqlite.pragma(`user_version = ${version}`)
}
