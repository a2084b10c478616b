import { cpus, loadavg, release, totalmem, type } from 'node:os'

/** The command, day and machine of a figure. */
export interface Origin {
  readonly command: string
  /** ISO 8601, the day alone. */
  readonly date: string
  readonly isQuick: boolean
  readonly machine: string
}

export function originOf(command: string, isQuick: boolean): Origin {
  return { command, date: new Date().toISOString().slice(0, 10), isQuick, machine: machine() }
}

function machine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`
  const kernel = `${type()} ${release().split('.', 2).join('.')}`
  const [load = 0] = loadavg()
  const others = load > cpus().length ? `, beside other work (load ${load.toFixed(0)})` : ''
  return `${cpus().length} cores, ${memory}, ${kernel}, Node.js ${process.versions.node}${others}`
}
