import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a program of the system to its end; answers what it printed. @throws {Error} it failed */
export async function runCommand(program: string, ...args: readonly string[]): Promise<string> {
  return (await execute(program, [...args])).stdout
}

/** True where the program is there and this user may do what `args` ask of it. */
export function works(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}
