import { readdirSync, readFileSync } from 'node:fs'

/** Kills all descendants of this process. */
export function endAllBelow(): void {
  for (const pid of processesBelow(process.pid)) endProcess(pid, 'SIGKILL')
}

/** Kills a process that may have ended by itself. */
export function endProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** All descendants of a process; none but on Linux: elsewhere Ctrl-C reaches them directly. */
export function processesBelow(root: number): readonly number[] {
  const parents = new Map(processes().map((pid) => [pid, parentOf(pid)]))
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (parents.get(pid) === root || isBelow(parents.get(pid)))
  return [...parents.keys()].filter(isBelow)
}

function processes(): readonly number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function parentOf(pid: number): number | undefined {
  try {
    // The name before it is in parentheses, and may hold any character.
    const [, rest = ''] = /^.*\) . (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return Number.parseInt(rest, 10)
  } catch {
    return undefined
  }
}
