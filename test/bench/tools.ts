import { spawnSync } from 'node:child_process'

/** True if a program of this name can be run. */
function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
}

/** Why this cannot be measured here; undefined if all of `programs` are installed. */
export function missing(...programs: readonly string[]): string | undefined {
  const lacking = programs.filter((program) => !isInstalled(program))
  return lacking.length === 0 ? undefined : `not installed: ${lacking.join(', ')}`
}

/** Why this command cannot run programs here; undefined if it can. */
export function impossible([program = '', ...args]: readonly string[]): string | undefined {
  const { status, stderr } = spawnSync(program, args)
  return status === 0 ? undefined : `${program} does not work here: ${String(stderr ?? '')}`.trim()
}
