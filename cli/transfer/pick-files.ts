import { safeKey } from '../../core/contract/file-key.ts'
import type { FileBody } from '../../core/contract/schemas.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'

/**
 * The files that names on the command line stand for, in that order, each once. A name may be in
 * any Unicode form, or the id of a file.
 *
 * @throws {Failure} a name that no file has
 */
export function pickFiles(
  id: string,
  files: readonly FileBody[],
  names: readonly string[],
): readonly FileBody[] {
  const picked = names.map((name) => findFile(files, name))
  const unknown = names.filter((_, at) => picked[at] === undefined)
  if (unknown.length === 0) return [...new Set(picked.flatMap((file) => file ?? []))]
  throw new Failure(
    {
      tried: `find ${unknown.join(', ')}`,
      said: `${id} has no such file`,
      next: `see the files with \`deposit files ${id}\`; nothing was changed`,
    },
    { exitCode: exitCodes.notFound },
  )
}

function findFile(files: readonly FileBody[], name: string): FileBody | undefined {
  const safe = safeKey(name)
  const key = 'key' in safe ? safe.key : name
  return files.find(({ filename }) => filename === key) ?? files.find((file) => file.id === name)
}
