import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, open, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { connect, pathOf, versionInFile } from '../../core/adapters/sqlite/connect.ts'
import { openSqliteWriter } from '../../core/adapters/sqlite/open-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const onWindows = process.platform === 'win32'
const adapter = new URL('../../core/adapters/sqlite/connect.ts', import.meta.url).href

/** The number of rows that a process finds in the file, or the error it gets. */
const countIn = (path: string): string => `
  const { connect } = await import(${JSON.stringify(adapter)})
  let found
  try {
    const sqlite = connect(${JSON.stringify(path)}, { timeout: 0 })
    found = sqlite.prepare('SELECT count(*) FROM t').pluck().get()
    sqlite.close()
  } catch (error) {
    found = error.code
  }`

function elsewhere(path: string): string {
  const script = `${countIn(path)}; process.stdout.write(String(found))`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
}

async function onThread(path: string): Promise<unknown> {
  const script = `${countIn(path)}; (await import('node:worker_threads')).parentPort.postMessage(found)`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`))
  const [found] = (await once(worker, 'message')) as [unknown]
  return found
}

function opened(path: string): Sqlite.Database & Disposable {
  const sqlite = openSqliteWriter(path)
  sqlite.exec('CREATE TABLE IF NOT EXISTS t (a)')
  return Object.assign(sqlite, { [Symbol.dispose]: () => void sqlite.close() })
}

describe.skipIf(onWindows)('a database file that is open for writing', () => {
  it('has no mapped file beside it, since a write to one on a full disk could kill the process', async () => {
    await using folder = await temporaryFolder()
    using sqlite = opened(join(folder.path, 'a.db'))
    sqlite.exec('INSERT INTO t VALUES (1)')

    expect(await readdir(folder.path)).toEqual(['a.db', 'a.db-wal'])
  })

  it('is shared by the connections and threads of a process', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'a.db')
    using sqlite = opened(path)
    sqlite.exec('INSERT INTO t VALUES (1)')
    const reader = connect(path, { readonly: true })
    const count = reader.prepare('SELECT count(*) FROM t').pluck()
    expect(count.get()).toBe(1)

    sqlite.exec('INSERT INTO t VALUES (2)')
    expect(count.get()).toBe(2)
    expect(await onThread(path)).toBe(2)
    reader.close()
  })

  it('is busy for other processes, until it is closed', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'a.db')
    {
      using sqlite = opened(path)
      sqlite.exec('INSERT INTO t VALUES (1)')
      expect(await onThread(path)).toBe(1)
      expect(elsewhere(path)).toBe('SQLITE_BUSY')
    }

    expect(elsewhere(path)).toBe('1')
  })

  it('is whole after a crash that left its log and a mapped file of an older program', async () => {
    await using folder = await temporaryFolder()
    const [path, left] = [join(folder.path, 'a.db'), join(folder.path, 'left.db')]
    {
      using sqlite = opened(path)
      sqlite.exec('INSERT INTO t VALUES (1)')
      for (const end of ['', '-wal']) await copyFile(path + end, left + end)
    }
    await writeFile(`${left}-shm`, Buffer.alloc(32 * 1024, 0xff))

    using again = opened(left)
    expect(again.prepare('SELECT count(*) FROM t').pluck().get()).toBe(1)
  })

  it.each(['a b', 'ä%41', 'what?vfs=none', 'number#1', 'file:x'])(
    'is the one of that name, even if it is %j',
    async (name) => {
      await using folder = await temporaryFolder()
      const path = join(folder.path, name)
      using sqlite = opened(path)

      expect(pathOf(sqlite)).toBe(path)
      expect((await readdir(folder.path)).sort()).toEqual([name, `${name}-wal`])
    },
  )
})

describe('the version in the header of a database file', () => {
  it('is read after a checkpoint that did not fit, and the log restores the rest', async () => {
    await using folder = await temporaryFolder()
    const [path, copy] = [join(folder.path, 'a.db'), join(folder.path, 'b.db')]
    {
      using sqlite = opened(path)
      sqlite.pragma('user_version = 7')
    }
    using sqlite = opened(path)
    for (let row = 0; row < 500; row += 1)
      sqlite.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(1000))
    await copyFile(path, copy)
    await copyFile(`${path}-wal`, `${copy}-wal`)
    await announcePages(copy, 71)

    expect(versionInFile(copy)).toBe(7)
    using recovered = opened(copy)
    expect(recovered.prepare('SELECT count(*) FROM t').pluck().get()).toBe(500)
  })

  it('is 0 in an empty file, and missing in a file of another kind', async () => {
    await using folder = await temporaryFolder({ empty: '', other: 'x'.repeat(200) })
    expect(versionInFile(join(folder.path, 'empty'))).toBe(0)
    expect(() => versionInFile(join(folder.path, 'other'))).toThrow('not a database')
  })
})

/** Writes the first page of a checkpoint whose other pages did not fit. */
async function announcePages(path: string, pages: number): Promise<void> {
  const file = await open(path, 'r+')
  const count = Buffer.alloc(4)
  count.writeUInt32BE(pages)
  await file.write(count, 0, 4, 28)
  await file.close()
}
