import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { works } from '../run-command.ts'
import { patienceMs, within } from '../within.ts'

/** A thread of the daemon. */
export interface Thread {
  readonly id: number
  /** `main` makes the calls of SQLite, `pool` those of Node.js; others have names of their own. */
  readonly name: string
}

/** The fault injected into a system call, instead of or before the call. */
export interface Fault {
  readonly call: string
  /** In the syntax of strace: `signal=SIGKILL`, `error=EIO`. */
  readonly effect: string
  /** The number of the call of the thread that is hit, from 1. */
  readonly at: number
  /** Whether all further ones are hit as well. */
  readonly lasts?: boolean
}

/** Why no call can be made to fail here; undefined if one can. */
export function injectionObstacle(): string | undefined {
  if (!works('strace', '-V')) return 'failing system calls need strace (Debian: strace)'
  const trial = 'sleep 5 & strace -q -o /dev/null -p $! & sleep 0.5; kill %1; wait %2'
  return works('bash', '-c', trial) ? undefined : 'failing system calls need the right to trace'
}

const names: Readonly<Record<string, string>> = { MainThread: 'main', 'libuv-worker': 'pool' }

/** Threads by which Node.js runs JavaScript, and others that exist once. */
const idle = new Set(['DelayedTaskSche', 'V8Worker', 'SignalInspector'])

/** The threads that may write. The pool has only one with `UV_THREADPOOL_SIZE=1`. */
export async function threadsOf(pid: number): Promise<readonly Thread[]> {
  const threads: Thread[] = []
  for (const id of await readdir(`/proc/${pid}/task`)) {
    const name = (await readFile(`/proc/${pid}/task/${id}/comm`, 'utf8')).trim()
    if (!idle.has(name)) threads.push({ id: Number(id), name: names[name] ?? name })
  }
  return threads.map((thread, at) => ({ ...thread, name: distinct(thread, threads.slice(0, at)) }))
}

/** Numbers threads of the same name: `checkpoint 2`. */
function distinct({ name }: Thread, earlier: readonly Thread[]): string {
  const same = earlier.filter((thread) => thread.name === name).length
  return same === 0 ? name : `${name} ${same + 1}`
}

/** A running trace of the calls of threads, by strace, with the paths of their descriptors. */
export interface Tracing<Told> {
  /** Detaches from the threads; resolves to the calls they made. */
  readonly end: () => Promise<Told>
}

/** Makes a call of a thread fail. The trace is written to `folder`. */
export async function inject(
  thread: Thread,
  { call, effect, at, lasts = false }: Fault,
  folder: string,
): Promise<Tracing<readonly string[]>> {
  const path = join(folder, 'trace')
  const rule = `inject=${call}:${effect}:when=${at}${lasts ? '+' : ''}`
  const options = ['-o', path, '-e', `trace=${call}`, '-e', rule, '-p', String(thread.id)]
  const end = await attach(options, [thread])
  return { end: async () => end().then(() => linesOf(path)) }
}

/** Records the calls of all threads, by the name of the thread. */
export async function traceAll(
  pid: number,
  calls: readonly string[],
  folder: string,
): Promise<Tracing<ReadonlyMap<string, readonly string[]>>> {
  const threads = await threadsOf(pid)
  const path = join(folder, 'trace-of')
  // Not every machine has every call.
  const trace = `trace=${calls.map((call) => `?${call}`).join(',')}`
  const end = await attach(['-ff', '-o', path, '-e', trace, '-p', String(pid)], threads)
  const told = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
    const traces = new Map<string, readonly string[]>()
    for (const { id, name } of threads) traces.set(name, await linesOf(`${path}.${id}`))
    return traces
  }
  return { end: async () => end().then(told) }
}

/** Attaches to the threads; resolves to a function that detaches. */
async function attach(options: readonly string[], threads: readonly Thread[]) {
  const strace = spawn('strace', ['-q', '-y', ...options], { stdio: 'ignore' })
  const ended = once(strace, 'exit')
  for (const { id } of threads) await untilTraced(id)
  return async (): Promise<void> => {
    strace.kill('SIGINT')
    await within(patienceMs, 'strace lets go', ended)
  }
}

async function linesOf(path: string): Promise<readonly string[]> {
  return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
}

/** A thread that is hit at once may be gone before its status is read. */
async function untilTraced(id: number): Promise<void> {
  for (let left = 500; left > 0; left -= 1) {
    const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => undefined)
    if (status === undefined || /^TracerPid:\s*[1-9]/m.test(status)) return
    await sleep(10)
  }
  throw new Error(`strace did not attach to thread ${id}`)
}
