import type { Stats } from 'node:fs'
import { advice } from '../advice.ts'
import { join, resolve } from 'node:path'
import { findAccessLimits } from '../../core/contract/access-limits.ts'
import { isFields } from '../../core/contract/access-names.ts'
import { nearest } from '../../core/contract/nearest.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'
import type { Finding } from '../output/finding.ts'
import { foreignFiles, toAccess } from './foreign/foreign-files.ts'
import { readDocument, readText, type Input, type MetadataFile } from './read-metadata.ts'

/** Names of a folder's own metadata file; a folder has one of them. */
const metadataFiles = ['metadata.yaml', 'metadata.yml', 'metadata.json'] as const

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
  const [file, ...passedOver] = await existing(folder, Object.keys(foreignFiles))
  return file === undefined ? undefined : { file, passedOver }
}

async function existing(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const stats = await statsOf(folder, names)
  const special = names.filter((_, index) => stats[index]?.isFile() === false)
  if (special.length > 0) throw notAFile(folder, special)
  return names.filter((_, index) => stats[index] !== undefined)
}

/** The status of each name, links not followed; undefined if it is missing. */
async function statsOf(
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

/** Metadata files of other services and tools that may limit access. */
const furtherFiles = ['ro-crate-metadata.json', 'datapackage.json', 'datacite.json', 'record.json']

async function readOther(input: Input, name: string): Promise<unknown> {
  if (!furtherFiles.includes(name)) return readDocument(input, name)
  // Written by programs, and sometimes large.
  const document: unknown = JSON.parse(await readText(input, name))
  return document
}

/** Access limits from another file of the folder. */
export interface OtherAccess {
  /** The field `access`, or nothing. */
  readonly access: Metadata
  /** A note about it. */
  readonly remark?: string
  /** The first of them, as it stands there. */
  readonly limit?: Finding
}

/**
 * Finds access limits in the metadata files that were not used: whether files become public must
 * not depend on which file was read. A document with its own field `access` has decided.
 *
 * @param used the file that counts, as it was named
 */
export async function findOtherAccess(
  input: Input,
  folder: string,
  used: MetadataFile | undefined,
): Promise<OtherAccess> {
  if (used?.metadata['access'] !== undefined) return { access: {} }
  const path = used && resolve(input.folder, used.file)
  const names = [...metadataFiles, ...Object.keys(foreignFiles), ...furtherFiles]
  const stats = await statsOf(folder, names)
  for (const [at, name] of names.entries()) {
    // Opening a pipe would wait for ever.
    if (join(folder, name) === path || !stats[at]?.isFile()) continue
    // A file that is missing or unreadable limits nothing; as the used file it would be reported.
    const from = { ...input, folder, followsLinks: false }
    const other = await readOther(from, name).catch(() => undefined)
    if (!isFields(other)) continue
    const limits = findAccessLimits(other, new Date().toISOString())
    const access = toAccess(limits)
    const [limit] = limits
    if (limit === undefined || Object.keys(access).length === 0) continue
    return {
      access,
      limit: { field: limit.field, message: limit.message, file: name },
      remark: `${name} says that the files are not public yet: access is restricted`,
    }
  }
  return { access: {} }
}
