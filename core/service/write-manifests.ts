import { isDeepStrictEqual } from 'node:util'
import type { UserId } from '../access/caller.ts'
import { jsonSize } from '../base/json.ts'
import type { BucketId, DepositFile, FileVersion } from '../files/file.ts'
import type { PersistentIdentifier } from '../pid/deposit-pid.ts'
import { isProblem } from '../errors/errors.ts'
import { recordPidType } from '../pid/record-minters.ts'
import type { Database, Readers } from '../ports/database.ts'
import type { ProvidedIdentifier } from '../ports/identifiers.ts'
import type {
  ManifestFile,
  ManifestIdentifier,
  ManifestPid,
  ManifestStore,
  ManifestVersion,
  RecordManifest,
} from '../ports/manifest-store.ts'
import type { PublishedRecord } from '../record/record.ts'

/** Revisions that are asked for at once. */
const batchSize = 32

/** Files and characters of metadata that are held at once; a manifest that has more is alone. */
const mostFiles = 1000
const mostCharacters = 1024 * 1024

/** Manifests from which on they are written together. */
const many = 4

/**
 * Writes the manifest of every revision that has none yet. The rows remember which: so one that a
 * crash kept from being written is written later, and none is forgotten.
 */
export async function writeManifests(
  database: Database,
  manifests: ManifestStore,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    if (signal.aborted || !database.isWritable()) return
    const due = await database.upkeep.unmanifested(batchSize)
    if (due.length === 0) return
    const failures: unknown[] = []
    for await (const batch of inBatches(database, due)) {
      failures.push(...(await writeBatch(database, manifests, batch, signal)))
    }
    if (failures.length > 0) throw failures[0]
  }
}

/** A manifest, and what it was made of. */
interface Made {
  readonly record: PublishedRecord
  readonly files: readonly ManifestFile[]
  readonly manifest: RecordManifest
}

async function* inBatches(
  database: Database,
  due: readonly PublishedRecord[],
): AsyncGenerator<readonly Made[]> {
  let batch: Made[] = []
  let [held, characters] = [0, 0]
  for (const record of due) {
    const files = await manifestFiles(database, record.bucket)
    held += files.length
    characters += jsonSize(record.metadata)
    if (batch.length > 0 && (held > mostFiles || characters > mostCharacters)) {
      yield batch
      batch = []
      held = files.length
      characters = jsonSize(record.metadata)
    }
    batch.push({ record, files, manifest: await toManifest(database, record, files) })
  }
  if (batch.length > 0) yield batch
}

/**
 * One that cannot be written keeps no others from being written, unless the store itself fails.
 *
 * @returns the errors of those that could not be
 */
async function writeBatch(
  database: Database,
  manifests: ManifestStore,
  batch: readonly Made[],
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  if (manifests.writeMany && batch.length >= many && (await areWritten(manifests, batch))) {
    await markWritten(database, batch)
    return []
  }
  const failures: unknown[] = []
  for (const made of batch) {
    try {
      await manifests.write(made.manifest, signal)
    } catch (error) {
      if (isProblem(error)) throw error
      failures.push(error)
      continue
    }
    await markWritten(database, [made])
  }
  return failures
}

/**
 * False where one of them could not be: each alone says which, and why.
 *
 * @throws {DepositError} storage_failed, storage_degraded: none is tried again
 */
async function areWritten({ writeMany }: ManifestStore, batch: readonly Made[]): Promise<boolean> {
  try {
    await writeMany?.(batch.map(({ manifest }) => manifest))
    return true
  } catch (error) {
    if (isProblem(error, 'storage_failed', 'storage_degraded')) throw error
    return false
  }
}

async function markWritten(database: Database, batch: readonly Made[]): Promise<void> {
  await database.write(async (unit) => {
    for (const { record, files, manifest } of batch) {
      // What changed since it was read, such as an owner who left, is due still: the mark would
      // hide it from the next round.
      const now = await toManifest({ read: unit }, record, files)
      if (isDeepStrictEqual(told(now), told(manifest))) await unit.upkeep.markManifested(record)
    }
  })
}

/** A manifest without what each change of an open draft moves on: it would be written without end. */
function told({ deposit, ...manifest }: RecordManifest): object {
  const { revision: _, updated: __, ...kept } = deposit
  return { ...manifest, deposit: kept }
}

