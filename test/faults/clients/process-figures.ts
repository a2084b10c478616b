import { readdir, readFile } from 'node:fs/promises'

/** Resources that a process uses at a moment. */
export interface ProcessFigures {
  readonly memoryMiB: number
  /** The peak so far. */
  readonly peakMiB: number
  /** Open files and sockets. */
  readonly descriptors: number
}

export async function processFigures(pid: number): Promise<ProcessFigures> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const mebibytes = (name: string): number =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? NaN) / 1024)
  const open = await readdir(`/proc/${pid}/fd`)
  return {
    memoryMiB: mebibytes('VmRSS'),
    peakMiB: mebibytes('VmHWM'),
    descriptors: open.length,
  }
}
