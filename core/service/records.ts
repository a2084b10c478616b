import type { Caller, User } from '../access/caller.ts'
import { filesAreOpen, mayReadFiles, requireOpeningSaid } from '../access/file-access.ts'
import { mayAccept } from '../access/review-rights.ts'
import { findAccessLimits } from '../contract/access-limits.ts'
import { writeScope } from '../contract/scopes.ts'
import { isPermitted, scopePermission, requirePermission } from '../deposit/permissions.ts'
import { schemaOfCorrection } from '../deposit/deposit-schema.ts'
import { parseInTurn, userFields, toRecordDocument } from '../deposit/document.ts'
import { patchDocument, type PatchForm } from '../deposit/json-patch.ts'
import { isProblem, problem, refused, type DepositError, type Fault } from '../errors/errors.ts'
import type { DepositFile } from '../files/file.ts'
import { isSameJson, ownField, type Json, type JsonObject } from '../base/json.ts'
import { wantIdentifiers } from '../identifiers/wanted.ts'
import { recordPidType } from '../pid/record-minters.ts'
import { notBefore } from '../ports/clock.ts'
import type { UnitOfWork } from '../ports/database.ts'
import type { PublishedRecord } from '../record/record.ts'
import { findStrayFields } from '../schemas/stray-fields.ts'
import { requireValid } from '../schemas/validate.ts'
import type { ExpectedRevision } from './authorize.ts'
import { boundPage } from './bounded-page.ts'
import { findRecord, type RecordRows } from './find-record.ts'
import { indexRecord } from './change-deposit.ts'
import type { Parts } from './parts.ts'
import type { Found } from './search.ts'

/** The use cases of published records. Reading is for everybody. */
export interface Records {
  /**
   * The latest revision.
   *
   * @param caller who is told which draft the identifier of a concept without versions belongs to
   * @throws {DepositError} record_not_found, moved, record_withdrawn, deposit_deleted
   * @throws {DepositError} newest_version: `value` identifies a concept
   */
  readonly get: (value: string, caller?: Caller) => Promise<PublishedRecord>
  readonly revision: (value: string, revision: number) => Promise<PublishedRecord>
  /** A page of the revisions, oldest first. */
  readonly revisions: (value: string, page: PageOfList) => Promise<FoundList>
  /** A page of the versions of the record's concept, newest first; each in its latest revision. */
  readonly versions: (record: PublishedRecord, page: PageOfList) => Promise<FoundList>
  /**
   * The files of the snapshot in the published order, for a caller who may have them; undefined for
   * others. The newest revision decides, whichever is asked for.
   */
  readonly files: (
    record: PublishedRecord,
    caller: Caller,
  ) => Promise<readonly DepositFile[] | undefined>
  /** The newest revision of the record, which decides who may have its files. */
  readonly newest: (record: PublishedRecord) => Promise<PublishedRecord>
  /** Value of the version after this one. */
  readonly next: (record: PublishedRecord) => Promise<string | undefined>

  /**
   * A curator's correction: the document becomes the next revision.
   *
   * @throws {DepositError} permission_denied: the caller is neither a curator nor an administrator
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

interface PageOfList {
  readonly offset: number
  readonly size: number
}

type FoundList = Omit<Found<PublishedRecord>, 'facets'>

export interface Correction {
  readonly caller: Caller
  readonly value: string
  readonly expected?: ExpectedRevision
  /** Runs in the unit of work of the correction, with the record as it is then. */
  readonly after?: (unit: UnitOfWork, corrected: PublishedRecord) => Promise<void>
}

/** Administrators pass every check, and this one lets curators pass. */
export const correctPermission = scopePermission(({ roles }) => roles.has('curator'), writeScope)

