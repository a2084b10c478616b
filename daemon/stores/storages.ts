import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  isBesideBlobs,
  pathOfBlob,
  unfinishedRestore,
} from '../../core/adapters/blobs/blob-folder.ts'
import { smallLimit } from '../../core/adapters/blobs/small-blobs.ts'
import { isMissing } from '../../core/base/errno.ts'
import { openFolderBlobStore } from '../../core/adapters/blobs/folder-blob-store.ts'
import { openFolderManifests } from '../../core/adapters/blobs/folder-manifest-store.ts'
import type { StorageHealth } from '../../core/adapters/storage-health.ts'
import {
  systemClock,
  type BlobId,
  type BlobStore,
  type Database,
  type ManifestStore,
  type StoreMarks,
} from '../../core/index.ts'
import type { ConfigFaults } from '../config/faults.ts'
import type { Home } from '../home/home.ts'
import { folderMarks, placeOf, storageScheme, type StorageScheme } from '../home/place.ts'

/** Options for opening the store of bytes. */
export interface BlobOptions {
  /** Records each write before it begins. */
  readonly database: Database
  readonly health?: StorageHealth
  /** Told of failures that no caller waits for. */
  readonly report?: (error: unknown) => void
  /** Told what an operator should know of the store. */
  readonly notice?: (text: string) => void
  /** Makes room on a full disk: frees about as many bytes, and says whether there were any. */
  readonly release?: (bytes: number) => Promise<boolean>
}

/** A kind of store for the bytes of files and the manifests of records. */
interface Storage {
  /** Asks whether it answers, and changes nothing there. */
  readonly requireAnswer: (url: string) => Promise<void>
  readonly openBlobs: (url: string, home: Home, options: BlobOptions) => Promise<BlobStore>
  readonly openManifests: (url: string, makes: boolean) => Promise<ManifestStore>
  /** @param name of the store, without credentials */
  readonly openMarks: (url: string, name: string, makes: boolean) => Promise<StoreMarks>
  /** How many of the blobs are there. Makes and changes nothing. */
  readonly countHeld: (url: string, ids: readonly BlobId[]) => Promise<number>
}

/** Kinds of storage by the scheme of their address, loaded where one is configured. */
const storages: Readonly<Record<StorageScheme, Storage>> = {
  s3: {
    requireAnswer: async (url) => {
      const { openBucket } = await import('../../core/adapters/blobs/s3/open-bucket.ts')
      const bucket = await openBucket(url, () => {}, false)
      bucket[Symbol.dispose]()
    },
    openBlobs: async (url, { root: home }, { database, notice = () => {} }) => {
      const { openS3 } = await import('../../core/adapters/blobs/s3/open-s3.ts')
      return openS3(url, { home, database, clock: systemClock, notice })
    },
    openManifests: async (url, makes) => {
      const { openBucket } = await import('../../core/adapters/blobs/s3/open-bucket.ts')
      const { openS3Manifests } = await import('../../core/adapters/blobs/s3/s3-manifest-store.ts')
      return openS3Manifests(await openBucket(url, () => {}, makes))
    },
    openMarks: async (url, name, makes) => {
      const { openBucket } = await import('../../core/adapters/blobs/s3/open-bucket.ts')
      const { openS3Marks } = await import('../../core/adapters/blobs/s3/s3-marks.ts')
      return openS3Marks(await openBucket(url, () => {}, makes), name)
    },
    countHeld: async (url, ids) => {
      const { openBucket } = await import('../../core/adapters/blobs/s3/open-bucket.ts')
      const { countHeld } = await import('../../core/adapters/blobs/s3/s3-blob-store.ts')
      using bucket = await openBucket(url, () => {}, false)
      return await countHeld(bucket, ids)
    },
  },
}

/** Asks the storage that a configuration names. @param faults told where it does not answer, or refuses */
export async function requireAnswer({ storageUrl }: Home, faults: ConfigFaults): Promise<void> {
  if (storageUrl === undefined) return
  await faults.of(() => storages[storageScheme(storageUrl)].requireAnswer(storageUrl))
}

/**
 * Opens the mark that says whose bytes they are, where they are.
 *
 * @param makes false leaves a bucket unmade that is missing and may be made
 */
export async function openMarks(home: Home, makes = true): Promise<StoreMarks> {
  const { storageUrl } = home
  if (storageUrl === undefined) return folderMarks(home)
  return storages[storageScheme(storageUrl)].openMarks(storageUrl, placeOf(home).storage, makes)
}

/** How many of the blobs are where a home has its bytes. */
export async function countHeld(home: Home, ids: readonly BlobId[]): Promise<number> {
  const { root, blobs: folder, storageUrl } = home
  if (storageUrl !== undefined) {
    return storages[storageScheme(storageUrl)].countHeld(storageUrl, ids)
  }
  if (!existsSync(folder)) return 0
  await using store = await openFolderBlobStore(root, () => {}, undefined, folder)
  const sizes = await Promise.all(ids.map((id) => store.size(id)))
  return sizes.filter((size) => size !== undefined).length
}

/**
 * The bytes that cannot be in a home whose folder of files is missing or empty: those of more than so
 * many bytes. Undefined where there are files, or they are in no folder.
 */
export async function whatIsAway({
  root,
  blobs,
  storageUrl,
}: Home): Promise<{ readonly largerThan: number } | undefined> {
  if (storageUrl !== undefined) return undefined
  try {
    if (!(await readdir(blobs)).every(isBesideBlobs)) return undefined
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  return { largerThan: existsSync(smallFilesOf(root)) ? smallLimit : -1 }
}

/** The database of small files, beside the folder of the others. */
function smallFilesOf(root: string): string {
  return join(root, 'small-blobs.db')
}

/** The bytes that cannot be in a home whose database of small files is missing; as {@link whatIsAway}. */
export function whatSmallIsAway({
  root,
  storageUrl,
}: Home): { readonly atMost: number } | undefined {
  if (storageUrl !== undefined || existsSync(smallFilesOf(root))) return undefined
  return { atMost: smallLimit }
}

/** Whether a home has a blob as a file of its own, as earlier versions and uploads in parts store small ones. */
export function isInFolder({ blobs }: Home, id: BlobId): boolean {
  return existsSync(pathOfBlob(blobs, id))
}

/** The bytes of a home: in the storage that the configuration names, else in a folder. */
export async function openBlobs(home: Home, options: BlobOptions): Promise<BlobStore> {
  const { root, blobs, storageUrl } = home
  const { health, report = () => {}, release, notice } = options
  if (storageUrl === undefined)
    return openFolderBlobStore(root, report, health, blobs, release, notice)
  return storages[storageScheme(storageUrl)].openBlobs(storageUrl, home, options)
}

/**
 * Opens the manifests: for each record, beside its rows, where its bytes are.
 *
 * @param makes as of {@link openMarks}
 */
export async function openManifests(
  { records, storageUrl }: Home,
  health?: StorageHealth,
  makes = true,
): Promise<ManifestStore> {
  if (storageUrl === undefined) return openFolderManifests(records, health)
  return storages[storageScheme(storageUrl)].openManifests(storageUrl, makes)
}

export { pathOfBlob, unfinishedRestore }
