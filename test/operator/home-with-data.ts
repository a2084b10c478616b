import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { blobsIn, isSmall } from '../support/stored-blobs.ts'
import { testDaemon } from '../support/test-daemon.ts'

/** The home of a stopped daemon, with a published deposit, a draft and their files. */
export interface HomeWithData extends AsyncDisposable {
  readonly path: string
  readonly published: DepositBody
  readonly draft: DepositBody
  /** Paths of the blobs, sorted by id. */
  readonly blobs: readonly string[]
  /** Those that are rows. */
  readonly small: readonly string[]
  /** Those that are files; there is one. */
  readonly large: readonly string[]
  /** Changes rows without the service. */
  readonly edit: (sql: string) => void
  /** The single value that a query returns. */
  readonly query: (sql: string) => unknown
}

export async function homeWithData(): Promise<HomeWithData> {
  const folder = await temporaryFolder()
  const { published, draft } = await fill(folder.path)
  const blobs = await blobsIn(folder.path)
  return {
    path: folder.path,
    published,
    draft,
    blobs,
    small: blobs.filter(isSmall),
    large: blobs.filter((path) => !isSmall(path)),
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
  const first = await ada.createDraftWith('levels/a.csv')
  await ada.addFile(first, 'b.csv', 'b'.repeat(100_000))
  const published = await ada.publish(first)
  const draft = await ada.createDraftWith('c.csv')
  await ada.putObject(draft, 'd.csv', 'one')
  await ada.putObject(draft, 'd.csv', 'two')
  return { published, draft }
}
