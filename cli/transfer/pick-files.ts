import { advice, type Advice } from '../advice.ts'
import { matchesGlob } from 'node:path/posix'
import { safeKey } from '../../core/contract/file-key.ts'
import type { TrashBody } from '../../core/contract/history.ts'
import type { FileBody } from '../../core/contract/schemas.ts'
import type { UploadBody } from '../client/bodies.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'

/**
 * How folders and patterns are recognised: `plain` takes any name that is not a file; `marked` only
 * one that ends in `/` or has `*` or `?`, so that a mistyped name deletes nothing.
 */
type Groups = 'plain' | 'marked'

/**
 * The files for names on the command line, in that order, each once. A name may be in any Unicode
 * form, the id of a file, a folder, or a pattern with `*`, `?` or `[…]`.
 *
 * @throws {Failure} a name that stands for no file
 */
export function pickFiles(
  id: string,
  files: readonly FileBody[],
  names: readonly string[],
  groups: Groups = 'plain',
): readonly FileBody[] {
  const folder = groups === 'marked' ? names.find((name) => isFolder(files, name)) : undefined
  if (folder !== undefined) throw unmarkedFolder(id, folder)
  const next = advice.seeFiles(id)
  return pick(files, { names, groups }, { said: `${id} has no such file`, next })
}

/** True for a folder, which no file has the name of. */
function isFolder(files: readonly FileBody[], name: string): boolean {
  const safe = safeKey(name)
  const folder = 'key' in safe ? `${safe.key}/` : undefined
  if (folder === undefined || name.endsWith('/') || find(files, name, 'marked').length > 0)
    return false
  return files.some(({ filename }) => filename.startsWith(folder))
}

function unmarkedFolder(id: string, name: string): Failure {
  return new Failure(
    {
      tried: `find ${name}`,
      said: `\`${name}/\` is a folder, and a folder ends in /`,
      next: advice.nameFolderOf(id, name),
    },
    { exitCode: exitCodes.notFound },
  )
}

/**
 * The unfinished uploads for names on the command line, as {@link pickFiles} with `marked`; a name
 * may have several.
 *
 * @throws {Failure} a name that no upload has
 */
export function pickUploads(
  id: string,
  uploads: readonly UploadBody[],
  names: readonly string[],
): readonly UploadBody[] {
  const next = advice.seeUploads(id)
  return pick(
    uploads,
    { names, groups: 'marked' },
    { said: `${id} has no such unfinished upload`, next },
  )
}

/**
 * The deleted files for names on the command line, as {@link pickFiles} with `marked`; of several of
 * one name the one that was deleted last.
 *
 * @param trash last deleted first
 * @throws {Failure} a name that no deleted file has
 */
export function pickDeleted(id: string, trash: TrashBody, names: readonly string[]): TrashBody {
  const failed = { said: `${id} has no such deleted file`, next: advice.seeDeleted(id) }
  const picked = pick(trash, { names, groups: 'marked' }, failed)
  const seen = new Set<string>()
  return picked.filter((file) => {
    if (names.includes(file.id)) return true
    const isFirst = !seen.has(file.filename)
    seen.add(file.filename)
    return isFirst
  })
}

interface Named {
  readonly id: string
  readonly filename: string
}

function pick<One extends Named>(
  all: readonly One[],
  { names, groups }: { readonly names: readonly string[]; readonly groups: Groups },
  failed: { readonly said: string; readonly next: Advice },
): readonly One[] {
  const picked = names.map((name) => find(all, name, groups))
  const unknown = names.filter((_, at) => picked[at]?.length === 0)
  if (unknown.length === 0) return [...new Set(picked.flat())]
  const tried = `find ${unknown.join(', ')}`
  throw new Failure({ tried, ...failed }, { exitCode: exitCodes.notFound })
}

function find<One extends Named>(
  all: readonly One[],
  name: string,
  groups: Groups,
): readonly One[] {
  const safe = safeKey(name)
  const key = 'key' in safe ? safe.key : name
  const named = all.filter(({ filename }) => filename === key)
  if (named.length > 0) return named
  const byId = all.filter(({ id }) => id === name)
  if (byId.length > 0 || (groups === 'marked' && !/[*?]|\/$/.test(name))) return byId
  const folder = `${key.replace(/\/$/, '')}/`
  return all.filter(
    ({ filename }) => filename.startsWith(folder) || matchesGlob(filename, name.normalize('NFC')),
  )
}
