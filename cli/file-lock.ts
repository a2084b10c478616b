import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isAlive } from './local-daemon/find.ts'

/** Between two looks at a lock that another command has. */
const lookMs = 25

/** Runs `work` while no other command runs its own under the same file. */
export async function whileLocked<T>(
  file: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  for (;;) {
    await using lock = await takeLock(file)
    if (lock !== undefined) return await work()
    await wait(lookMs, undefined, { signal })
  }
}

/** Makes `file` the lock of this process; undefined while another one has it. */
export async function takeLock(file: string): Promise<AsyncDisposable | undefined> {
  const mine = `${process.pid} ${randomUUID()}`
  const draft = nameBeside(file)
  await writeFile(draft, mine, { flag: 'wx', mode: 0o600 })
  try {
    // Linked rather than written in place: a lock is never seen without its holder.
    await link(draft, file)
    return { [Symbol.asyncDispose]: () => rm(file, { force: true }) }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    await removeIfAbandoned(file)
    return undefined
  } finally {
    await rm(draft, { force: true })
  }
}

async function removeIfAbandoned(file: string): Promise<void> {
  const found = await read(file)
  const holder = Number(found?.split(' ')[0])
  if (found === undefined || isAlive(holder)) return
  const aside = nameBeside(file)
  await rename(file, aside).catch(() => {})
  // Another command may have removed it, and taken the lock, between our two looks.
  const moved = await read(aside)
  if (moved !== undefined && moved !== found) await link(aside, file).catch(() => {})
  await rm(aside, { force: true })
}

async function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined)
}

function nameBeside(file: string): string {
  return `${file}.${randomUUID()}`
}
