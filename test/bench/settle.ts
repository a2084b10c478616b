import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { send } from '../support/http.ts'
import type { Daemon } from './daemon.ts'

/** Longest background work of a daemon, such as catching up with a search index. */
const limitMinutes = 50

/** Clock ticks of the processor in a second, on Linux. */
const ticks = 100

/** Waits until a daemon has no background work. @throws {Error} it never becomes idle */
export async function settled({ pid, url }: Pick<Daemon, 'pid' | 'url'>): Promise<void> {
  const end = performance.now() + limitMinutes * 60_000
  for (let quietSeconds = 0; quietSeconds < 2;) {
    const before = processorTicks(pid)
    await setTimeout(1000)
    const share = (processorTicks(pid) - before) / ticks
    // On a busy machine it may look idle while it waits for the disk.
    quietSeconds = share < 0.1 && (await isSearchReady(url)) ? quietSeconds + 1 : 0
    if (performance.now() > end) throw new Error(`busy for ${limitMinutes} minutes by itself`)
  }
}

async function isSearchReady(url: string): Promise<boolean> {
  const { bytes } = await send('GET', `${url}/metrics`)
  return /^deposit_search_ready 1$/m.test(bytes.toString())
}

/** The processor time of the process so far; 0 where there is no /proc. */
function processorTicks(pid: number): number {
  if (process.platform !== 'linux') return 0
  // The name before it is in parentheses, and may hold any character.
  const [, rest = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
  const fields = rest.split(' ')
  return Number(fields[11]) + Number(fields[12])
}
