import { on, once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../base/threads.ts'
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
  return startThread(import.meta.url, 'upkeep-worker', { name: 'upkeep', workerData: task })
}
