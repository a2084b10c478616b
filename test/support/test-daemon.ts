import { Writable } from 'node:stream'
import { pino } from 'pino'
import { actionsScope, writeScope, type Scope } from '../../core/contract/scopes.ts'
import type { GrantedRole } from '../../core/index.ts'
import { buildDaemon, type Daemon } from '../../daemon/serve/build-daemon.ts'
import { readConfig } from '../../daemon/config/config.ts'
import { prepareHome } from '../../daemon/home/home.ts'
import { operateAsOwner } from './owner.ts'
import { databaseOf, searchIsInRows } from './test-database.ts'
import { storageOf } from './test-storage.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { User } from './user.ts'

/** The scopes of a user's token. */
export interface Rights {
  /** Both scopes of the service by default. */
  readonly scopes?: readonly Scope[]
  /** Has the permission `deposit-admin-access`. */
  readonly admin?: boolean
  /** Roles beside that of an administrator. */
  readonly roles?: readonly GrantedRole[]
  /** The one deposit that the token is limited to. */
  readonly deposit?: string
}

/** The real daemon in this process, with a temporary home and its own socket. */
export interface TestDaemon extends AsyncDisposable {
  /** Scheme, host and port. */
  readonly origin: string
  /** Address of the REST interface. */
  readonly url: string
  readonly home: string
  /** A user by name, made with the first request. The same name is the same user. */
  readonly as: (name: string, rights?: Rights) => User
  readonly visitor: User
  readonly routes: Daemon['routes']
  /** Runs an operator's command; answers the last line it prints. */
  readonly operate: (command: string, options?: Readonly<Record<string, string>>) => Promise<string>
  /** The same; answers every line. */
  readonly operateAll: (
    command: string,
    options?: Readonly<Record<string, string>>,
  ) => Promise<readonly string[]>
  /** Paths of the bytes that are stored or being stored, below the home. */
  readonly storedBytes: () => Promise<readonly string[]>
  /** Names of the uploads that have bytes. */
  readonly storedUploads: () => Promise<readonly string[]>
  /** The warnings that the daemon logged. */
  readonly warnings: () => readonly string[]
  /** Whether bytes are being stored at the moment. */
  readonly isReceiving: () => Promise<boolean>
}

/** Background work that starts after a minute would disturb tests, but only on a busy machine. */
const unhurried = { DEPOSIT_SCRUB_DAYS: '0' }

interface Options {
  readonly env?: Readonly<Record<string, string>>
  /** Files of the temporary home: `deposit.config.ts`, `schemas/…`. */
  readonly files?: Readonly<Record<string, string>>
  /** A folder that outlives the daemon, instead of a temporary one. */
  readonly home?: string
}

/**
 * Starts a daemon that is configured only by `env` and `files`. Disposing of it fails if it has
 * logged an error, so that no internal failure of the service goes unnoticed.
 */
export async function testDaemon({
  env = {},
  files = {},
  home,
}: Options = {}): Promise<TestDaemon> {
  await using stack = new AsyncDisposableStack()
  const root = home ?? stack.use(await temporaryFolder(files)).path
  const database = await databaseOf(root)
  const storage = storageOf(root)
  const config = await readConfig(
    { ...database, ...storage.env, ...unhurried, ...env, DEPOSIT_HOME: root },
    { port: '0' },
  )
  await prepareHome(config.home)
  const log = new ErrorLog()
  stack.defer(() => log.requireEmpty())
  const daemon = stack.use(await buildDaemon(config, pino({ level: 'warn' }, log)))
  const origin = await daemon.listen()
  const operateAll: TestDaemon['operateAll'] = (command, options) =>
    operateAsOwner(origin, root, command, options)
  const operate: TestDaemon['operate'] = async (command, options) =>
    (await operateAll(command, options)).at(-1) ?? ''
  const owned = stack.move()
  return {
    origin,
    url: `${origin}/api`,
    home: root,
    as: userMaker(`${origin}/api`, operate),
    visitor: new User(`${origin}/api`, async () => undefined),
    operate,
    routes: daemon.routes,
    operateAll,
    storedBytes: storage.bytes,
    storedUploads: storage.uploads,
    warnings: () => log.warnings,
    isReceiving: async () => (await storage.isReceiving()) ?? (await uploadsUnderWay(origin)) > 0,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Makes users and their tokens when they are first needed. */
function userMaker(api: string, operate: TestDaemon['operate']): TestDaemon['as'] {
  const accounts = new Map<string, Promise<string>>()
  return (
    name,
    { scopes = [writeScope, actionsScope], admin = false, roles = [], deposit } = {},
  ) => {
    const email = `${name}@example.org`
    const makeToken = async (): Promise<string> => {
      const account = accounts.get(name) ?? operate('user add', { email, admin: String(admin) })
      accounts.set(name, account)
      await account
      for (const role of roles) await operate('role grant', { email, role })
      const scope = scopes.join(' ')
      return operate('token create', {
        user: email,
        scope,
        expires: 'never',
        ...(deposit && { deposit }),
      })
    }
    let token: Promise<string> | undefined
    return new User(api, () => (token ??= makeToken()))
  }
}

/** True if the rows and bytes of a daemon are in its home, so that a copy of it has them. */
export function homeHoldsAll(): boolean {
  return !searchIsInRows() && !('DEPOSIT_STORAGE_URL' in storageOf('').env)
}

/** The daemon's count of running requests that carry bytes. */
async function uploadsUnderWay(origin: string): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text()
  return Number(/^deposit_uploads_under_way (\d+)$/m.exec(metrics)?.[1])
}

/** Keeps what a daemon logs as errors, and as warnings. */
class ErrorLog extends Writable {
  readonly warnings: string[] = []
  readonly #lines: string[] = []

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    const line = String(chunk)
    const lines = line.startsWith('{"level":40') ? this.warnings : this.#lines
    lines.push(line)
    done()
  }

  requireEmpty(): void {
    if (this.#lines.length === 0) return
    throw new Error(`The daemon logged errors:\n${this.#lines.join('')}`)
  }
}
