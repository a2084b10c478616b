import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { runProgram } from '../../daemon/serve/program.ts'
import { compileCache } from './compile-cache.ts'

const program = fileURLToPath(new URL('../../daemon/bin.mjs', import.meta.url))

/** Exit status and output of `depositd`. */
export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Starts the built `depositd` on `home` as a process of its own.
 *
 * @param under a command that runs another one
 */
export function spawnDepositd(
  home: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  under: readonly string[] = [],
): ChildProcess & { readonly ended: Promise<Ended> } {
  const [command = process.execPath, ...rest] = [...under, process.execPath, program, ...args]
  const child = spawn(command, rest, {
    env: { ...process.env, ...compileCache(), ...env, DEPOSIT_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return Object.assign(child, { ended: endOf(child) })
}

/** Runs `depositd` to its end. */
export function runDepositd(
  home: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  return spawnDepositd(home, args, env).ended
}

/** The same in this process, which is faster; not for `serve`. */
export async function operateHere(
  home: string | undefined,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const texts = { stdout: '', stderr: '' }
  const captured = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk: unknown): boolean => {
      texts[name] += String(chunk)
      return true
    }),
  )
  const listeners = new Map(signals.map((name) => [name, process.listeners(name)]))
  try {
    await runProgram({ ...env, ...(home !== undefined && { DEPOSIT_HOME: home }) }, args)
    return { status: Number(process.exitCode ?? 0), ...texts }
  } finally {
    for (const each of captured) each.mockRestore()
    process.exitCode = undefined
    for (const name of signals) {
      const before = new Set(listeners.get(name))
      const added = process.listeners(name).filter((listener) => !before.has(listener))
      for (const listener of added) process.off(name, listener)
    }
  }
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** The URL that a daemon reports; undefined if it ends before. */
export async function listeningUrl(child: ChildProcess): Promise<string | undefined> {
  if (!child.stdout) return undefined
  const lines = createInterface(child.stdout)
  const found = new Promise<string | undefined>((resolve) => {
    lines.on('line', (line) => {
      const url = /listening on (\S+)/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
    lines.once('close', () => resolve(undefined))
  })
  return found
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const [stdout, stderr]: string[] = ['', '']
  const texts = { stdout, stderr }
  child.stdout?.on('data', (chunk) => (texts.stdout += String(chunk)))
  child.stderr?.on('data', (chunk) => (texts.stderr += String(chunk)))
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, stdout: texts.stdout ?? '', stderr: texts.stderr ?? '' }
}
