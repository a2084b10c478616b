import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from '../output/finding.ts'
import { about, toPackageLine, type Contents } from '../packages/contents.ts'
import { checkDigests } from '../packages/digests.ts'
import { readLocalFile } from '../packages/folder-contents.ts'
import { readCrate } from '../packages/read-crate.ts'
import { readDatapackage } from '../packages/read-datapackage.ts'
import { datapackageFile } from '../packages/recognise.ts'
import type { Sources } from './find-sources.ts'
import {
  badPackage,
  isDescription,
  sayGenerated,
  sayWhole,
  showProgress,
  type PlaceOptions,
  type Verified,
} from './package-place.ts'

/**
 * As `verifyCrate`, of a folder with a description.
 *
 * @param at.name the file that describes the others
 */
export async function verifyDescribed(
  files: Sources['files'],
  { folder, dir, name }: Readonly<Record<'folder' | 'dir' | 'name', string>>,
  options: PlaceOptions,
): Promise<Verified> {
  const contents = contentsOf(files)
  const isCrate = name !== datapackageFile
  const crate = isCrate ? await readCrate(contents, name) : await readDatapackage(contents)
  const toWarning = (found: Finding): string => `${dir}: ${toPackageLine(found)}`
  // A file of the name that describes nothing may be anything.
  const isDescribed = 'root' in crate ? crate.root !== undefined : crate.names !== undefined
  if (!isDescribed) return { remarks: [], warnings: crate.errors.map(toWarning) }
  const { faults, leftOut } = await divide(crate.errors, contents, { folder, name })
  const { digests = true } = options
  using progress = digests ? await showProgress(files, options) : undefined
  const read = digests ? await checkDigests(contents, crate.promised, progress) : { errors: [] }
  const errors = [...faults, ...read.errors]
  if (errors.length > 0) throw badPackage(dir, errors)
  const kind = isCrate ? 'ro-crate' : 'datapackage'
  const described = files.filter(
    (file) =>
      crate.isGenerated && isDescription(file.name, kind, 'root' in crate ? crate : undefined),
  )
  const payload = files.length - described.length
  return {
    remarks: [
      sayWhole(dir, isCrate ? 'crate' : 'Data Package', payload),
      ...sayGenerated(described.length),
    ],
    warnings: [...crate.warnings, ...leftOut].map(toWarning),
    generated: new Set(described.map((file) => file.name)),
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/** Links have been followed already, where they were to be. */
function contentsOf(found: Sources['files']): Contents {
  const paths = new Map(found.map(({ name, path }) => [name, path]))
  const folders = found.flatMap(({ name }) => {
    const steps = name.split('/').slice(0, -1)
    return steps.map((_, at) => steps.slice(0, at + 1).join('/'))
  })
  return {
    files: found.map(({ name: path, size }) => ({ path, size })),
    folders: new Set(folders),
    faults: [],
    read: (file) => readLocalFile(paths.get(file.path) ?? file.path, file),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** Files that are described and missing may be there, but left out. */
async function divide(
  errors: readonly Finding[],
  { files }: Contents,
  { folder, name }: { readonly folder: string; readonly name: string },
): Promise<{ readonly faults: readonly Finding[]; readonly leftOut: readonly Finding[] }> {
  const known = new Set(files.map(({ path }) => path))
  const [faults, leftOut]: [Finding[], Finding[]] = [[], []]
  for (const fault of errors) {
    if (!known.has(fault.field) && (await isThere(join(folder, fault.field))))
      leftOut.push(about(fault.field, `${name} describes it, but it is left out`))
    else faults.push(fault)
  }
  return { faults, leftOut }
}
