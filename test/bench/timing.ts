import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Duration of `work` in seconds. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

/** Runs a program to its end. @throws {Error} it failed, with what it wrote to standard error */
export async function run(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [status]] = (await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    once(child, 'close'),
  ])) as [Buffer[], Buffer[], [number | null]]
  if (status === 0) return Buffer.concat(out).toString()
  throw new Error(`${program} ended with ${status}: ${Buffer.concat(err).toString()}`)
}
