import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from './find.ts'

/**
 * Makes one of many commands the one that starts the daemon; undefined where another has it.
 *
 * It only saves work: that there is one daemon to a home, the daemon itself sees to.
 */
export async function takeStartLock(home: string): Promise<AsyncDisposable | undefined> {
  const path = join(home, 'start.lock')
  try {
    await using file = await open(path, 'wx', 0o600)
    await file.writeFile(String(process.pid))
    return { [Symbol.asyncDispose]: () => rm(path, { force: true }) }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    await removeIfAbandoned(path)
    return undefined
  }
}

async function removeIfAbandoned(path: string): Promise<void> {
  const holder = Number(await readFile(path, 'utf8').catch(() => '0'))
  // Empty for the moment between making it and writing to it.
  if (holder > 0 && !isAlive(holder)) await rm(path, { force: true })
}
