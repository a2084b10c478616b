import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { connect, pathOf } from '../../core/adapters/sqlite/connect.ts'
import { openSqliteWriter } from '../../core/adapters/sqlite/open-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const onWindows = process.platform === 'win32'
const adapter = new URL('../../core/adapters/sqlite/connect.ts', import.meta.url).href

/** What whoever runs it finds in the file: how many rows there are, or why it cannot tell. */
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
  it('has no mapped file beside it, which a full disk could make deadly to write to', async () => {
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

  it('is whole after a crash that left its log, and a mapped file of an older program', async () => {
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
    'is the one of that name, be it %j',
    async (name) => {
      await using folder = await temporaryFolder()
      const path = join(folder.path, name)
      using sqlite = opened(path)

      expect(pathOf(sqlite)).toBe(path)
      expect((await readdir(folder.path)).sort()).toEqual([name, `${name}-wal`])
    },
  )
})
