import Sqlite from 'better-sqlite3'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFolderManifests } from '../../core/adapters/blobs/folder-manifest-store.ts'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import { writeManifests } from '../../core/service/write-manifests.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe('the manifests of many records', () => {
  it('are written together, and whole', async () => {
    await using folder = await temporaryFolder()
    const values = await publishMany(folder.path)
    await using database = await openSqliteDatabase(join(folder.path, 'deposit.db'), () => {})
    await using store = openFolderManifests(join(folder.path, 'again'))

    await writeManifests(database, store, new AbortController().signal)

    for (const value of values) {
      const before = await readFile(join(folder.path, 'records', value, '0.json'), 'utf8')
      expect(await readdir(join(folder.path, 'again', value))).toEqual(['0.json'])
      expect(await readFile(join(folder.path, 'again', value, '0.json'), 'utf8')).toBe(before)
    }
    expect(await database.upkeep.unmanifested(1)).toEqual([])
  })

  it('are due still where they cannot be written, and no others', async () => {
    await using folder = await temporaryFolder()
    const values = await publishMany(folder.path)
    await mkdir(join(folder.path, 'again'))
    const last = values.at(-1) ?? ''
    await writeFile(join(folder.path, 'again', last), 'no folder')
    await using database = await openSqliteDatabase(join(folder.path, 'deposit.db'), () => {})
    await using store = openFolderManifests(join(folder.path, 'again'))

    const writing = writeManifests(database, store, new AbortController().signal)

    await expect(writing).rejects.toThrow(/EEXIST|ENOTDIR/)
    const due = await database.upkeep.unmanifested(10)
    expect(due.map(({ value }) => value)).toEqual([last])
    const written = await readdir(join(folder.path, 'again'), { recursive: true })
    expect(written.filter((name) => name.endsWith('0.json'))).toHaveLength(values.length - 1)
    expect(written.filter((name) => name.endsWith('.new'))).toEqual([])
  })
})

/** Publishes some records whose manifests are due again; resolves to their identifiers, sorted. */
async function publishMany(home: string): Promise<readonly string[]> {
  {
    await using daemon = await testDaemon({ home })
    const ada = daemon.as('ada')
    await Promise.all(Array.from({ length: 6 }, () => ada.createPublished()))
  }
  const sqlite = new Sqlite(join(home, 'deposit.db'))
  sqlite.exec('UPDATE record_revisions SET manifested = 0')
  sqlite.close()
  return (await readdir(join(home, 'records'))).toSorted()
}