export function createRecords(parts: Parts): Records {
  const { read } = parts.database
  const authorize = async (
    rows: RecordRows,
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
      await requireOthers(parts, unit, correction.caller, latest)
      const next = nextOf(parts, latest, toDocument)
      await requireUnsealed(unit, latest)
      // It counts in the quota of the owner, and a full one does not keep it from being made.
      await unit.records.addRevision(next)
      await wantIdentifiers(unit, parts.providers, { record: next, now: next.updated })
      await correction.after?.(unit, next)
      unit.afterCommit(() => indexRecord(parts, next))
      return next
    })
  }

  const newestOf = async (record: PublishedRecord): Promise<PublishedRecord> => {
    const newest = (await read.records.find(record.value)) ?? record
    await parseInTurn(newest)
    return newest
  }

  return {
    get: async (value, caller) => {
      try {
        return await findRecord(read, value)
      } catch (error) {
        if (!isProblem(error, 'record_not_found') || caller === undefined) throw error
        throw (await unpublished(parts, value, caller)) ?? error
      }
    },
    revision: async (value, revision) => {
      await findRecord(read, value)
      const found = await read.records.findRevision(value, revision)
      if (!found) {
        const message = `The record has no revision ${revision}.`
        throw problem('record_not_found', { message })
      }
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
    versions: async ({ concept }, { offset, size }) => {
      const { values, total } = await read.records.versions(concept, { offset, limit: size })
      const { items, ...page } = await boundPage(values, read.records.measure)
      return { batches: read.records.batchesOf(items), ...page, total }
    },
    files: async (record, caller) => {
      const [newest, now] = [await newestOf(record), parts.clock.now()]
      const deposit = filesAreOpen(newest, now)
        ? undefined
        : await read.deposits.find(record.deposit.id)
      const mayRead = (user: User) => isPermitted(user, parts.permissions.read, deposit)
      return mayReadFiles(caller, newest, now, mayRead)
        ? read.files.list(record.bucket, 'published')
        : undefined
    },
    newest: newestOf,
    next: (record) => read.records.findNext(record),
    replace: (correction, document) => correct(correction, () => document),
    patch: (correction, patch, form) =>
      correct(correction, (current) => patchDocument(current, patch, form)),
    authorize: (correction) => authorize(read, correction),
  }
}

/** Tells those who may read the first draft of a concept which one it is. */
async function unpublished(
  { database: { read }, permissions }: Parts,
  concept: string,
  caller: Caller,
): Promise<DepositError | undefined> {
  const draft = await read.deposits.findFirstOf(concept)
  if (!draft || !isPermitted(caller, permissions.read, draft)) return undefined
  const message = `No version of it is published yet: it is the draft ${draft.id}.`
  return problem('record_not_found', {
    message,
    faults: [{ field: 'pid_value', message, deposit: draft.id }],
  })
}

/** @throws {DepositError} permission_denied: it would publish what nobody else has reviewed */
async function requireOthers(
  { settings }: Parts,
  { deposits }: Pick<UnitOfWork, 'deposits'>,
  caller: Caller,
  { deposit: { id, owners, createdBy } }: PublishedRecord,
): Promise<void> {
  if (typeof caller === 'string') return
  const deposit = (await deposits.find(id)) ?? { owners, createdBy }
  if (mayAccept(caller, deposit, settings.review)) return
  throw problem('permission_denied', {
    message:
      'This service publishes what others have reviewed: edit the deposit and submit it, or let somebody else correct the record. Give up your role on it if it was given to you unasked.',
  })
}

/** @throws {DepositError} invalid_action: the identifier is registered */
async function requireUnsealed(
  { pids }: Pick<RecordRows, 'pids'>,
  { value }: PublishedRecord,
): Promise<void> {
  const pid = await pids.find({ type: recordPidType, value })
  if (pid?.status === 'R') throw refused('update', 'sealed')
}

/**
 * A correction may close files, and open them. It says so in the field `access`: other words for it that
 * `access` does not carry out are refused as they are by publishing, and so are misspellings of it,
 * unless they were there before.
 *
 * @throws {DepositError} invalid_document
 */
function requireClearAccess(
  { schemas, clock }: Parts,
  schema: string | null,
  metadata: JsonObject,
  before: JsonObject,
): void {
  const now = clock.now()
  const known = new Set(findAccessLimits(before, now).map(({ message }) => message))
  const limits = findAccessLimits(metadata, now).filter(({ message }) => !known.has(message))
  const strays = findStrayFields(schemas, [schema], metadata, now)
    .filter(({ isSure, name }) => isSure && !isSameJson(metadata[name], ownField(before, name)))
    .map(({ field, message }) => ({ field, message }))
  const faults: readonly Fault[] = [...limits, ...strays]
  if (faults.length > 0) throw problem('invalid_document', { faults })
}

function nextOf(
  parts: Parts,
  latest: PublishedRecord,
  toDocument: (current: JsonObject) => JsonObject,
): PublishedRecord {
  const { schemas, clock } = parts
  const document = toDocument(toRecordDocument(latest, schemas.toUrl))
  const schema = schemaOfCorrection(schemas, document, latest)
  const metadata = userFields(document)
  requireValid(schemas, schema, metadata)
  requireOpeningSaid(latest, { metadata }, clock.now())
  requireClearAccess(parts, schema, metadata, latest.metadata)
  const updated = notBefore(latest.updated, clock.now())
  const { made: _, ...kept } = latest
  return { ...kept, schema, metadata, revision: latest.revision + 1, updated }
}
