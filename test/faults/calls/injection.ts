import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { works } from '../run-command.ts'
import { within } from '../within.ts'

/** A thread of the daemon. */
export interface Thread {
  readonly id: number
  /** `main` does what SQLite asks for, `pool` what Node.js does; others have names of their own. */
  readonly name: string
}

/** The fault injected into a system call, instead of or before the call. */
export interface Fault {
  readonly call: string
  /** In the words of strace: `signal=SIGKILL`, `error=EIO`. */
  readonly effect: string
  /** Which call of the thread is hit, from 1 on. */
  readonly at: number
  /** Whether all further ones are hit as well. */
  readonly lasts?: boolean
}

/** Why no call can be made to fail here; undefined where it can. */
export function injectionObstacle(): string | undefined {
  if (!works('strace', '-V')) return 'failing system calls need strace (Debian: strace)'
  const trial = 'sleep 5 & strace -q -o /dev/null -p $! & sleep 0.5; kill %1; wait %2'
  return works('bash', '-c', trial) ? undefined : 'failing system calls need the right to trace'
}

const names: Readonly<Record<string, string>> = { MainThread: 'main', 'libuv-worker': 'pool' }

/** Those by which Node.js runs JavaScript, besides others that are there once. */
const idle = new Set(['DelayedTaskSche', 'V8Worker', 'SignalInspector'])

/** The threads that may write. There is one of the pool only with `UV_THREADPOOL_SIZE=1`. */
export async function threadsOf(pid: number): Promise<readonly Thread[]> {
  const threads: Thread[] = []
  for (const id of await readdir(`/proc/${pid}/task`)) {
    const name = (await readFile(`/proc/${pid}/task/${id}/comm`, 'utf8')).trim()
    if (!idle.has(name)) threads.push({ id: Number(id), name: names[name] ?? name })
  }
  return threads.map((thread, at) => ({ ...thread, name: distinct(thread, threads.slice(0, at)) }))
}

/** The second of a name is called so: `checkpoint 2`. */
function distinct({ name }: Thread, earlier: readonly Thread[]): string {
  const same = earlier.filter((thread) => thread.name === name).length
  return same === 0 ? name : `${name} ${same + 1}`
}

/** The calls of threads, as strace tells them: with the paths of their descriptors. */
export interface Tracing<Told> {
  /** Lets the threads go; answers the calls they made. */
  readonly end: () => Promise<Told>
}

/** Lets a call of a thread fail. `folder` takes the trace. */
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

/** Writes down the calls of all threads, by the name of the thread. */
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

/** Answers how to let go of the threads. */
async function attach(options: readonly string[], threads: readonly Thread[]) {
  const strace = spawn('strace', ['-q', '-y', ...options], { stdio: 'ignore' })
  const ended = once(strace, 'exit')
  for (const { id } of threads) await untilTraced(id)
  return async (): Promise<void> => {
    strace.kill('SIGINT')
    await within(10_000, 'strace lets go', ended)
  }
}

async function linesOf(path: string): Promise<readonly string[]> {
  return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
}

/** A thread that is hit at once may be gone before it is looked at. */
async function untilTraced(id: number): Promise<void> {
  for (let left = 500; left > 0; left -= 1) {
    const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => undefined)
    if (status === undefined || /^TracerPid:\s*[1-9]/m.test(status)) return
    await sleep(10)
  }
  throw new Error(`strace did not attach to thread ${id}`)
}
