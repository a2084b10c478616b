import { on, once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { RowFault, Upkeep } from '../../ports/upkeep.ts'
import type { UpkeepTask } from './upkeep-worker.ts'

/** Long reading of the whole database at `path`: on threads of its own, so that nobody waits. */
export function upkeepThreads(path: string): Pick<Upkeep, 'inspect' | 'snapshot'> {
  return {
    inspect: async function* (depth) {
      const worker = start({ path, inspect: depth })
      try {
        // The end closes the iteration after the messages before it; a failure throws.
        for await (const [fault] of on(worker, 'message', { close: ['exit'] })) {
          yield fault as RowFault
        }
      } finally {
        await worker.terminate()
      }
    },
    snapshot: async (target) => {
      await once(start({ path, snapshot: target }), 'exit')
    },
  }
}

function start(task: UpkeepTask): Worker {
  // The worker is TypeScript beside TypeScript, JavaScript beside what was compiled.
  const script = `./upkeep-worker${extname(import.meta.url)}`
  // Flags of the process (`--input-type`) are for its own script.
  const options = { name: 'upkeep', workerData: task, execArgv: [] }
  return new Worker(new URL(script, import.meta.url), options)
}
