import { spawnSync } from 'node:child_process'

/** True where a program of this name can be run. */
export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
}

/** Why none of this can be measured here; undefined where all of `programs` are installed. */
export function missing(...programs: readonly string[]): string | undefined {
  const lacking = programs.filter((program) => !isInstalled(program))
  return lacking.length === 0 ? undefined : `not installed: ${lacking.join(', ')}`
}
