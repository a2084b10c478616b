import { readFile, rm } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { writeTextDurably } from '../../core/base/durable-files.ts'
import type { Home } from './home.ts'

const againMs = 10_000

/**
 * Writes the address and process id of the daemon into the home, until it is disposed of. On a full
 * disk the daemon serves all the same and retries until the file is written.
 */
export async function announce(
  home: Home,
  url: string,
  version: string,
  logger: Logger,
): Promise<AsyncDisposable> {
  const started = new Date().toISOString()
  const text = `${JSON.stringify({ pid: process.pid, url, version, started })}\n`
  const ended = new AbortController()
  const write = async (): Promise<boolean> => {
    try {
      await writeTextDurably(home.announcement, text)
      return true
    } catch (error) {
      if (!ended.signal.aborted) logger.warn({ err: error }, unannounced(home))
      return false
    }
  }
  const writeLater = async (): Promise<void> => {
    try {
      do await setTimeout(againMs, undefined, { ref: false, signal: ended.signal })
      while (!(await write()))
    } catch {
      // The daemon ends.
    }
  }
  const writing = (await write()) ? undefined : writeLater()
  return {
    [Symbol.asyncDispose]: async () => {
      ended.abort()
      await writing
      const current = await readFile(home.announcement, 'utf8').catch(() => '')
      if (current === text) await rm(home.announcement, { force: true })
    },
  }
}

function unannounced({ announcement }: Home): string {
  return (
    `${announcement} cannot be written: the daemon serves, but commands on this machine do not find it. ` +
    'Make room on its disk; it is tried again.'
  )
}
