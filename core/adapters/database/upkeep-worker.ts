import { closeSync, fsyncSync, openSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { connect } from '../sqlite/connect.ts'
import { inspectRows } from './inspect-rows.ts'

/** The task of the worker, with the database at `path`. */
export type UpkeepTask =
  | { readonly path: string; readonly inspect: 'quick' | 'full' }
  | { readonly path: string; readonly snapshot: string }

const task = workerData as UpkeepTask
const sqlite = connect(task.path, { readonly: true, timeout: 5000 })
try {
  if ('inspect' in task) {
    for (const fault of inspectRows(sqlite, task.inspect)) parentPort?.postMessage(fault)
  } else {
    sqlite.prepare('VACUUM INTO ?').run(task.snapshot)
    const file = openSync(task.snapshot, 'r')
    fsyncSync(file)
    closeSync(file)
  }
} finally {
  sqlite.close()
}
