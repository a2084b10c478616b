import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { setFlagsFromString } from 'node:v8'

/** V8 of Node.js 24 has these flags. A release without them would write to standard error. */
const knowing = /^13\.6\./

/**
 * Collects short-lived buffers early, for downloads: each read of a socket makes one, and V8 collects
 * only after 60 MB of them. Peak of the command line, four downloads of 300 MB at once: 79 to 88 MB
 * with the flag; 119 to 126 MB with Node's `--max-semi-space-size=1`, which has to be given to the
 * process at its start; 147 to 199 MB without either.
 */
export function spareBuffers(): void {
  setFlag('--scavenger-max-new-space-capacity-mb=1')
}

/**
 * Lets the heaps of all threads grow to 1.5 times their live size before V8 collects, not to 4
 * times, and keeps what is new in as much memory as the start needed, not in 32 MB for each thread.
 * Peak of the daemon in half of the hostile mix: 645 and 657 MiB with the first flag, 900 to 938 MiB
 * without it. Peak with uploads of 1 GiB, one and four at once: 175 and 189 MB with both, 200 and
 * 227 MB with the first alone. Creating deposits is slower by up to a tenth.
 */
export function spareHeap(): void {
  setFlag('--heap-growing-percent=50')
  setFlag('--semi-space-growth-factor=1')
}

function setFlag(flag: string): void {
  if (knowing.test(process.versions.v8)) setFlagsFromString(flag)
}

/**
 * Starts a thread with the script `name` that lies beside a module. Of the daemon it is called
 * `…-worker.ts`, lies in `core`, and no other has its name: `daemon/vite.config.ts` puts all of them
 * into one folder.
 *
 * @param module `import.meta.url`: the script has the same extension as it: .ts from source, .js from dist
 */
export function startThread(module: string, name: string, options: WorkerOptions = {}): Worker {
  const script = new URL(`./${name}${extname(module)}`, module)
  // Do not inherit `execArgv`: flags such as `--input-type` are for the script of the process.
  return new Worker(script, { execArgv: [], ...options })
}
