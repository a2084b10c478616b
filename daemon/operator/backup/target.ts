import { resolve } from 'node:path'
import { advice } from '../../advice.ts'
import { shellWord } from '../../../core/base/shell-word.ts'
import { homeAt, type Home } from '../../home/home.ts'
import { placeOf, storageAddress } from '../../home/place.ts'
import type { Options } from '../command/operator-command.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { StartFailure } from '../../start-failure.ts'

/** The target of a move, and whether it takes rows, bytes or both. */
export interface Target {
  readonly home: Home
  readonly takesRows: boolean
  readonly takesBytes: boolean
}

/**
 * Reads `--to` (`postgres://…`, or the folder of a home) and `--storage` (`s3://…`). Data that
 * neither of them names stay in place.
 *
 * @throws {StartFailure | OperatorFailure} they lead nowhere, or where everything is already
 */
export function targetOf(home: Home, { to, storage }: Options): Target {
  if (to === undefined && storage === undefined) {
    const said = 'The target of the move is missing.'
    throw new StartFailure('usage', said, { next: advice.nameTarget() })
  }
  if (storage !== undefined && !new RegExp(storageAddress.pattern).test(storage)) {
    const said = `--storage takes an address that begins with ${storageAddress.words}.`
    throw new StartFailure('usage', said, { next: advice.nameTarget() })
  }
  if (to !== undefined && /^[a-z][a-z0-9+.-]*:\//i.test(to) && !isPostgres(to)) {
    const said = `--to takes postgres://… or a folder, and ${withoutPassword(to)} is neither.`
    throw new StartFailure('usage', said, { next: advice.nameTarget() })
  }
  const target = leadingTo(home, to, storage)
  if (target.takesRows || target.takesBytes) return target
  throw new OperatorFailure('The configuration already names this place: there is nothing to move.')
}

function isPostgres(to: string): boolean {
  return /^postgres(ql)?:\/\//.test(to)
}

function leadingTo(home: Home, to: string | undefined, storage: string | undefined): Target {
  const { root, databaseUrl, storageUrl } = home
  if (to !== undefined && !isPostgres(to)) {
    return intoFolder(home, resolve(to), storage)
  }
  const url = to ?? databaseUrl
  const bytes = storage ?? storageUrl
  return {
    home: homeAt(root, { databaseUrl: url, storageUrl: bytes }),
    takesRows: url !== databaseUrl,
    takesBytes: bytes !== storageUrl,
  }
}

/** A home has rows and bytes of its own, unless `--storage` says otherwise. */
function intoFolder(home: Home, root: string, storageUrl: string | undefined): Target {
  const isElsewhere = root !== home.root
  const leavesBytes = storageUrl !== undefined && storageUrl === home.storageUrl
  return {
    home: homeAt(root, { storageUrl }),
    takesRows: isElsewhere || home.databaseUrl !== undefined,
    takesBytes: !leavesBytes && (isElsewhere || storageUrl !== home.storageUrl),
  }
}

/** The command that moves the rows there, and what else goes along. */
export function commandOf(from: Home, { root, databaseUrl, storageUrl }: Home): string {
  const to = databaseUrl === undefined ? root : withoutPassword(databaseUrl)
  const needsStorage = storageUrl !== (databaseUrl === undefined ? undefined : from.storageUrl)
  const storage = needsStorage && storageUrl !== undefined ? ['--storage', storageUrl] : []
  return ['depositd', 'move', '--to', to, ...storage].map((word) => shellWord(word)).join(' ')
}

function withoutPassword(address: string): string {
  const url = URL.parse(address)
  if (!url) return 'postgres://…'
  url.password = ''
  url.searchParams.delete('password')
  return url.href
}

/** The settings to start with that differ; the password of a database is not repeated. */
export function settingsOf(from: Home, to: Home): string {
  const { root, databaseUrl, storageUrl } = to
  const values = [
    ...(root === from.root ? [] : [`DEPOSIT_HOME=${root}`]),
    ...(databaseUrl === undefined || databaseUrl === from.databaseUrl
      ? []
      : [`DEPOSIT_DATABASE_URL naming ${placeOf(to).database}`]),
    ...(storageUrl === undefined || storageUrl === from.storageUrl
      ? []
      : [`DEPOSIT_STORAGE_URL=${storageUrl}`]),
  ]
  const unset = [
    ...(from.databaseUrl !== undefined && databaseUrl === undefined
      ? ['DEPOSIT_DATABASE_URL']
      : []),
    ...(from.storageUrl !== undefined && storageUrl === undefined ? ['DEPOSIT_STORAGE_URL'] : []),
  ]
  const parts = [
    ...(values.length > 0 ? [`with ${values.join(' and ')}`] : []),
    ...(unset.length > 0 ? [`without ${unset.join(' and ')}`] : []),
  ]
  return parts.join(', ')
}
