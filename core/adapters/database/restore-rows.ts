import type { Kysely } from 'kysely'
import type { UserId } from '../../access/caller.ts'
import { canonicalJson, sha256 } from '../../json/canonical.ts'
import { firstOwner } from '../../deposit/deposit.ts'
import { depositPidType, type PersistentIdentifier } from '../../pid/deposit-pid.ts'
import type {
  ManifestConcept,
  ManifestFile,
  ManifestIdentifier,
  ManifestPid,
  RecordManifest,
} from '../../ports/manifest-store.ts'
import { peopleProjection } from './sharing-rows.ts'
import { restoreNumber } from './number-rows.ts'
import { wantAgain } from './identifier-outbox.ts'
import type { Tables } from './schema/tables.ts'
import type { IdentifierRow } from './schema/identifier-tables.ts'
import { newestListed, showNewest } from './version-rows.ts'

/**
 * Makes the rows of one record and its deposit from all of its manifests, oldest first. Blobs and
 * accounts that other records have brought already are left as they are.
 */
export async function restoreRecord(
  db: Kysely<Tables>,
  manifests: readonly RecordManifest[],
): Promise<void> {
  const last = manifests.at(-1)
  if (!last) return
  await restoreAccounts(db, last)
  await restorePid(db, last.pid)
  await restorePid(db, last.deposit.pid)
  // Before its record: whose revisions count as whose metadata is known by the deposit.
  await restoreDeposit(db, last)
  await restoreNumber(db, last.deposit.pid.value, last.deposit.number)
  for (const manifest of manifests) await restoreRevision(db, manifest, manifest === last)
  if (last.concept) await restoreVersion(db, last, last.concept)
  for (const file of last.files) await restoreFile(db, last.deposit.bucket, file)
  await restoreTotals(db, last)
  await restoreIdentifiers(db, last.identifiers ?? [], last.deposit.pid.value)
}

