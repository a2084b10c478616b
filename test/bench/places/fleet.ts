import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { hasS3, s3Credentials, startS3, storeAt } from '../../support/s3.ts'
import { startDaemon, type Daemon } from '../daemon.ts'
import { makeHome } from '../home.ts'
import { missing } from '../tools.ts'
import type { Workshop } from '../workshop.ts'

/** Daemons that serve the same deposits, whose rows and bytes are in one place. */
export interface Fleet {
  readonly name: string
  readonly daemons: 1 | 2 | 3
  readonly rows: 'SQLite' | 'PostgreSQL'
  readonly bytes: 'a folder' | 'S3'
}

/** The reference first. */
export const fleets: readonly Fleet[] = [
  { name: 'SQLite and a folder', daemons: 1, rows: 'SQLite', bytes: 'a folder' },
  { name: 'PostgreSQL and a folder', daemons: 1, rows: 'PostgreSQL', bytes: 'a folder' },
  { name: 'PostgreSQL and S3', daemons: 1, rows: 'PostgreSQL', bytes: 'S3' },
  { name: 'PostgreSQL and S3, two daemons', daemons: 2, rows: 'PostgreSQL', bytes: 'S3' },
  { name: 'PostgreSQL and S3, three daemons', daemons: 3, rows: 'PostgreSQL', bytes: 'S3' },
]

/** Why none can be measured here; undefined if they can. */
export function obstacle(): string | undefined {
  if (process.platform !== 'linux') return 'the time of processes is read from /proc'
  if (!hasPostgres()) return 'not installed: postgresql-15'
  return hasS3() ? missing('wrk', 'curl') : 'not installed: python3-swift'
}

interface Running {
  readonly daemons: readonly Daemon[]
  /** Tidies the rows as PostgreSQL does by itself, some minutes after many of them were added. */
  readonly tidy: () => Promise<void>
}

/** Starts the daemons, and the servers that they need, owned by `stack`. */
export async function startFleet(
  { daemons, rows, bytes }: Fleet,
  workshop: Workshop,
  stack: AsyncDisposableStack,
): Promise<Running> {
  const env: NodeJS.ProcessEnv = {}
  let tidy = async (): Promise<void> => {}
  if (rows === 'PostgreSQL') {
    const server = stack.use(await startPostgres({ durable: true }))
    const url = await server.database(randomUUID())
    env['DEPOSIT_DATABASE_URL'] = url
    tidy = async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      await client.query('vacuum analyze')
      await client.end()
    }
  }
  if (bytes === 'S3') {
    const { endpoint } = stack.use(await startS3())
    Object.assign(env, s3Credentials, { DEPOSIT_STORAGE_URL: storeAt(endpoint, 'bench') })
  }
  const first = await makeHome(await workshop.folder(stack), env)
  const running: Daemon[] = []
  for (let index = 0; index < daemons; index += 1) {
    const path = index === 0 ? first.path : await workshop.folder(stack)
    running.push(stack.use(await startDaemon({ ...first, path })))
  }
  return { daemons: running, tidy }
}
