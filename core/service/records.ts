import type { Caller } from '../access/caller.ts'
import { writeScope } from '../contract/scopes.ts'
import { scopePermission, requirePermission } from '../deposit/permissions.ts'
import { schemaOfCorrection } from '../deposit/deposit-schema.ts'
import { userFields, toRecordDocument } from '../deposit/document.ts'
import { patchDocument, type PatchForm } from '../deposit/json-patch.ts'
import { problem, refused } from '../errors/errors.ts'
import type { DepositFile } from '../files/file.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { notBefore } from '../ports/clock.ts'
import type { PidReader, RecordReader } from '../ports/database.ts'
import type { PublishedRecord } from '../record/record.ts'
import { requireValid } from '../schemas/validate.ts'
import type { ExpectedRevision } from './authorize.ts'
import { boundPage } from './bounded-page.ts'
import { indexRecord } from './change-deposit.ts'
import type { Parts } from './parts.ts'
import type { Found } from './search.ts'

/** The use cases of published records. Reading is for everybody. */
export interface Records {
  /** The latest revision. @throws {DepositError} record_not_found, moved, deposit_deleted */
  readonly get: (value: string) => Promise<PublishedRecord>
  readonly revision: (value: string, revision: number) => Promise<PublishedRecord>
  /** A page of the revisions, oldest first. */
  readonly revisions: (value: string, page: PageOfRevisions) => Promise<FoundRevisions>
  /** The files of the snapshot, in the published order. */
  readonly files: (record: PublishedRecord) => Promise<readonly DepositFile[]>
  /** The record that is the next version of this one. */
  readonly successor: (record: PublishedRecord) => Promise<PublishedRecord | undefined>

  /**
   * A curator's correction: the document becomes the next revision.
   *
   * @throws {DepositError} permission_denied: the caller is not an administrator
   * @throws {DepositError} invalid_document, unknown_schema, stale_revision
   * @throws {DepositError} invalid_action: the record is sealed
   */
  readonly replace: (correction: Correction, document: JsonObject) => Promise<PublishedRecord>
  /** As {@link replace}, by a patch. @throws {DepositError} invalid_patch */
  readonly patch: (
    correction: Correction,
    patch: Json,
    form?: PatchForm,
  ) => Promise<PublishedRecord>

  /** Says early whether the correction may go on, before its body is read. */
  readonly authorize: (correction: Correction) => Promise<PublishedRecord>
}

interface PageOfRevisions {
  readonly offset: number
  readonly size: number
}

type FoundRevisions = Omit<Found<PublishedRecord>, 'facets'>

export interface Correction {
  readonly caller: Caller
  readonly value: string
  readonly expected?: ExpectedRevision
}

/** The type of the identifiers that `/records/` answers for. */
const recordPidType = 'recid'

/** Only administrators pass: the check is false for everybody else. */
export const correctPermission = scopePermission(() => false, writeScope)

export function createRecords(parts: Parts): Records {
  const { read } = parts.database
  const authorize = async (
    rows: Rows,
    { caller, value, expected }: Correction,
  ): Promise<PublishedRecord> => {
    const record = await findRecord(rows, value)
    requirePermission(caller, correctPermission)
    if (expected && !expected.includes(record.revision))
      throw problem('stale_revision', { current: record.revision })
    return record
  }
  const correct = async (
    correction: Correction,
    toDocument: (current: JsonObject) => JsonObject,
  ): Promise<PublishedRecord> => {
    await parts.blobs.requireRoomForRows()
    return parts.database.write(async (unit) => {
      const latest = await authorize(unit, correction)
      const next = nextOf(parts, latest, toDocument)
      await requireUnsealed(unit, latest)
      // It counts in the quota of the owner, and a full one does not keep it from being made.
      await unit.records.addRevision(next)
      unit.afterCommit(() => indexRecord(parts, next))
      return next
    })
  }

  return {
    get: (value) => findRecord(read, value),
    revision: async (value, revision) => {
      await findRecord(read, value)
      const found = await read.records.findRevision(value, revision)
      if (!found) throw problem('record_not_found')
      return found
    },
    revisions: async (value, { offset, size }) => {
      await findRecord(read, value)
      const found = await read.records.revisions(value, 0)
      const wanted = found.slice(offset, offset + size)
      const measured = new Map(wanted.map((each) => [each.name, each]))
      const { items, ...page } = await boundPage([...measured.keys()], async (numbers) =>
        numbers.flatMap((number) => measured.get(number) ?? []),
      )
      const batches = read.records.revisionBatches(value, items)
      return { batches, ...page, total: found.length }
    },
    files: (record) => read.files.list(record.bucket, 'published'),
    successor: (record) => read.records.findSuccessor(record.value),
    replace: (correction, document) => correct(correction, () => document),
    patch: (correction, patch, form) =>
      correct(correction, (current) => patchDocument(current, patch, form)),
    authorize: (correction) => authorize(read, correction),
  }
}

interface Rows {
  readonly records: RecordReader
  readonly pids: PidReader
}

/** @throws {DepositError} record_not_found, moved, deposit_deleted */
async function findRecord({ records, pids }: Rows, value: string): Promise<PublishedRecord> {
  const pid = await pids.find({ type: recordPidType, value })
  if (pid?.status === 'N') throw problem('record_not_found')
  if (pid?.status === 'D') throw problem('deposit_deleted')
  if (pid?.redirect) throw problem('moved', pid.redirect)
  const record = await records.find(value)
  if (!record) throw problem('record_not_found')
  return record
}

/** @throws {DepositError} invalid_action: the identifier is registered */
async function requireUnsealed({ pids }: Rows, { value }: PublishedRecord): Promise<void> {
  const pid = await pids.find({ type: recordPidType, value })
  if (pid?.status === 'R') throw refused('update', 'sealed')
}

function nextOf(
  { schemas, clock }: Parts,
  latest: PublishedRecord,
  toDocument: (current: JsonObject) => JsonObject,
): PublishedRecord {
  const document = toDocument(toRecordDocument(latest, schemas.toUrl))
  const schema = schemaOfCorrection(schemas, document, latest)
  const metadata = userFields(document)
  requireValid(schemas, schema, metadata)
  const updated = notBefore(latest.updated, clock.now())
  return { ...latest, schema, metadata, revision: latest.revision + 1, updated }
}
