import { isProblem } from '../errors/errors.ts'
import type { StrangeFile } from '../ports/blob-store.ts'
import type { Database } from '../ports/database.ts'
import type { ManifestName, ManifestStore, RecordManifest } from '../ports/manifest-store.ts'

/** Manifests whose rows are asked for at once. */
const batchSize = 200

interface Compared {
  readonly database: Pick<Database, 'read'>
  readonly manifests: ManifestStore
}

/**
 * Manifests whose record or revision has no row, and files beside them that are none. The names are
 * compared with the rows; no manifest is read.
 */
export async function* strangeManifests({
  database,
  manifests,
}: Compared): AsyncGenerator<ManifestName | StrangeFile, void, undefined> {
  let batch: ManifestName[] = []
  for await (const name of manifests.list()) {
    if ('strange' in name) yield name
    else batch.push(name)
    if (batch.length < batchSize) continue
    yield* await withoutRow(database, batch)
    batch = []
  }
  yield* await withoutRow(database, batch)
}

async function withoutRow(
  { read }: Pick<Database, 'read'>,
  names: readonly ManifestName[],
): Promise<readonly ManifestName[]> {
  const known = await read.records.revisionNumbers([...new Set(names.map(({ value }) => value))])
  return names.filter(({ value, revision }) => !known.get(value)?.has(revision))
}

/** The files of records, or of revisions, that have a manifest and no row. */
export interface StrangeFiles {
  /** Number of these manifests. */
  readonly manifests: number
  /** The first one that was found. */
  readonly such?: ManifestName
  /** The manifest that names a blob, by the id of the blob. */
  readonly blobs: ReadonlyMap<string, ManifestName>
  /** Manifests that cannot be read: any bytes may be theirs. */
  readonly damaged: readonly ManifestName[]
}

/**
 * Reads the manifests that have no row. A record that was withdrawn with its bytes destroyed, by the
 * rows or by one of its manifests, has no files.
 *
 * @param isAsked of a blob: others are left out
 */
export async function findStrangeFiles(
  compared: Compared,
  isAsked: (blob: string) => boolean,
  signal?: AbortSignal,
): Promise<StrangeFiles> {
  const named: (readonly [blob: string, by: ManifestName])[] = []
  const damaged: ManifestName[] = []
  const destroyed = new Set<string>()
  let [count, such]: [number, ManifestName?] = [0]
  for await (const name of strangeManifests(compared)) {
    signal?.throwIfAborted()
    if ('strange' in name) continue
    const manifest = await readStrange(compared.manifests, name)
    if (!manifest) continue
    count += 1
    such ??= name
    if (manifest === 'damaged') damaged.push(name)
    else if (await isDestroyed(compared.database, manifest)) destroyed.add(name.value)
    else for (const id of blobsOf(manifest)) if (isAsked(id)) named.push([id, name])
  }
  const blobs = new Map(named.filter(([, { value }]) => !destroyed.has(value)))
  return { manifests: count, ...(such && { such }), blobs, damaged }
}

/** Undefined where it is gone since. */
async function readStrange(
  manifests: ManifestStore,
  name: ManifestName,
): Promise<RecordManifest | 'damaged' | undefined> {
  try {
    return await manifests.read(name)
  } catch (error) {
    if (isProblem(error, 'damaged_file')) return 'damaged'
    throw error
  }
}

async function isDestroyed(
  { read }: Pick<Database, 'read'>,
  { pid, deposit }: RecordManifest,
): Promise<boolean> {
  if (deposit.withdrawal?.bytesDestroyed) return true
  const record = await read.records.find(pid.value)
  const known = record && (await read.deposits.findByBucket(record.bucket))
  return known?.withdrawal?.bytesDestroyed ?? false
}

function blobsOf({ files }: RecordManifest): readonly string[] {
  return files.flatMap(({ versions }) => versions.map(({ blob }) => blob.id))
}

/** As people read it. */
export function nameOfManifest({ value, revision }: ManifestName): string {
  return `${value}@${revision}`
}

/** Whether bytes are those of a published record that the rows do not know, or may be. */
export type IsKept = (id: string) => Promise<boolean>

/** The manifests are asked once, and only if there are bytes to ask for. */
export function keptByManifests(compared: Compared): IsKept {
  let found: Promise<StrangeFiles> | undefined
  return async (id) => {
    found ??= findStrangeFiles(compared, () => true)
    const { blobs, damaged } = await found
    return damaged.length > 0 || blobs.has(id)
  }
}
