import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Daemon } from './daemon.ts'
import { peakMemory } from './memory.ts'

const program = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url))

/**
 * Runs `deposit ARGS` against `daemon`, as the measured user.
 *
 * @returns its peak memory in 10⁶ bytes
 * @throws {Error} it failed, with what it wrote to standard error
 */
export async function deposit({ url, token }: Daemon, ...args: readonly string[]): Promise<number> {
  return depositWith({ DEPOSIT_URL: url, DEPOSIT_TOKEN: token }, ...args)
}

/** The same with these variables, without a daemon. */
export async function depositWith(
  environment: NodeJS.ProcessEnv,
  ...args: readonly string[]
): Promise<number> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const complaints = child.stderr.toArray()
  const ended = once(child, 'close') as Promise<[number | null]>
  let peak = 0
  const watch = setInterval(() => (peak = Math.max(peak, peakMemory(child.pid ?? 0))), 20)
  const [status] = await ended
  clearInterval(watch)
  if (status === 0) return peak
  const said = Buffer.concat((await complaints) as Buffer[]).toString()
  throw new Error(`deposit ${args.join(' ')} ended with ${status}: ${said}`)
}
