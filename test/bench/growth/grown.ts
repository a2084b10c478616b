import { startDaemon, startSettled, type Daemon } from '../daemon.ts'
import type { Home } from '../home.ts'
import { insertInto } from '../seed.ts'
import type { Workshop } from '../workshop.ts'
import type { Growth } from './curve.ts'

const counts = [100, 1000, 10_000, 100_000, 1_000_000] as const

/** A curve of the time that things take beside up to a million of what is counted. */
export const upToAMillion = {
  y: { label: 'time', unit: 's' },
  obstacle: () => undefined,
  amounts: ({ scale }) => counts.filter((count) => count <= scale.manyDeposits),
} as const satisfies Partial<Growth>

/** Puts rows into a database. */
export interface Copies {
  /** The first row that meets a condition, as a request left it. */
  readonly row: (table: string, condition: string) => Readonly<Record<string, unknown>>
  readonly add: (table: string, row: object) => void
  readonly run: (sql: string) => void
}

interface Growing<Made> {
  /** Does by requests what is to be there many times. */
  readonly make: (daemon: Daemon, home: Home) => Promise<Made>
  /** Adds what further requests would, as a million of them take long. */
  readonly copy: (copies: Copies, made: Made) => void
  /** Settings of the daemon that is measured. */
  readonly env?: (home: Home) => Promise<NodeJS.ProcessEnv>
}

/** A daemon on a new home in which something is there many times, and what was made by requests. */
export async function grown<Made>(
  workshop: Workshop,
  stack: AsyncDisposableStack,
  { make, copy, env }: Growing<Made>,
): Promise<{ readonly daemon: Daemon; readonly made: Made }> {
  const empty = await workshop.home(stack)
  const home = env ? { ...empty, env: await env(empty) } : empty
  const made = await makeIn(home, make)
  insertInto(home.path, (into, sqlite) =>
    copy(
      {
        row: (table, condition) => {
          const found = sqlite.prepare(`SELECT * FROM ${table} WHERE ${condition} LIMIT 1`).get()
          if (found === undefined) throw new Error(`${table} has no row with ${condition}`)
          return found as Readonly<Record<string, unknown>>
        },
        add: (table, row) => into.table(table, row),
        run: (sql) => void sqlite.exec(sql),
      },
      made,
    ),
  )
  const daemon = stack.use(await startSettled(home))
  return { daemon, made: movedTo(daemon.url, made) }
}

/** Each start has another port. */
function movedTo<Made>(origin: string, made: Made): Made {
  const json = JSON.stringify(made).replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):\d+/g, origin)
  return JSON.parse(json) as Made
}

async function makeIn<Made>(home: Home, make: Growing<Made>['make']): Promise<Made> {
  await using daemon = await startDaemon(home)
  return await make(daemon, home)
}

/** An id of the form that most rows have. */
export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${hex(number, 12)}`
}

/** A number in so many hexadecimal digits. */
export function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0')
}
