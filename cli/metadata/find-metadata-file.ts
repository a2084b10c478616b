import { join } from 'node:path'
import { UsageFailure } from '../failure.ts'
import { foreignFiles } from './foreign/foreign-files.ts'

/** Where a folder's own metadata stand: in one of them. */
const metadataFiles = ['metadata.yaml', 'metadata.yml', 'metadata.json'] as const

/** Where the metadata of a folder are. */
interface FoundMetadata {
  readonly file: string
  /** Files in the form of somebody else that might have counted. */
  readonly passedOver: readonly string[]
}

/**
 * The metadata file of a folder, if it has one. Those in the form of somebody else may lie beside our
 * own, and beside each other: the first of them counts where there is none of ours.
 *
 * @throws {UsageFailure} it has several of our own: one may be old, and would become a file of the
 *   deposit that everybody can read; or one is a link, which may lead to a secret of the user's
 */
export async function findMetadataFile(folder: string): Promise<FoundMetadata | undefined> {
  const [own, ...others] = await existing(folder, metadataFiles)
  if (own === undefined) return findForeignFile(folder)
  if (others.length === 0) return { file: own, passedOver: [] }
  throw new UsageFailure({
    tried: `take the metadata of ${folder}`,
    said: `it has ${[own, ...others].join(' and ')}, and a deposit has its metadata from one file`,
    next: 'keep one of them, or name it with --metadata; nothing was sent',
  })
}

async function findForeignFile(folder: string): Promise<FoundMetadata | undefined> {
  const [file, ...passedOver] = await existing(folder, Object.keys(foreignFiles))
  return file === undefined ? undefined : { file, passedOver }
}

async function existing(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const { lstat } = await import('node:fs/promises')
  const stats = await Promise.all(
    names.map((name) => lstat(join(folder, name)).catch(() => undefined)),
  )
  const special = names.filter((_, index) => stats[index]?.isFile() === false)
  if (special.length > 0) throw notAFile(folder, special)
  return names.filter((_, index) => stats[index] !== undefined)
}

function notAFile(folder: string, names: readonly string[]): UsageFailure {
  return new UsageFailure({
    tried: `take the metadata of ${folder}`,
    said: `links and special files are not followed: ${names.join(', ')}`,
    next: 'put the file itself there, or name it with --metadata; nothing was sent',
  })
}
