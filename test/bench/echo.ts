import Sqlite from 'better-sqlite3'
import { fastify } from 'fastify'
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * A bare Fastify in its own process: `/` returns the body, and `/inserts` first inserts it into a
 * SQLite in `folder`, with a transaction and a sync for each (`synchronous=FULL`).
 */
export async function startEcho(
  folder: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const child = fork(fileURLToPath(import.meta.url), { env: { ...process.env, ECHO: folder } })
  const ended = once(child, 'exit')
  const [url] = (await once(child, 'message')) as [string]
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await ended
    },
  }
}

function inserter(folder: string): (document: unknown) => void {
  const sqlite = new Sqlite(join(folder, 'inserts.db'))
  sqlite.pragma('journal_mode = wal')
  sqlite.pragma('synchronous = full')
  sqlite.exec('CREATE TABLE documents (id TEXT PRIMARY KEY, document TEXT NOT NULL)')
  const insert = sqlite.prepare('INSERT INTO documents VALUES (?, ?)')
  return (document) => void insert.run(randomUUID(), JSON.stringify(document))
}

const folder = process.env['ECHO']
if (folder !== undefined && process.send) {
  const insert = inserter(folder)
  const app = fastify()
  app.post('/', async (request) => request.body)
  app.get('/', async () => ({ title: 'A small document for measuring' }))
  app.post('/inserts', async (request) => {
    insert(request.body)
    return request.body
  })
  process.send(await app.listen({ host: '127.0.0.1', port: 0 }))
}
