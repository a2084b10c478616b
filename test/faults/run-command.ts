import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { patienceMs, within } from './within.ts'

const execute = promisify(execFile)

/**
 * Runs a program of the system to its end; resolves to its output.
 *
 * @throws {Error} it failed, or did not end within five minutes
 */
export async function runCommand(program: string, ...args: readonly string[]): Promise<string> {
  const ended = execute(program, [...args], { timeout: patienceMs, killSignal: 'SIGKILL' })
  const { stdout } = await within(patienceMs + 1000, [program, ...args].join(' '), ended)
  return stdout
}

/** True if the program is installed and this user may run it with `args`. */
export function works(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}
