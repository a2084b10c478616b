import { copyFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { advice } from '../../advice.ts'
import type { Environment } from '../../config/environment.ts'
import { readConfig } from '../../config/config.ts'
import type { DaemonConfig } from '../../config/config.ts'
import { findForeign } from '../../home/empty-home.ts'
import { homeAt, isReadOnly, prepareHome, requireReadableHome } from '../../home/home.ts'
import type { Home } from '../../home/home.ts'
import { describePlace, requireKnownPlace } from '../../home/place.ts'
import { schemaState } from '../../stores/open-stores.ts'
import { StartFailure } from '../../start-failure.ts'
import type { OperatorCommand, Options } from './operator-command.ts'
import { codeOf, isMissing } from '../../../core/base/errno.ts'
import { constants, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatBytes } from '../../../core/base/amounts.ts'

/** The home of a command, and the configuration it was found by. */
export interface FoundHome {
  readonly config: DaemonConfig
  readonly home: Home
  /** Whether the home may not be written. */
  readonly isReadOnly: boolean
}

/**
 * Finds the home that a command works on. Nothing is made or changed where there is none, unless the
 * command is one that makes homes.
 *
 * @throws {StartFailure} there is no home
 */
export async function findHome(
  env: Environment,
  command: OperatorCommand,
  options: Options,
): Promise<FoundHome> {
  process.umask(0o077)
  const config = await readConfig(env)
  const home = homeAt(config.home, config)
  if (!command.makesHome) await requireHome(home)
  if (command.requires) {
    await requireKnownPlace(home)
    await command.requires(home, options)
  }
  const onlyRead = command.onlyReads === true && (await isReadOnly(home.root))
  if (onlyRead) await requireReadableHome(config.home, config)
  else await prepareHome(config.home, config)
  return { config, home, isReadOnly: onlyRead }
}

/**
 * Demands that the stores which the configuration names are those of the home, and that their
 * schema is this program's. The home must be locked.
 *
 * @throws {StartFailure}
 */
export async function requireStores(home: Home, command: OperatorCommand): Promise<void> {
  await requireKnownPlace(home, command.takesAnyStores)
  if (command.makesHome) return
  const state = await schemaState(home)
  if (state === 'current' || (state === 'old' && command.migrates)) return
  const where = describePlace(home)
  throw state === 'none'
    ? new StartFailure('no_input', `There are no rows of a deposit service in ${where}.`, {
        next: advice.findHome(),
      })
    : new StartFailure('data', `The database in ${where} was made by an older depositd.`, {
        next: advice.migrate(),
      })
}

/** Files that only a home has: each daemon and each command that makes a home leaves them there. */
const markers = new Set(['deposit.db', 'stores.json', 'owner.key', 'daemon.lock'])

/** With PostgreSQL a home may be empty at the start. */
export async function requireHome({ root, databaseUrl }: Home): Promise<void> {
  const names = await readdir(root).catch((error: unknown) => {
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) throw refuse(root, error)
    return undefined
  })
  if (names?.some((name) => markers.has(name))) return
  const isEmpty = names && (await findForeign(root, names)) === undefined
  if (isEmpty && databaseUrl !== undefined) return
  const found = names === undefined ? 'is not there' : 'is not a deposit home'
  throw new StartFailure('no_input', `${root} ${found}.`, { next: advice.findHome() })
}

function refuse(root: string, cause: unknown): StartFailure {
  return new StartFailure('no_permission', `${root} cannot be read: ${String(cause)}`, { cause })
}

/** The stores of a home, for commands that read. */
interface CopiedStores extends AsyncDisposable {
  readonly home: Home
  /** Bytes that were copied. */
  readonly size: number
}

/** SQLite's files of a home, each of which may have changes in a log beside it. */
const databases = ['deposit.db', 'small-blobs.db']
/** Beside them, the mark of the bytes. */
const mark = 'stores.json'

/**
 * The stores of a home in which nothing may be written: its databases are copied to a temporary
 * folder, its blobs are read where they are. SQLite cannot open a database in WAL mode there without
 * its log, and `immutable=1` would not see changes that only the log has. The home must be locked.
 *
 * @throws {StartFailure} there is no room for the copy
 */
export async function copyStores(home: Home): Promise<CopiedStores> {
  const files = [...databases.flatMap((name) => [name, `${name}-wal`]), mark]
  const sizes = await Promise.all(files.map((name) => sizeOf(join(home.root, name))))
  const present = files.filter((_, at) => sizes[at] !== undefined)
  const size = sizes.reduce<number>((sum, one) => sum + (one ?? 0), 0)
  try {
    await using stack = new AsyncDisposableStack()
    const root = await mkdtemp(join(tmpdir(), 'depositd-'))
    stack.defer(() => rm(root, { recursive: true, force: true }))
    for (const name of present) {
      await copyFile(join(home.root, name), join(root, name), constants.COPYFILE_FICLONE)
    }
    const owned = stack.move()
    const blobs = existsSync(home.blobs) ? home.blobs : join(root, 'blobs')
    const copied = { ...home, root, blobs, database: join(root, 'deposit.db') }
    return { home: copied, size, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const said = `The databases of ${home.root} cannot be copied to ${tmpdir()}: ${reason}.`
    throw new StartFailure('io', said, {
      cause: error,
      next: advice.useOtherTemporary(formatBytes(size)),
    })
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
