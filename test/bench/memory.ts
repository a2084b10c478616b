import { readFileSync } from 'node:fs'

/** The peak memory of a process so far, in 10⁶ bytes; 0 for one that has ended. */
export function peakMemory(pid: number): number {
  try {
    const [, kibibytes] =
      /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return (Number(kibibytes ?? 0) * 1024) / 1e6
  } catch {
    return 0
  }
}
