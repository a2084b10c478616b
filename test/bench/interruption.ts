import { readdirSync, readFileSync, rmSync } from 'node:fs'

/** On Ctrl-C or when told to end, leaves nothing behind: no process, and no folder. */
export function cleanUpWhenInterrupted(folder: string): void {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    process.once(signal, () => {
      for (const pid of descendants(process.pid)) kill(pid)
      rmSync(folder, { recursive: true, force: true })
      process.exit(128 + number)
    })
  }
}

/** Every process that was started below this one (Linux; elsewhere Ctrl-C reaches them itself). */
function descendants(root: number): readonly number[] {
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

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}
