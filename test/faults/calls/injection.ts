import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { works } from '../run-command.ts'

/** A thread of the daemon, and what it is there for. */
export interface Thread {
  readonly id: number
  /** The main one does what SQLite asks for, the one of the pool what Node.js does. */
  readonly name: 'main' | 'pool'
}

/** What is done to a call of the system instead of, or before, carrying it out. */
export interface Fault {
  readonly call: string
  /** In the words of strace: `signal=SIGKILL`, `error=EIO`. */
  readonly effect: string
  /** Which call of the thread is hit, from 1 on. */
  readonly at: number
}

/** Why no call can be made to fail here; undefined where it can. */
export function injectionObstacle(): string | undefined {
  if (!works('strace', '-V')) return 'failing system calls need strace (Debian: strace)'
  const trial = 'sleep 5 & strace -q -o /dev/null -p $! & sleep 0.5; kill %1; wait %2'
  return works('bash', '-c', trial) ? undefined : 'failing system calls need the right to trace'
}

/** The threads that write. There is one of the pool only with `UV_THREADPOOL_SIZE=1`. */
export async function threadsOf(pid: number): Promise<readonly Thread[]> {
  const threads: Thread[] = [{ id: pid, name: 'main' }]
  for (const id of await readdir(`/proc/${pid}/task`)) {
    const name = await readFile(`/proc/${pid}/task/${id}/comm`, 'utf8')
    if (name.trim() === 'libuv-worker') threads.push({ id: Number(id), name: 'pool' })
  }
  return threads
}

/** A fault that waits for its call. */
export interface Injection {
  /** Lets the thread go; answers the calls it made, with paths, as strace tells them. */
  readonly end: () => Promise<readonly string[]>
}

/** Attaches to a thread. `folder` takes the trace. */
export async function inject(thread: Thread, fault: Fault, folder: string): Promise<Injection> {
  const trace = join(folder, 'trace')
  const { call, effect, at } = fault
  const options = ['-q', '-y', '-o', trace, '-e', `trace=${call}`, '-p', String(thread.id)]
  const strace = spawn('strace', [...options, '-e', `inject=${call}:${effect}:when=${at}`], {
    stdio: 'ignore',
  })
  const ended = once(strace, 'exit')
  await untilTraced(thread.id)
  return {
    end: async () => {
      strace.kill('SIGINT')
      await ended
      return (await readFile(trace, 'utf8')).split('\n').filter((line) => line !== '')
    },
  }
}

async function untilTraced(id: number): Promise<void> {
  for (let left = 500; left > 0; left -= 1) {
    const status = await readFile(`/proc/${id}/status`, 'utf8')
    if (/^TracerPid:\s*[1-9]/m.test(status)) return
    await sleep(10)
  }
  throw new Error(`strace did not attach to thread ${id}`)
}
