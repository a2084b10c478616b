import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A PostgreSQL server of our own on a free port; disposing of it removes it. */
export interface PostgresServer extends AsyncDisposable {
  /** Address of the server, without a database; it ends in a slash. */
  readonly url: string
  /** Address of a database, which is created empty if it does not exist. */
  readonly database: (name: string, options?: string) => Promise<string>
  /** Address of a new database, which has all tables and no rows of ours. */
  readonly migrated: () => Promise<string>
  /** Stops the server as a crash would, and starts it again. */
  readonly crash: () => Promise<void>
  /** Stops its processes, each where it is, until it is told to continue. */
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void
}

/** The server's programs: those in `PG_BINDIR`, or else the newest that Debian has installed. */
function binaries(): string | undefined {
  const installed = '/usr/lib/postgresql'
  const versions = existsSync(installed) ? readdirSync(installed) : []
  const newest = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((v) => join(installed, v, 'bin'))
  const places = [process.env['PG_BINDIR'] ?? '', ...newest]
  return places.find((place) => existsSync(join(place, 'initdb')))
}

/** True if PostgreSQL is installed; reports it loudly if it is not. */
export function hasPostgres(): boolean {
  if (binaries() !== undefined) return true
  process.stderr.write('\nSKIPPED: tests on PostgreSQL, for none is installed (postgresql-15)\n')
  return false
}

/** The user the server runs as: it refuses root, and `nobody` exists on every system. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Settings without flushes; tests that cut the power ask for `durable`. */
const careless = ['-F', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off']

const password = 'test'

export interface PostgresSettings {
  /** Flushes commits to the disk: for tests that cut the power or measure times. */
  readonly durable?: boolean
  /** Further settings by name. */
  readonly settings?: Readonly<Record<string, string>>
  /** Called with each line of its log, once it is ready. */
  readonly heard?: (line: string) => void
  /** A folder that outlives the server, with or without a cluster; a temporary one by default. */
  readonly folder?: string
}

/** Starts a server on a cluster, which is created if it does not exist. */
export async function startPostgres({
  durable = false,
  settings = {},
  heard = () => {},
  folder: lasting,
}: PostgresSettings = {}): Promise<PostgresServer> {
  const bin = binaries()
  if (bin === undefined) throw new Error('PostgreSQL is not installed')
  await using stack = new AsyncDisposableStack()
  const folder = lasting ?? stack.use(await temporaryFolder()).path
  if (!existsSync(join(folder, 'data'))) makeCluster(bin, folder)
  const port = await freePort()
  const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const flags = ['-D', 'data', '-p', String(port), '-h', '127.0.0.1', '-k', '', ...set]
  const run = () =>
    startServer(join(bin, 'postgres'), durable ? flags : [...flags, ...careless], folder, heard)
  let server = await run()
  stack.defer(() => server.stop('SIGINT'))
  const owned = stack.move()
  let template: Promise<void> | undefined
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/`
  return {
    url,
    database: (name, options) => makeDatabase(url, name, options),
    migrated: async () => {
      await (template ??= makeTemplate(url))
      return makeDatabase(url, randomUUID(), '', templateName)
    },
    crash: async () => {
      await server.stop('SIGQUIT')
      server = await run()
    },
    signal: (name) => server.signal(name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/**
 * Creates a database if it does not exist; resolves to its address.
 *
 * @param server address of the server, ending in a slash
 * @param options of `CREATE DATABASE`
 * @param template the database that it is a copy of
 */
export async function makeDatabase(
  server: string,
  name: string,
  options = '',
  template = 'template0',
): Promise<string> {
  const client = new Client({ connectionString: `${server}postgres` })
  await client.connect()
  try {
    const known = await client.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (known.rowCount === 0)
      await client.query(`CREATE DATABASE "${name}" TEMPLATE ${template} ${options}`)
  } finally {
    await client.end()
  }
  return server + name
}

const templateName = 'migrated'

async function makeTemplate(server: string): Promise<void> {
  const { openPostgres } = await import('../../core/adapters/database/open-postgres.ts')
  const { migratePostgres } = await import('../../core/adapters/postgres/migrate-postgres.ts')
  const db = openPostgres(await makeDatabase(server, templateName), { connections: 1 })
  try {
    await migratePostgres(db)
  } finally {
    await db.destroy()
  }
}

function makeCluster(bin: string, folder: string): void {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, `${password}\n`)
  if (nobody.uid !== undefined) {
    for (const path of [folder, passwordFile]) chownSync(path, nobody.uid, nobody.gid)
  }
  const flags = ['-D', 'data', '-U', 'postgres', '--auth=scram-sha-256', '--pwfile=password']
  const locale = ['-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
  const options = { ...nobody, cwd: folder, env: environment(folder), encoding: 'utf8' } as const
  const { status, error, stderr } = spawnSync(join(bin, 'initdb'), [...flags, ...locale], options)
  if (status !== 0) throw new Error(`initdb: ${stderr}`, { cause: error })
}

interface Server {
  /** @param signal SIGINT ends connections and stops; SIGQUIT is a crash */
  readonly stop: (signal: 'SIGINT' | 'SIGQUIT') => Promise<void>
  readonly signal: PostgresServer['signal']
}

async function startServer(
  program: string,
  flags: readonly string[],
  folder: string,
  heard: (line: string) => void,
): Promise<Server> {
  const options = { ...nobody, cwd: folder, env: environment(folder) }
  const child = spawn(program, flags, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  const killAtExit = (): void => void child.kill('SIGQUIT')
  process.on('exit', killAtExit)
  const said: string[] = []
  const lines = createInterface(child.stderr)
  await new Promise<void>((ready, fail) => {
    lines.on('line', (line) => {
      said.push(line)
      if (line.includes('ready to accept connections')) ready()
    })
    child.once('error', fail)
    child.once('exit', () => fail(new Error(`postgres ended:\n${said.join('\n')}`)))
  })
  lines.removeAllListeners('line').on('line', heard)
  return {
    stop: async (signal) => {
      process.off('exit', killAtExit)
      child.kill(signal)
      await ended
    },
    signal: (name) => {
      // The first of them starts the others: while it is stopped, there are no more.
      child.kill(name)
      const others = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
      for (const pid of others.trim().split(' ')) process.kill(Number(pid), name)
    },
  }
}

function environment(folder: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', HOME: folder }
}
