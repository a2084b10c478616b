import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './connect.ts'
import { inspectPages } from './open-file.ts'

parentPort?.postMessage(inspect(workerData as string))

function inspect(path: string): readonly string[] {
  try {
    const sqlite = connect(path, { readonly: true, timeout: 5000 })
    try {
      return inspectPages(sqlite, 'full')
    } finally {
      sqlite.close()
    }
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
