import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { InspectAnswer } from './inspect-worker.ts'

/**
 * What SQLite finds wrong with the pages of the database file at `path`, a sentence each. It reads
 * all of the file: on a thread of its own, so that nobody waits.
 */
export async function inspectFile(path: string): Promise<readonly string[]> {
  // The worker is TypeScript beside TypeScript, JavaScript beside what was compiled.
  const script = `./inspect-worker${extname(import.meta.url)}`
  // Flags of the process (`--input-type`) are for its own script.
  const options = { name: 'inspect', workerData: path, execArgv: [] }
  const worker = new Worker(new URL(script, import.meta.url), options)
  const [messages] = (await once(worker, 'message')) as [InspectAnswer]
  return messages
}
