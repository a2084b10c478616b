import Sqlite from 'better-sqlite3'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFolderManifests } from '../../core/adapters/blobs/folder-manifest-store.ts'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import { problem } from '../../core/errors/errors.ts'
import type { ManifestStore } from '../../core/ports/manifest-store.ts'
import { writeManifests } from '../../core/service/write-manifests.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe('the manifests of many records', () => {
  it('are written together, and whole', async () => {
    await using folder = await temporaryFolder()
    const values = await publishMany(folder.path)
    await using database = await openSqliteDatabase(join(folder.path, 'deposit.db'), () => {})
    await using store = openFolderManifests(join(folder.path, 'again'))
    const together: number[] = []
    const watched: ManifestStore = {
      ...store,
      write: alone,
      writeMany: (manifests) => {
        together.push(manifests.length)
        return store.writeMany?.(manifests) ?? Promise.reject(new Error('it cannot'))
      },
    }

    await writeManifests(database, watched, new AbortController().signal)

    expect(together).toEqual([values.length])
    for (const value of values) {
      const before = await readFile(join(folder.path, 'records', value, '0.json'), 'utf8')
      expect(await readdir(join(folder.path, 'again', value))).toEqual(['0.json'])
      expect(await readFile(join(folder.path, 'again', value, '0.json'), 'utf8')).toBe(before)
      // The digest of each is right; those before may have been written in the same way.
      expect(await store.read({ value, revision: 0 })).toMatchObject({ pid: { value } })
    }
    expect(await database.upkeep.unmanifested(1)).toEqual([])
  })

  it.for([
    ['whose folder cannot be made', (path: string) => writeFile(path, 'no folder')],
    [
      'whose file cannot be put in place',
      (path: string) => mkdir(join(path, '0.json', 'in'), { recursive: true }),
    ],
  ] as const)('are written without the one %s, which is due still', async ([, obstruct]) => {
    await using folder = await temporaryFolder()
    const values = await publishMany(folder.path)
    await using database = await openSqliteDatabase(join(folder.path, 'deposit.db'), () => {})
    // In the order in which they are written: some come before it, and some after it.
    const due = await database.upkeep.unmanifested(values.length)
    const { value: refused = '' } = due[3] ?? {}
    const again = join(folder.path, 'again')
    await mkdir(again)
    await obstruct(join(again, refused))
    await using store = openFolderManifests(again)

    const writing = writeManifests(database, store, new AbortController().signal)

    await expect(writing).rejects.toThrow(/EEXIST|ENOTDIR|EISDIR|ENOTEMPTY/)
    const left = await database.upkeep.unmanifested(values.length)
    expect(left.map(({ value }) => value)).toEqual([refused])
    for (const { value, revision } of due)
      if (value !== refused)
        expect(await store.read({ value, revision })).toMatchObject({ pid: { value } })
    const names = await readdir(again, { recursive: true })
    expect(names.filter((name) => name.endsWith('.new'))).toEqual([])
  })

  it('are not tried again, one by one, after a failed sync', async () => {
    await using folder = await temporaryFolder()
    const values = await publishMany(folder.path)
    await using database = await openSqliteDatabase(join(folder.path, 'deposit.db'), () => {})
    await using store = openFolderManifests(join(folder.path, 'again'))
    const failing = { ...store, write: alone, writeMany: async () => Promise.reject(failed) }
    const failed = problem('storage_failed')

    const writing = writeManifests(database, failing, new AbortController().signal)

    await expect(writing).rejects.toBe(failed)
    expect(await database.upkeep.unmanifested(values.length)).toHaveLength(values.length)
  })
})

const alone = () => Promise.reject(new Error('one was written alone'))

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
