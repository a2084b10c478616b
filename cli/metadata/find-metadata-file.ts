import type { Stats } from 'node:fs'
import { advice } from '../advice.ts'
import { join, resolve } from 'node:path'
import { findAccessLimits } from '../../core/contract/access-limits.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'
import { foreignFiles, toAccess } from './foreign/foreign-files.ts'
import { readMetadata, type Input, type MetadataFile } from './read-metadata.ts'

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
  if (used === undefined || used.metadata['access'] !== undefined) return { access: {} }
  const path = resolve(input.folder, used.file)
  const names = [...metadataFiles, ...Object.keys(foreignFiles)]
  const stats = await statsOf(folder, names)
  for (const [at, name] of names.entries()) {
    // To open a pipe would wait for ever.
    if (join(folder, name) === path || !stats[at]?.isFile()) continue
    // One that is absent or cannot be read says nothing; it would be told of if it counted.
    const other = await readMetadata({ ...input, folder, followsLinks: false }, name).catch(
      () => undefined,
    )
    const now = new Date().toISOString()
    const access = other && toAccess([...other.limits, ...findAccessLimits(other.metadata, now)])
    if (access === undefined || Object.keys(access).length === 0) continue
    return {
      access,
      remark: `${name} says that the files are not public yet: access is restricted`,
    }
  }
  return { access: {} }
}
