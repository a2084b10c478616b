import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compileCache } from './compile-cache.ts'

const ownProgram = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url))

/** The command line as a process of its own. */
export interface DepositProcess extends Disposable {
  readonly pid: number
  readonly kill: (signal: NodeJS.Signals) => void
  /** The first match in its standard error; fails when the process ends without one. */
  readonly told: (pattern: RegExp) => Promise<readonly string[]>
  readonly ended: Promise<Ended>
}

/** Exit status and output of a command. */
export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Start {
  /** The command line of another package. */
  readonly program?: string | undefined
  /** The working directory. */
  readonly folder?: string
  /** A command to run it under, such as `setpriv`. */
  readonly wrap?: readonly string[]
}

/**
 * Starts `deposit ARGS`; variables that `environment` does not name are those of the test, but for
 * `CI`: a suite that runs in a pipeline shows the same as one that does not.
 */
export function startDeposit(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { program = ownProgram, folder, wrap = [] }: Start = {},
): DepositProcess {
  const [first, ...rest] = [...wrap, process.execPath, program, ...args] as const
  const child = spawn(first ?? '', rest, {
    cwd: folder,
    env: { ...process.env, CI: '', ...compileCache(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => (stderr += String(chunk)))
  const ended = once(child, 'close').then(() => ({ status: child.exitCode, stdout, stderr }))
  return {
    pid: child.pid ?? 0,
    ended,
    kill: (signal) => void child.kill(signal),
    told: async (pattern) => {
      for (;;) {
        const found = pattern.exec(stderr)
        if (found !== null) return found
        if (child.exitCode !== null) throw new Error(`it ended without saying so: ${stderr}`)
        await Promise.race([once(child.stderr, 'data'), once(child, 'close')])
      }
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  }
}
