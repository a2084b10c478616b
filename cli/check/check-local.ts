import { stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { Failure } from '../failure.ts'
import { findMetadataFile } from '../metadata/find-metadata-file.ts'
import { foreignFiles } from '../metadata/foreign/foreign-files.ts'
import { readMetadata, readText, type Input } from '../metadata/read-metadata.ts'
import { prepare } from '../transfer/prepare.ts'
import { checkDocument } from './check-document.ts'
import type { Finding, Findings } from './finding.ts'

/**
 * Looks at a folder as `deposit create` would take it, or at a metadata file; nothing is sent.
 * Undefined where there is neither under this name.
 *
 * @throws {UsageFailure} a metadata file cannot be read; with line and column
 */
export async function checkLocal(input: Input, path: string): Promise<Findings | undefined> {
  const stats = await stat(resolve(input.folder, path)).catch(() => undefined)
  if (stats === undefined) return undefined
  return stats.isDirectory() ? checkFolder(input, path) : checkFile(input, path)
}

async function checkFolder(input: Input, dir: string): Promise<Findings> {
  const file = await findMetadataFile(resolve(input.folder, dir))
  const { errors, warnings } =
    file === undefined
      ? await checkDocument({})
      : await checkFile(input, dir === '.' ? file : join(dir, file))
  return { errors: [...errors, ...(await checkNames(input, dir))], warnings }
}

async function checkFile(input: Input, file: string): Promise<Findings> {
  const document = await readMetadata(input, file)
  const { errors, warnings } = await checkDocument(document)
  // Pointers lead into our form of it, not into theirs.
  if (basename(file) in foreignFiles) return { errors: errors.map(within(file)), warnings }
  const { locateIn } = await import('../metadata/locate.ts')
  const locate = locateIn(await readText(input, file))
  const place = (finding: Finding): Finding => ({ ...finding, file, ...locate(finding.field) })
  return { errors: errors.map(place), warnings }
}

function within(file: string): (finding: Finding) => Finding {
  return (finding) => ({ ...finding, file })
}

/** Names that cannot be kept or would collide, links, files that cannot be read. */
async function checkNames(input: Input, dir: string): Promise<readonly Finding[]> {
  try {
    await prepare(input, dir, {})
    return []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.said.split('; ').map((message) => ({ field: '', file: dir, message }))
  }
}
