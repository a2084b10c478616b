import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { LastingDaemon } from './lasting-daemon.ts'

/** Why no system call of the daemon can be made to fail; undefined if one can. */
export const noFailingCalls: string | undefined =
  spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
    ? undefined
    : 'failing system calls need strace and the right to trace'

/** Why the files of the daemon cannot be limited in size; undefined if they can. */
export const noFileLimit: string | undefined =
  spawnSync('prlimit', ['--version']).status === 0 ? undefined : 'it needs prlimit'

/** Makes system calls of the daemon fail by the `rules` of strace, until it is disposed of. */
export async function failCalls(
  daemon: LastingDaemon,
  ...rules: readonly string[]
): Promise<AsyncDisposable> {
  return trace(daemon, rules)
}

/** As {@link failCalls}, those on the file or folder at `path` alone. */
export async function failCallsOn(
  path: string,
  daemon: LastingDaemon,
  ...rules: readonly string[]
): Promise<AsyncDisposable> {
  return trace(daemon, rules, '-P', path)
}

async function trace(
  { pid }: LastingDaemon,
  rules: readonly string[],
  ...which: readonly string[]
): Promise<AsyncDisposable> {
  const options = rules.flatMap((rule) => ['-e', `inject=${rule}`])
  const calls = rules.map((rule) => rule.split(':')[0]).join(',')
  const args = [
    '-f',
    '-o',
    '/dev/null',
    '-e',
    `trace=${calls}`,
    ...options,
    ...which,
    '-p',
    String(pid()),
  ]
  const tracer = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const line of createInterface(tracer.stderr)) if (/attached/.test(line)) break
  return {
    [Symbol.asyncDispose]: async () => {
      tracer.kill('SIGINT')
      await once(tracer, 'exit')
    },
  }
}

/** Limits the size of each file of the daemon to this many bytes (or `unlimited`). */
export function limitFiles({ pid }: LastingDaemon, bytes: string): void {
  spawnSync('prlimit', ['--pid', String(pid()), `--fsize=${bytes}:unlimited`])
}
