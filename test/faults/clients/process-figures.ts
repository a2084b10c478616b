import { readdir, readFile } from 'node:fs/promises'

/** What a process takes from the machine at a moment. */
export interface ProcessFigures {
  readonly memoryMiB: number
  /** Open files and sockets. */
  readonly descriptors: number
}

export async function processFigures(pid: number): Promise<ProcessFigures> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kibibytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? NaN)
  const open = await readdir(`/proc/${pid}/fd`)
  return { memoryMiB: Math.round(kibibytes / 1024), descriptors: open.length }
}
