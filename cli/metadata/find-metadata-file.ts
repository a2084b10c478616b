import type { Stats } from 'node:fs'
import { advice } from '../advice.ts'
import { join, resolve } from 'node:path'
import { findAccessLimits } from '../../core/contract/access-limits.ts'
import { isFields } from '../../core/contract/access-names.ts'
import { nearest } from '../../core/contract/nearest.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'
import { foreignFiles, toAccess } from './foreign/foreign-files.ts'
import { readDocument, readText, type Input, type MetadataFile } from './read-metadata.ts'

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
    next: advice.keepOneMetadata(),
  })
}

/**
 * Of files that are to be sent, the first whose name is nearly that of a metadata file:
 * `Metadata.yaml`, `metdata.yml`, `metadata.yaml.txt`. It would be published as data, and the
 * deposit without metadata.
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

/** Of each name, and not of what it links to; undefined where there is nothing. */
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

/** Files in which other services and tools keep metadata, and that may limit access. */
const furtherFiles = ['ro-crate-metadata.json', 'datapackage.json', 'datacite.json', 'record.json']

async function readOther(input: Input, name: string): Promise<unknown> {
  if (!furtherFiles.includes(name)) return readDocument(input, name)
  // Made by programs, and large at times.
  const document: unknown = JSON.parse(await readText(input, name))
  return document
}

/** Access that a document takes over from another file of its folder. */
export interface OtherAccess {
  /** The field `access`, where it is taken over; empty elsewhere. */
  readonly access: Metadata
  /** What to tell of it. */
  readonly remark?: string
}

/**
 * What metadata files that do not count say of access: publishing is not to depend on which file of
 * a folder was read. A document with a field `access` of its own has decided.
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
    // To open a pipe would wait for ever.
    if (join(folder, name) === path || !stats[at]?.isFile()) continue
    // One that is absent or cannot be read says nothing; it would be told of if it counted.
    const from = { ...input, folder, followsLinks: false }
    const other = await readOther(from, name).catch(() => undefined)
    if (!isFields(other)) continue
    const access = toAccess(findAccessLimits(other, new Date().toISOString()))
    if (Object.keys(access).length === 0) continue
    return {
      access,
      remark: `${name} says that the files are not public yet: access is restricted`,
    }
  }
  return { access: {} }
}
