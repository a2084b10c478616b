import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { setFlagsFromString } from 'node:v8'

/** Releases of V8 with these flags. Others would write to standard error. */
const knowing = /^13\.6\./

/**
 * Frees short-lived buffers early. Each read of a download makes one, and V8 would otherwise
 * collect only after 60 MB of them.
 */
export function spareBuffers(): void {
  setFlag('--scavenger-max-new-space-capacity-mb=1')
}

/**
 * Lets the heaps of all threads grow to 1.5 times their live size before V8 collects, not to 4
 * times: hundreds of texts of a megabyte would stay.
 */
export function spareHeap(): void {
  setFlag('--heap-growing-percent=50')
}

function setFlag(flag: string): void {
  if (knowing.test(process.versions.v8)) setFlagsFromString(flag)
}

/**
 * Starts a thread with the script `name` that lies beside a module.
 *
 * @param module `import.meta.url`: beside TypeScript lies TypeScript, beside JavaScript what was compiled
 */
export function startThread(module: string, name: string, options: WorkerOptions = {}): Worker {
  const script = new URL(`./${name}${extname(module)}`, module)
  // Flags of the process (`--input-type`) are for its own script.
  return new Worker(script, { execArgv: [], ...options })
}
