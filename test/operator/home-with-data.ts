import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

/** A home that a daemon has left in good order: a published deposit and a draft, with files. */
export interface HomeWithData extends AsyncDisposable {
  readonly path: string
  readonly published: DepositBody
  readonly draft: DepositBody
  /** Paths of the blobs: of the published deposit's files first. */
  readonly blobs: readonly string[]
  /** Changes rows behind the back of the service. */
  readonly edit: (sql: string) => void
  /** The one value that a query answers. */
  readonly query: (sql: string) => unknown
}

export async function homeWithData(): Promise<HomeWithData> {
  const folder = await temporaryFolder()
  const { published, draft } = await fill(folder.path)
  return {
    path: folder.path,
    published,
    draft,
    blobs: await blobsOf(folder.path),
    edit: (sql) => {
      const sqlite = new Sqlite(join(folder.path, 'deposit.db'))
      sqlite.pragma('foreign_keys = 0')
      sqlite.exec(sql)
      sqlite.close()
    },
    query: (sql) => {
      const sqlite = new Sqlite(join(folder.path, 'deposit.db'), { readonly: true })
      try {
        return sqlite.prepare(sql).pluck().get()
      } finally {
        sqlite.close()
      }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

async function fill(home: string) {
  await using daemon = await testDaemon({ home })
  const ada = daemon.as('ada')
  const first = await ada.createDraftWith('levels/a.csv', 'b.csv')
  const published = await ada.publish(first)
  const draft = await ada.createDraftWith('c.csv')
  await ada.putObject(draft, 'd.csv', 'one')
  await ada.putObject(draft, 'd.csv', 'two')
  return { published, draft }
}

/** Paths of the stored blobs, in the order of their names. */
export async function blobsOf(home: string): Promise<readonly string[]> {
  const entries = await readdir(join(home, 'blobs'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort()
}
