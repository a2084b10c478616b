import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { makeFolders } from './durable-files.ts'
import { codeOf } from './errno.ts'

/** Between two attempts to take a lock that another command has. */
const lookMs = 25

/** Runs `work` under the lock `file`. */
export async function whileLocked<T>(
  file: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  makeFolders(dirname(file), 0o700)
  for (;;) {
    await using lock = await takeLock(file)
    if (lock !== undefined) return await work()
    await wait(lookMs, undefined, { signal })
  }
}

/** Takes the lock `file`; undefined while another process holds it. */
export async function takeLock(file: string): Promise<AsyncDisposable | undefined> {
  const mine = `${process.pid} ${randomUUID()}`
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, mine, { flag: 'wx', mode: 0o600 })
    // Linked, not written in place, so that a lock always names its holder.
    await link(draft, file)
    return { [Symbol.asyncDispose]: () => rm(file, { force: true }) }
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    await removeIfAbandoned(file)
    return undefined
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Removes the lock of a process that ended, under a lock of its own: otherwise it could remove the
 * lock that another command has taken since it looked.
 */
async function removeIfAbandoned(file: string): Promise<void> {
  const found = await read(file)
  const [holder, id = ''] = found?.split(' ') ?? []
  if (found === undefined || isAlive(Number(holder))) return
  await using removal = await takeLock(`${file}.${id}`)
  if (removal !== undefined && (await read(file)) === found) await rm(file, { force: true })
}

async function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined)
}

/** True while this process runs and is of this user. One that has ended may wait for its parent. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !isZombie(pid)
  } catch {
    return false
  }
}

/**
 * Linux tells the state of a process behind its name, which may have any signs. One of its threads may
 * still be writing after the first has ended.
 */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const hasEnded = /\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    return hasEnded && readdirSync(`/proc/${pid}/task`).length <= 1
  } catch {
    return false
  }
}
