import { randomUUID } from 'node:crypto'
import { parseUserId, type Account, type TokenGrant } from '../../core/access/caller.ts'
import type { DraftDeposit } from '../../core/deposit/deposit.ts'
import { newDraft } from '../../core/deposit/new-draft.ts'
import {
  newBlobId,
  newBucketId,
  newFileId,
  newVersionId,
  toFileKey,
  type Blob,
  type BucketId,
  type FileVersion,
} from '../../core/files/file.ts'
import { parseDepositId, type PersistentIdentifier } from '../../core/pid/deposit-pid.ts'
import type { NewFile } from '../../core/ports/files.ts'
import type { PublishedRecord } from '../../core/record/record.ts'

/** A time on one morning, which makes orders by time easy to see. */
export const at = (minute: number): string =>
  new Date(Date.UTC(2026, 0, 1, 9, minute)).toISOString()

export const ada = parseUserId('ada')
export const bob = parseUserId('bob')

export function sampleDraft(changes: Partial<DraftDeposit> = {}): DraftDeposit {
  const id = parseDepositId(randomUUID())
  const fields = {
    id,
    pidType: 'depid',
    bucket: newBucketId(),
    owner: ada,
    concept: randomUUID(),
    schema: 'deposits/deposit-v1.0.0.json',
  }
  return { ...newDraft({ ...fields, metadata: { title: 'Sample' }, now: at(0) }), ...changes }
}

export function sampleBlob(size = 7): Blob {
  return { id: newBlobId(), size, sha256: '0'.repeat(64), digests: { md5: '1'.repeat(32) } }
}

export function sampleVersion(size?: number): FileVersion {
  return { id: newVersionId(), blob: sampleBlob(size), storageClass: 'S', created: at(0) }
}

export function sampleFile(bucket: BucketId, key: string, size?: number): NewFile {
  return { id: newFileId(), bucket, key: toFileKey(key), latest: sampleVersion(size) }
}

export function sampleRecord(changes: Partial<PublishedRecord> = {}): PublishedRecord {
  const { id, owners, createdBy, concept, bucket, metadata } = sampleDraft()
  return {
    type: 'recid',
    value: randomUUID(),
    revision: 0,
    schema: 'deposit-v1.0.0.json',
    metadata,
    deposit: { id, pidType: 'depid', owners, createdBy },
    bucket,
    concept,
    number: 1,
    superseded: false,
    created: at(0),
    updated: at(0),
    ...changes,
  }
}

export function samplePid(changes: Partial<PersistentIdentifier> = {}): PersistentIdentifier {
  const name = { type: 'depid', value: randomUUID() }
  return { ...name, objectType: 'rec', objectUuid: randomUUID(), status: 'R', ...changes }
}

/** The identifier of the concept that a deposit belongs to. */
export function sampleConcept({ concept: value }: DraftDeposit): PersistentIdentifier {
  return samplePid({ type: 'recid', value, objectType: 'concept', status: 'K' })
}

export function sampleAccount(changes: Partial<Account> = {}): Account {
  const id = parseUserId(randomUUID())
  const account = { id, email: `${id}@example.org`, admin: false, disabled: false, created: at(0) }
  return { ...account, ...changes }
}

export function sampleToken(account: Account, changes: Partial<TokenGrant> = {}): TokenGrant {
  const id = randomUUID()
  const hash = id.replaceAll('-', '').repeat(2)
  const grant = { id, hash, user: account.id, name: 'laptop', scopes: ['deposit:write'] as const }
  return { ...grant, created: at(0), ...changes }
}
