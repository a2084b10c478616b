import { existsSync } from 'node:fs'
import { access, constants, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { codeOf, isMissing } from '../../../core/base/errno.ts'
import { advice, type Advice } from '../../advice.ts'
import { findForeign } from '../../home/empty-home.ts'
import type { Home } from '../../home/home.ts'
import { placeOf } from '../../home/place.ts'
import { requireWritableFolders } from '../../home/writable-folders.ts'
import { StartFailure } from '../../start-failure.ts'
import { findForeignTable } from '../../stores/open-stores.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import type { Target } from './target.ts'

/** The first files of a home that a move or a daemon makes: whose they are is asked later. */
const markers: readonly string[] = ['deposit.db', 'stores.json']

/**
 * Demands of the target of a move that it is apart from the home, which is removed afterwards, and has
 * nothing of others. Nothing is made.
 *
 * @throws {OperatorFailure}
 * @throws {StartFailure} it cannot be read
 */
export async function requireFitTarget(
  from: Home,
  { home, takesBytes, takesRows }: Target,
): Promise<void> {
  if (home.root !== from.root) {
    await requireApart(from, home.root)
    if (takesBytes) await requireWritableFolders(home)
    await requireFree(home.root)
  }
  if (takesRows) await requireOwnTables(home)
}

/** Compares real paths, as symbolic links may lead from one into the other. */
async function requireApart(from: Home, to: string): Promise<void> {
  const target = await realPath(to)
  const home = await realPath(from.root)
  if (target === home) {
    throw new OperatorFailure(`${to} is the home itself, ${from.root}.`, await beside(home))
  }
  for (const part of [from.root, from.blobs, from.records]) {
    const place = await realPath(part)
    if (isWithin(target, place)) {
      const said = `${to} lies in ${part}, which can be removed after a move.`
      throw new OperatorFailure(said, await beside(home))
    }
    if (isWithin(place, target)) {
      throw new OperatorFailure(`${part} lies in ${to}.`, await beside(home))
    }
  }
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`)
}

/** Of a path that may be missing: that of the nearest folder which is there, and the rest. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const isThere = !['ENOENT', 'ENOTDIR'].includes(codeOf(error))
    if (isThere || dirname(path) === path) throw refuse(path, error)
    return join(await realPath(dirname(path)), basename(path))
  }
}

/** A path that is free, and who has to be given it where this user cannot make it. */
async function beside(home: string): Promise<Advice> {
  const named = (end: string): string => `${home}-moved${end}`
  let path = named('')
  for (let number = 2; existsSync(path); number += 1) path = named(`-${number}`)
  const mayMake = await access(dirname(home), constants.W_OK).then(
    () => true,
    () => false,
  )
  return advice.nameBeside(path, mayMake ? undefined : process.getuid?.())
}

/** @throws {OperatorFailure} the folder has files, and is no home */
async function requireFree(root: string): Promise<void> {
  const names = await namesIn(root)
  if (markers.some((name) => names.includes(name))) return
  const foreign = await findForeign(root, names)
  if (foreign === undefined) return
  const said = `${root} is not empty (${foreign}), and is not a deposit home.`
  throw new OperatorFailure(said, advice.nameNew())
}

async function namesIn(root: string): Promise<readonly string[]> {
  try {
    return await readdir(root)
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') {
      const said = `${root} cannot be a home: it, or a folder above it, is a file.`
      throw new OperatorFailure(said, advice.nameNew())
    }
    if (isMissing(error)) return []
    throw refuse(root, error)
  }
}

function refuse(path: string, error: unknown): unknown {
  if (!['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(codeOf(error))) return error
  const isDenied = ['EACCES', 'EPERM'].includes(codeOf(error))
  const said = `${path} cannot be read: ${error instanceof Error ? error.message : codeOf(error)}.`
  return new StartFailure(isDenied ? 'no_permission' : 'cannot_create', said, { cause: error })
}

/** @throws {OperatorFailure} the database is that of something else */
async function requireOwnTables(home: Home): Promise<void> {
  const table = await findForeignTable(home)
  if (table === undefined) return
  const said = `${placeOf(home).database} is not empty: it has the table ${table}, which is not ours.`
  throw new OperatorFailure(said, advice.useEmptyDatabase())
}
