import { readFile, rm } from 'node:fs/promises'
import { writeTextDurably } from '../core/base/durable-files.ts'
import type { Home } from './home.ts'

/** Says in the home who runs there and where, until it is disposed of. */
export async function announce(home: Home, url: string, version: string): Promise<AsyncDisposable> {
  const started = new Date().toISOString()
  const text = `${JSON.stringify({ pid: process.pid, url, version, started })}\n`
  await writeTextDurably(home.announcement, text)
  return {
    [Symbol.asyncDispose]: async () => {
      const current = await readFile(home.announcement, 'utf8').catch(() => '')
      if (current === text) await rm(home.announcement, { force: true })
    },
  }
}
