import Sqlite from 'better-sqlite3'
import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './connect.ts'

/**
 * The result of a checkpoint: pages in the log. A SQLite error loses its class and its message
 * between threads, so both are sent as text.
 */
export type CheckpointAnswer =
  | { readonly pages: number }
  | { readonly failure: { readonly message: string; readonly code: string } }

interface CheckpointRow {
  readonly log: number
}

interface Busy {
  /** 1 where a reader still uses the log. */
  readonly busy: number
}

const sqlite = connect(workerData as string, { timeout: 5000 })
// The log is synced before its pages are written, and the file before the log may start over.
sqlite.pragma('synchronous = NORMAL')

parentPort?.on('message', (work: CheckpointWork) => parentPort?.postMessage(answer(work)))

/** `rewrite` makes the file afresh, without what deleted rows have left in it. */
export type CheckpointWork = 'checkpoint' | 'rewrite' | 'empty'

function answer(work: CheckpointWork): CheckpointAnswer {
  try {
    if (work === 'rewrite') sqlite.exec('VACUUM')
    if (work === 'empty') {
      const [row] = sqlite.pragma('wal_checkpoint(TRUNCATE)') as (CheckpointRow & Busy)[]
      return { pages: row?.busy ?? 0 }
    }
    const [row] = sqlite.pragma('wal_checkpoint(PASSIVE)') as CheckpointRow[]
    return { pages: row?.log ?? 0 }
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error
    const { message, code } = error
    return { failure: { message, code } }
  }
}