async function restoreAccounts(db: Kysely<Tables>, manifest: RecordManifest): Promise<void> {
  const { owners, people = [], created } = manifest.deposit
  for (const { id, email } of [...owners, ...people]) {
    if (email === null) continue
    await db
      .insertInto('accounts')
      .values({ id, email, admin: 0, disabled: 0, created, ...unknown })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Columns of an account that no manifest has. */
const unknown = {
  issuer: null,
  subject: null,
  name: null,
  claimed_admin: null,
  roles: null,
  claimed_roles: null,
} as const

/** Versions may be restored in any order: either neighbour may be there already. */
async function restoreVersion(
  db: Kysely<Tables>,
  { pid: { value }, deposit }: RecordManifest,
  { pid, number }: ManifestConcept,
): Promise<void> {
  const version = { deposit_id: deposit.pid.value, concept: pid.value, number, record: value }
  const others = db.selectFrom('versions').select('record').where('concept', '=', pid.value)
  const [known] = await others.limit(1).execute()
  if (!known) await restorePid(db, pid, 'concept')
  const newest = await newestListed(db, pid.value)
  await db.insertInto('versions').values(version).execute()
  await showNewest(db, pid.value, [value, ...newest])
}

async function restorePid(
  db: Kysely<Tables>,
  pid: ManifestPid,
  objectType: PersistentIdentifier['objectType'] = 'rec',
): Promise<void> {
  await db
    .insertInto('pids')
    .values({
      pid_type: pid.type,
      pid_value: pid.value,
      object_type: objectType,
      object_uuid: pid.object_uuid,
      status: pid.status,
      redirect_type: pid.redirect?.type ?? null,
      redirect_value: pid.redirect?.value ?? null,
    })
    .execute()
}

async function restoreRevision(
  db: Kysely<Tables>,
  manifest: RecordManifest,
  isLatest: boolean,
): Promise<void> {
  const document = canonicalJson(manifest.metadata)
  const { pid, owners, created_by, base, bucket } = manifest.deposit
  const dump = {
    id: pid.value,
    ...(pid.type !== depositPidType && { pid_type: pid.type }),
    owners: owners.map(({ id }) => id),
    created_by,
    ...(base !== null && { pid: base }),
  }
  await db
    .insertInto('record_revisions')
    .values({
      pid_type: manifest.pid.type,
      pid_value: manifest.pid.value,
      revision: manifest.revision,
      latest: isLatest ? 1 : 0,
      bucket_id: bucket,
      schema_path: manifest.schema,
      document,
      digest: sha256(document),
      deposit: JSON.stringify(dump),
      predecessor: manifest.predecessor,
      created: manifest.created,
      updated: manifest.updated,
      made: manifest.made ?? null,
      manifested: 1,
      superseded: 0,
    })
    .execute()
}

async function restoreDeposit(db: Kysely<Tables>, manifest: RecordManifest): Promise<void> {
  const { deposit, pid, metadata } = manifest
  const document = canonicalJson(metadata)
  const people = deposit.people?.map(({ id, role, since }) => ({ user: id as UserId, role, since }))
  const owners =
    people?.flatMap(({ user, role }) => (role === 'owner' ? [user] : [])) ??
    deposit.owners.map(({ id }) => id as UserId)
  const createdBy = deposit.created_by as UserId
  await db
    .insertInto('deposits')
    .values({
      id: deposit.pid.value,
      pid_type: deposit.pid.type,
      bucket_id: deposit.bucket,
      status: 'published',
      owner: firstOwner({ owners, createdBy }),
      owners: JSON.stringify(owners),
      created_by: createdBy,
      schema_path: deposit.schema,
      document,
      digest: sha256(document),
      revision: deposit.revision,
      base_revision: deposit.base,
      record_type: pid.type,
      record_value: pid.value,
      record_revision: manifest.revision,
      predecessor: manifest.predecessor,
      indexed: 1,
      hidden: null,
      withdrawal: deposit.withdrawal ? JSON.stringify(deposit.withdrawal) : null,
      people: people ? JSON.stringify(people) : null,
      offer: null,
      review: null,
      submitted: null,
      makers: null,
      created: deposit.created,
      updated: deposit.updated ?? manifest.updated,
    })
    .execute()
  await peopleProjection(db).restore({
    id: deposit.pid.value,
    pidType: deposit.pid.type,
    status: 'published',
    owner: firstOwner({ owners, createdBy }),
    finders: people?.map(({ user }) => user) ?? owners,
    updated: deposit.updated ?? manifest.updated,
  })
}

async function restoreFile(db: Kysely<Tables>, bucket: string, file: ManifestFile): Promise<void> {
  for (const { blob } of file.versions) {
    const { id, size, sha256: digest } = blob
    const digests = JSON.stringify(blob.digests)
    await db
      .insertInto('blobs')
      .values({ id, size, sha256: digest, digests, checked: null, damage: null, crc32: null })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  const [latest, ...older] = file.versions
  if (!latest) return
  const { id, key, position } = file
  const { storage_class, created } = latest
  const version = { version_id: latest.id, blob_id: latest.blob.id, storage_class, created }
  await db
    .insertInto('files')
    .values({ id, bucket_id: bucket, key, position, published_position: null, ...version })
    .execute()
  for (const [index, old] of older.entries()) {
    await db
      .insertInto('file_versions')
      .values({
        version_id: old.id,
        file_id: id,
        ordinal: older.length - index,
        blob_id: old.blob.id,
        storage_class: old.storage_class,
        created: old.created,
      })
      .execute()
  }
}

async function restoreTotals(
  db: Kysely<Tables>,
  { deposit, files }: RecordManifest,
): Promise<void> {
  if (files.length === 0) return
  const bytes = files.reduce((sum, { versions }) => sum + (versions[0]?.blob.size ?? 0), 0)
  await db
    .insertInto('buckets')
    .values({ id: deposit.bucket, file_count: files.length, byte_count: bytes })
    .execute()
}

/** Makes the rows of identifiers that manifests tell of. Nothing is sent until `doi check` was run. */
async function restoreIdentifiers(
  db: Kysely<Tables>,
  identifiers: readonly ManifestIdentifier[],
  deposit: string,
): Promise<void> {
  const now = new Date().toISOString()
  const message = 'the rows were made from manifests.'
  for (const { of: object, registered, ...identifier } of identifiers) {
    const status = registered === null ? 'pending' : 'registered'
    const rest = { object, deposit_id: deposit, status, message: null, field: null, registered }
    const { provider } = identifier
    await db
      .insertInto('identifiers')
      .values({ ...toColumns(identifier), ...rest, updated: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    if (registered === null) await wantAgain(db, [identifier.value], now)
    await db
      .insertInto('identifier_pauses')
      .values({ provider, reason: 'restored', message, since: now, until: null })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

function toColumns({ value, provider, scheme, url, subject }: Named) {
  return { value, provider, scheme, url, subject }
}

type Named = Pick<IdentifierRow, 'value' | 'provider' | 'scheme' | 'url' | 'subject'>
