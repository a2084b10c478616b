import { readdirSync, readFileSync } from 'node:fs'

/** What work took of the processor. Seconds. */
export interface ProcessorTime {
  /** Of the thread that took most. */
  readonly busiest: number
  /** Of all threads. */
  readonly total: number
}

/** The processor time of a process during `work`, on Linux. */
export async function processorTimeOf(
  pid: number,
  work: () => Promise<unknown>,
): Promise<ProcessorTime> {
  const before = threadTimes(pid)
  await work()
  const spent = [...threadTimes(pid)].map(([thread, time]) => time - (before.get(thread) ?? 0))
  return { busiest: Math.max(...spent), total: spent.reduce((sum, time) => sum + time, 0) }
}

/** Seconds of each thread so far. */
function threadTimes(pid: number): ReadonlyMap<string, number> {
  const folder = `/proc/${pid}/task`
  const times = new Map<string, number>()
  for (const thread of readdirSync(folder)) {
    const [nanoseconds] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')
    times.set(thread, Number(nanoseconds) / 1e9)
  }
  return times
}
