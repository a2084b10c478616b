import { join } from 'node:path'
import { UsageFailure } from '../failure.ts'
import { foreignFiles } from './foreign/foreign-files.ts'

/** Where a folder's own metadata stand: in one of them. */
const metadataFiles = ['metadata.yaml', 'metadata.yml', 'metadata.json'] as const

/**
 * The metadata file of a folder, if it has one. Those in the form of somebody else may lie beside our
 * own, and beside each other: the first of them counts where there is none of ours.
 *
 * @throws {UsageFailure} it has several of our own: one may be old, and would become a file of the
 *   deposit that everybody can read
 */
export async function findMetadataFile(folder: string): Promise<string | undefined> {
  const [own, ...others] = await existing(folder, metadataFiles)
  if (own === undefined) return (await existing(folder, Object.keys(foreignFiles)))[0]
  if (others.length === 0) return own
  throw new UsageFailure({
    tried: `take the metadata of ${folder}`,
    said: `it has ${[own, ...others].join(' and ')}, and a deposit has its metadata from one file`,
    next: 'keep one of them, or name it with --metadata; nothing was sent',
  })
}

async function existing(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const { access } = await import('node:fs/promises')
  const isThere = await Promise.all(
    names.map((name) =>
      access(join(folder, name)).then(
        () => true,
        () => false,
      ),
    ),
  )
  return names.filter((_, index) => isThere[index])
}
