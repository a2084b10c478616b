import { resolve } from 'node:path'
import { advice } from '../../advice.ts'
import { homeAt, prepareHome, type Home } from '../../home/home.ts'
import { storageAddress } from '../../home/place.ts'
import type { Options } from '../command/operator-command.ts'
import { OperatorFailure } from '../command/operator-failure.ts'

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
 * @throws {OperatorFailure} they lead nowhere, or where everything is already
 */
export async function targetOf(home: Home, { to, storage }: Options): Promise<Target> {
  if (to === undefined && storage === undefined) {
    throw new OperatorFailure('The target of the move is missing.', advice.nameTarget())
  }
  if (storage !== undefined && !new RegExp(storageAddress.pattern).test(storage)) {
    throw new OperatorFailure(
      `--storage takes an address that begins with ${storageAddress.words}.`,
    )
  }
  const target = await leadingTo(home, to, storage)
  if (target.takesRows || target.takesBytes) return target
  throw new OperatorFailure('The configuration already names this place: there is nothing to move.')
}

async function leadingTo(
  home: Home,
  to: string | undefined,
  storage: string | undefined,
): Promise<Target> {
  const { root, databaseUrl, storageUrl } = home
  if (to !== undefined && !/^postgres(ql)?:\/\//.test(to)) {
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
async function intoFolder(
  home: Home,
  root: string,
  storageUrl: string | undefined,
): Promise<Target> {
  const isElsewhere = root !== home.root
  const leavesBytes = storageUrl !== undefined && storageUrl === home.storageUrl
  return {
    home: await prepareHome(root, { storageUrl }),
    takesRows: isElsewhere || home.databaseUrl !== undefined,
    takesBytes: !leavesBytes && (isElsewhere || storageUrl !== home.storageUrl),
  }
}