/** The files of a record, with those that later ones have replaced: the same for all its revisions. */
export async function manifestFiles(
  { read }: Database,
  bucket: BucketId,
): Promise<readonly ManifestFile[]> {
  const files = await read.files.list(bucket, 'published')
  return Promise.all(
    files.map(async (file) => toManifestFile(file, await read.files.versions(file))),
  )
}

/** The rows that a manifest is made of, beside those of files. */
interface ManifestRows {
  readonly read: Pick<Readers, 'deposits' | 'identifiers' | 'invitations' | 'pids'>
}

/** @param files as {@link manifestFiles} answers them */
export async function toManifest(
  { read }: ManifestRows,
  record: PublishedRecord,
  files: readonly ManifestFile[],
): Promise<RecordManifest> {
  const { deposit: dump } = record
  const deposit = await read.deposits.findByBucket(record.bucket)
  const people = deposit?.people ?? []
  // Who owned the deposit when it was published may have handed it over since.
  const owned = deposit?.owners ?? dump.owners
  const { pids } = read
  const [emails, numbers, names, conceptPid, depositPid] = await Promise.all([
    read.invitations.emailsOf([...owned, ...people.map(({ user }) => user)]),
    read.deposits.numbersOf([dump.id]),
    namesOf(read, record),
    pids.find({ type: recordPidType, value: record.concept }),
    pids.find({ type: dump.pidType, value: dump.id }),
  ])
  const known = (id: UserId) => ({ id, email: emails.get(id) ?? null })
  const owners = owned.map(known)
  const number = numbers.get(dump.id)
  const { pid, identifiers } = names
  return {
    format: 1,
    pid,
    revision: record.revision,
    schema: record.schema,
    metadata: record.metadata,
    predecessor: record.predecessor ?? null,
    concept: {
      pid: toManifestPid(recordPidType, record.concept, conceptPid),
      number: record.number,
    },
    ...(identifiers.length > 0 && { identifiers }),
    created: record.created,
    updated: record.updated,
    ...(record.made !== undefined && { made: record.made }),
    deposit: {
      pid: toManifestPid(dump.pidType, dump.id, depositPid),
      bucket: record.bucket,
      schema: deposit?.schema ?? null,
      revision: deposit?.revision ?? 0,
      owners,
      ...(people.length > 0 && {
        people: people.map(({ user, role, since }) => ({ ...known(user), role, since })),
      }),
      created_by: dump.createdBy,
      base: dump.base ?? null,
      created: deposit?.created ?? record.created,
      ...(number !== undefined && { number }),
      ...(deposit?.withdrawal && { withdrawal: { ...deposit.withdrawal } }),
      updated: deposit?.updated ?? record.updated,
    },
    files,
  }
}

/** What others call a record, which changes without a revision of it. */
async function namesOf(
  { pids, identifiers }: Pick<Readers, 'pids' | 'identifiers'>,
  { type, value, concept }: PublishedRecord,
): Promise<Required<Pick<RecordManifest, 'pid' | 'identifiers'>>> {
  const [known, pid] = await Promise.all([
    identifiers.ofSubjects([value, concept]),
    pids.find({ type, value }),
  ])
  return {
    pid: toManifestPid(type, value, pid),
    identifiers: [...known.values()].flat().flatMap(toManifestIdentifier),
  }
}

function toManifestIdentifier(identifier: ProvidedIdentifier): readonly ManifestIdentifier[] {
  const { value, provider, scheme, url, of, subject, status, registered = null } = identifier
  return status === 'reserved' ? [] : [{ value, provider, scheme, url, of, subject, registered }]
}

function toManifestPid(
  type: string,
  value: string,
  pid: PersistentIdentifier | undefined,
): ManifestPid {
  const { objectUuid = '', status = 'K', redirect } = pid ?? {}
  return {
    type,
    value,
    object_uuid: objectUuid,
    status,
    redirect: redirect ? { ...redirect } : null,
  }
}

function toManifestFile(
  { id, key, position }: DepositFile,
  versions: readonly FileVersion[],
): ManifestFile {
  return { id, key, position, versions: versions.map(toManifestVersion) }
}

function toManifestVersion({ id, blob, storageClass, created }: FileVersion): ManifestVersion {
  const { size, sha256, digests } = blob
  return { id, storage_class: storageClass, created, blob: { id: blob.id, size, sha256, digests } }
}
