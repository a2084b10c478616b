import { readFileSync } from 'node:fs'
import { processesBelow } from '../processes.ts'

/** Seconds of the processor that the servers of a place have taken. */
export interface ServerTimes {
  readonly daemons: number
  readonly database: number
  readonly store: number
}

/** Of all servers that this process has started, on Linux. */
export function serverTimes(daemons: readonly number[]): ServerTimes {
  const times = { daemons: 0, database: 0, store: 0 }
  for (const pid of processesBelow(process.pid)) {
    const { name, seconds } = statOf(pid)
    if (daemons.includes(pid)) times.daemons += seconds
    else if (name === 'postgres') times.database += seconds
    else if (name.startsWith('python')) times.store += seconds
  }
  return times
}

/** Ticks of the processor's clock in a second, as Linux tells them. @see proc(5) */
const ticks = 100

/**
 * Counts its children that have ended as well: PostgreSQL has a process for each connection. Nothing for
 * a process that has ended itself.
 */
function statOf(pid: number): { readonly name: string; readonly seconds: number } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(text) ?? []
    const spent = rest.split(' ').slice(11, 15).map(Number)
    return { name, seconds: spent.reduce((sum, each) => sum + each, 0) / ticks }
  } catch {
    return { name: '', seconds: 0 }
  }
}
