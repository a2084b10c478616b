import { readdir } from 'node:fs/promises'
import { advice } from '../../advice.ts'
import type { Environment } from '../../config/parse-environment.ts'
import { readConfig, type DaemonConfig } from '../../config/config.ts'
import { homeAt, isReadOnly, prepareHome, requireReadableHome, type Home } from '../../home/home.ts'
import { describePlace, requireKnownPlace } from '../../home/place.ts'
import { schemaState } from '../../stores/open-stores.ts'
import { StartFailure } from '../../start-failure.ts'
import type { OperatorCommand } from './operator-command.ts'
import { codeOf } from '../../../core/base/errno.ts'

/** The home of a command, and the configuration it was found by. */
export interface FoundHome {
  readonly config: DaemonConfig
  readonly home: Home
  /** Nothing may be written there. */
  readonly isReadOnly: boolean
}

/**
 * Finds the home that a command works on. Nothing is made or changed where there is none, unless the
 * command is one that makes homes.
 *
 * @throws {StartFailure} there is no home
 */
export async function findHome(env: Environment, command: OperatorCommand): Promise<FoundHome> {
  process.umask(0o077)
  const config = await readConfig(env)
  const home = homeAt(config.home, config)
  if (!command.makesHome) await requireHome(home)
  await command.requires?.(home)
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
  if (!command.takesAnyStores) await requireKnownPlace(home)
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
async function requireHome({ root, databaseUrl }: Home): Promise<void> {
  const names = await readdir(root).catch((error: unknown) => {
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) throw refuse(root, error)
    return undefined
  })
  const isHome = names?.some((name) => markers.has(name))
  if (isHome || (names?.length === 0 && databaseUrl !== undefined)) return
  const found = names === undefined ? 'is not there' : 'is not a deposit home'
  throw new StartFailure('no_input', `${root} ${found}.`, { next: advice.findHome() })
}

function refuse(root: string, cause: unknown): StartFailure {
  return new StartFailure('no_permission', `${root} cannot be read: ${String(cause)}`, { cause })
}
