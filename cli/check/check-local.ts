import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Failure } from '../failure.ts'
import { findMetadataFile, findOtherAccess } from '../metadata/find-metadata-file.ts'
import { readMetadata, type Input } from '../metadata/read-metadata.ts'
import { describeNotTaken } from '../transfer/note-skipped.ts'
import { prepare } from '../transfer/prepare.ts'
import { checkDocument, checkMetadata } from './check-document.ts'
import type { Finding, Findings } from '../output/finding.ts'

interface CheckOptions {
  readonly followLinks?: boolean
}

/**
 * Looks at a folder as `deposit create` would take it, or at a metadata file; nothing is sent.
 * Undefined where there is neither under this name.
 *
 * @throws {UsageFailure} a metadata file cannot be read; with line and column
 */
export async function checkLocal(
  input: Input,
  path: string,
  options: CheckOptions,
): Promise<Findings | undefined> {
  const stats = await stat(resolve(input.folder, path)).catch(() => undefined)
  if (stats === undefined) return undefined
  return stats.isDirectory() ? checkFolder(input, path, options) : checkFile(input, path)
}

async function checkFolder(input: Input, dir: string, options: CheckOptions): Promise<Findings> {
  const found = await findMetadataFile(resolve(input.folder, dir))
  const { errors, warnings } =
    found === undefined
      ? await checkWithout(input, dir)
      : await checkFile(input, dir === '.' ? found.file : join(dir, found.file), dir)
  const names = await checkNames(input, dir, options)
  return { errors: [...errors, ...names.errors], warnings: [...warnings, ...names.warnings] }
}

/** A folder with no metadata: other files there may restrict access. */
async function checkWithout(input: Input, dir: string): Promise<Findings> {
  const { access } = await findOtherAccess(input, resolve(input.folder, dir), undefined)
  return checkDocument(access, 'publish')
}

/** @param dir the folder that the file was found in; other files there may restrict access */
async function checkFile(input: Input, file: string, dir?: string): Promise<Findings> {
  const source = await readMetadata(input, file)
  const folder = dir === undefined ? undefined : resolve(input.folder, dir)
  const other = folder === undefined ? undefined : await findOtherAccess(input, folder, source)
  const metadata = { ...source.metadata, ...other?.access }
  const { errors, warnings } = await checkMetadata(metadata, source, 'publish')
  const lost = describeNotTaken(source)
  const notes = lost === undefined ? [] : [{ field: '', message: lost, file }]
  return { errors, warnings: [...warnings, ...notes] }
}

/** Names that cannot be kept or would collide, links, files that cannot be read. */
async function checkNames(input: Input, dir: string, options: CheckOptions): Promise<Findings> {
  const found = (message: string): Finding => ({ field: '', file: dir, message })
  try {
    const { plan, misnamed } = await prepare(input, dir, options)
    const errors = misnamed === undefined ? [] : [found(misnamed)]
    return { errors, warnings: plan.warnings.map(found) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { errors: error.said.split('; ').map(found), warnings: [] }
  }
}
