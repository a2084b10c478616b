import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { blobsIn, isSmall } from '../support/stored-blobs.ts'
import { homeHoldsAll, testDaemon } from '../support/test-daemon.ts'

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
  const { published, draft } = await (homeHoldsAll() ? copyTo(folder.path) : fill(folder.path))
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

let filled: Promise<{ readonly path: string } & Awaited<ReturnType<typeof fill>>> | undefined

/** Copies a home that a daemon has filled once for the test file. */
async function copyTo(home: string) {
  const { path, ...deposits } = await (filled ??= fillFirst())
  execFileSync('cp', ['-a', `${path}/.`, home])
  return deposits
}

async function fillFirst() {
  const folder = await temporaryFolder()
  atEndOfFile(async () => {
    filled = undefined
    await folder[Symbol.asyncDispose]()
  })
  return { path: folder.path, ...(await fill(folder.path)) }
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
