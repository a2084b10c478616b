import type { Stats } from 'node:fs'
import { advice } from '../advice.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isForeign, objectsOf, textOf, type Foreign } from '../../core/contract/foreign-values.ts'
import { findCopy } from '../../core/contract/own-copy.ts'
import { nearest } from '../../core/contract/nearest.ts'
import { UsageFailure } from '../failure.ts'
import { datapackageFile, isOfCrate } from '../packages/recognise.ts'
import { foreignFiles } from './foreign/foreign-files.ts'

/** Names of a folder's own metadata file; a folder has one of them. */
export const metadataFiles = ['metadata.yaml', 'metadata.yml', 'metadata.json'] as const

/** The metadata file of a folder. */
interface FoundMetadata {
  readonly file: string
  /** Foreign metadata files that were not used. */
  readonly passedOver: readonly string[]
}

/**
 * The metadata file of a folder, if it has one. Without one of our own, the first foreign file
 * counts.
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
    next: advice.keepOneMetadata(),
  })
}

/**
 * Describes the first file whose name is nearly that of a metadata file: `Metadata.yaml`,
 * `metdata.yml`, `metadata.yaml.txt`. It would be published as data, and the deposit without
 * metadata.
 */
export function sayMisnamed(keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const [, stem, end] = /^([a-z _-]{5,12})\.(ya?ml|json)(?:\.[a-z]{3,4}|~)?$/i.exec(key) ?? []
    if (stem === undefined || end === undefined) continue
    const name = metadataFiles.find((own) => own === `metadata.${end.toLowerCase()}`)
    if (name === undefined || nearest(stem, ['metadata', 'metadaten'], 1) === undefined) continue
    return `${key} looks like the metadata: rename it to ${name}, or list it in .depositignore if it is not`
  }
  return undefined
}

async function findForeignFile(folder: string): Promise<FoundMetadata | undefined> {
  const files = await existing(folder, Object.keys(foreignFiles))
  const file = (await findOriginal(folder, files)) ?? files[0]
  return file === undefined ? undefined : { file, passedOver: files.filter((one) => one !== file) }
}

/** Bytes. A larger one is data. */
const largest = 64 * 1000 * 1000

/** True where it lies beside the files that it describes: another one may be of an older version. */
function isAttached({ '@graph': graph, resources }: Foreign): boolean {
  if (graph !== undefined) return objectsOf(graph).some((entity) => entity['@id'] === './')
  return objectsOf(resources).some(({ path }) => !/^https?:/.test(textOf(path) ?? 'https:'))
}

/**
 * The first of several foreign files that carries the metadata document of a record: it says more than
 * a `.zenodo.json` or a `CITATION.cff` that is a file of the same record.
 */
export async function findOriginal(
  folder: string,
  files: readonly string[],
): Promise<string | undefined> {
  if (files.length < 2) return undefined
  for (const file of files.filter((name) => isOfCrate(name) || name === datapackageFile)) {
    const [stats] = await statsOf(folder, [file])
    if (!stats?.isFile() || stats.size > largest) continue
    const text = await readFile(join(folder, file), 'utf8').catch(() => '')
    if (isOriginal(text)) return file
  }
  return undefined
}

function isOriginal(text: string): boolean {
  try {
    const description: unknown = JSON.parse(text)
    return (
      isForeign(description) && isAttached(description) && 'record' in (findCopy(description) ?? {})
    )
  } catch {
    return false
  }
}

async function existing(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const stats = await statsOf(folder, names)
  const special = names.filter((_, index) => stats[index]?.isFile() === false)
  if (special.length > 0) throw notAFile(folder, special)
  return names.filter((_, index) => stats[index] !== undefined)
}

/** The status of each name, links not followed; undefined if it is missing. */
export async function statsOf(
  folder: string,
  names: readonly string[],
): Promise<readonly (Stats | undefined)[]> {
  const { lstat } = await import('node:fs/promises')
  return Promise.all(names.map((name) => lstat(join(folder, name)).catch(() => undefined)))
}

function notAFile(folder: string, names: readonly string[]): UsageFailure {
  return new UsageFailure({
    tried: `take the metadata of ${folder}`,
    said: `links and special files are not followed: ${names.join(', ')}`,
    next: advice.placeMetadata(),
  })
}
