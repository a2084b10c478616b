import { doiOf } from '../contract/foreign-values.ts'
import { accessOf, filesAreOpen } from '../access/file-access.ts'
import { findAccessLimits } from '../contract/access-limits.ts'
import { findPastUntil } from '../contract/file-access.ts'
import type { Deposit, DraftDeposit, PublishedDeposit } from '../deposit/deposit.ts'
import { schemaToPublish } from '../deposit/deposit-schema.ts'
import { problem, refused, type Fault } from '../errors/errors.ts'
import { isSameJson, ownField, type JsonObject } from '../base/json.ts'
import { findDoiFaults } from '../identifiers/named-doi.ts'
import { reservedValue, wantIdentifiers } from '../identifiers/wanted.ts'
import type { FileKey } from '../files/file.ts'
import type { Upload } from '../files/upload.ts'
import type { Readers } from '../ports/database.ts'
import { recordPidType } from '../pid/record-minters.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { SchemaRegistry } from '../schemas/registry.ts'
import { findStrayFields } from '../schemas/stray-fields.ts'
import { findFaults } from '../schemas/validate.ts'
import type { ActionContext, DepositAction } from './action.ts'
import { hasDestroyedFiles } from './destroyed-files.ts'
import { requireRightOnNewest } from './next-version-right.ts'
import { mergeInUnit, prepareMerge, requireEditable } from './published-record.ts'
import type { PidName } from '../pid/deposit-pid.ts'

/** Publishes a draft: as a new record, or as the next revision of the one it was published as. */
export const publish: DepositAction = {
  summary: 'Publish the draft as a record',
  status: 202,
  copiesDocument: true,
  isLocal: true,
  prepare: prepareMerge,

  async run(deposit, context) {
    const draft = await requireEditable(deposit, 'publish', context.unit.pids)
    if (context.review === 'required') throw refused('publish', 'review_required', draft.id)
    return publishDraft(draft, 'publish', context)
  },
}

/** Publishes a draft without asking whether it was reviewed. */
export async function publishDraft(
  deposit: DraftDeposit,
  operation: string,
  context: ActionContext,
): Promise<PublishedDeposit> {
  const { review: _, makers: __, ...draft } = deposit
  const ready = await requireReady(draft, operation, context)
  const { latest } = ready
  return latest
    ? publishAgain(draft, { ...ready, latest }, context)
    : publishFirst(draft, ready, context)
}

interface Ready {
  /** The document as it is to be published. */
  readonly metadata: JsonObject
  readonly schema: string | null
  /** The latest revision of its record, where it was published before. */
  readonly latest?: PublishedRecord
  /** The newest version before it, where it is to be the next one. */
  readonly before?: PublishedRecord
}

/** Unconfirmed files that are named. */
const mostNamed = 100

/**
 * Files that were announced, and whose bytes came, but were not confirmed: they may not be whole.
 * Those without bytes are in no record.
 */
export async function findUnconfirmed(
  { announcedFiles, files }: Pick<Readers, 'announcedFiles' | 'files'>,
  { id, bucket, record }: DraftDeposit,
): Promise<readonly FileKey[]> {
  const announced = record ? [] : await announcedFiles.list(id)
  if (announced.length === 0) return []
  const present = new Set((await files.list(bucket, 'draft')).map(({ key }) => key))
  return announced.filter((key) => present.has(key)).slice(0, mostNamed)
}

/** An upload that is not finished, and whether it cannot be: a file has its key. */
type Unfinished = Pick<Upload, 'id' | 'key'> & { readonly isTaken: boolean }

export async function findUnfinishedUploads(
  { uploads, files }: Pick<Readers, 'uploads' | 'files'>,
  { id: deposit, bucket }: DraftDeposit,
): Promise<readonly Unfinished[]> {
  const unfinished = await uploads.unfinished(deposit)
  if (unfinished.length === 0) return []
  const keys = new Set((await files.list(bucket, 'draft')).map(({ key }) => key))
  return unfinished.map(({ id, key, replaces }) => ({
    id,
    key,
    isTaken: !replaces && keys.has(key),
  }))
}

/**
 * Demands that a draft can be published as it is.
 *
 * @throws {DepositError} permission_denied: see {@link requireRightOnNewest}
 * @throws {DepositError} invalid_action: an upload is not finished, a file not confirmed, or the files
 *   are those of a version that was destroyed
 * @throws {DepositError} merge_conflict, invalid_document
 */
export async function requireReady(
  draft: DraftDeposit,
  operation: string,
  context: ActionContext,
): Promise<Ready> {
  const { unit, schemas } = context
  await requireEditable(draft, operation, unit.pids)
  // Another draft of the next version may have been published since this one was opened.
  const before = draft.record ? undefined : await unit.records.findLast(draft.concept)
  // Other deposits may be versions of the same record, or name the same DOI.
  if (draft.record || before || doiOf(draft.metadata['doi']) !== undefined) unit.requireWhole()
  // Asked together; a right that is missing is told before the others.
  const [, unfinished, unconfirmed, isDestroyed] = await Promise.all([
    before && requireRightOnNewest(draft, operation, context),
    findUnfinishedUploads(unit, draft),
    findUnconfirmed(unit, draft),
    before !== undefined && hasDestroyedFiles(unit, draft),
  ])
  if (unfinished.length > 0) throw problem('invalid_action', { uploads: unfinished })
  if (unconfirmed.length > 0) throw problem('invalid_action', { unconfirmed })
  if (isDestroyed) throw refused(operation, 'destroyed_files')
  if (!draft.record) {
    const schema = schemaToPublish(schemas, draft.schema, undefined)
    await requirePublishable(draft, draft.metadata, schema, context)
    return { metadata: draft.metadata, schema, ...(before && { before }) }
  }
  const { latest, result } = await mergeInUnit(unit.records, draft, draft.record, context.merge)
  if ('conflicts' in result) throw problem('merge_conflict', { conflicts: result.conflicts })
  const metadata = result.merged
  const schema = schemaToPublish(schemas, draft.schema, latest)
  await requirePublishable(draft, metadata, schema, context, latest)
  return { metadata, schema, latest }
}

async function publishFirst(
  draft: DraftDeposit,
  { schema, before }: Ready,
  context: ActionContext,
): Promise<PublishedDeposit> {
  const { unit, now } = context
  const pid = await identify(draft, context)
  const record = snapshot(draft, pid, { schema, now, before })
  const superseded = await unit.records.insert(record)
  const previous = before && (await unit.records.findPrevious(record))
  if (previous !== undefined) await unit.records.touch([previous], now)
  for (const value of superseded) context.indexRecord(value)
  await wantIdentifiers(unit, context.providers, { record, now, superseded })
  return publishedAs(before ? { ...draft, predecessor: before.value } : draft, record)
}

/** The identifier that the draft has reserved, or a new one. */
async function identify(
  { id }: DraftDeposit,
  { unit, mintRecord }: ActionContext,
): Promise<PidName> {
  const reserved = await reservedValue(unit.identifiers, id)
  if (reserved === undefined) {
    const pid = mintRecord()
    await unit.pids.insert(pid)
    return pid
  }
  // What it is a name of may be told to others meanwhile.
  unit.requireWhole()
  const pid = { type: recordPidType, value: reserved }
  await unit.pids.setStatus(pid, 'K')
  return pid
}

async function publishAgain(
  draft: DraftDeposit,
  { metadata, schema, latest }: Ready & { readonly latest: PublishedRecord },
  context: ActionContext,
): Promise<PublishedDeposit> {
  const { unit, now } = context
  const merged = { ...draft, metadata }
  const record = nextRevision(latest, merged, schema, now)
  await unit.records.addRevision(record)
  await wantIdentifiers(unit, context.providers, { record, now })
  await unit.files.publishOrder(draft.bucket)
  return publishedAs(merged, record)
}

interface Published {
  readonly draft: Pick<DraftDeposit, 'schema'>
  /** The record as it is; absent before its first publication. */
  readonly latest: PublishedRecord | undefined
  readonly now: string
}

/**
 * The faults of a document that is to be published: by its schema, and in its terms of access.
 * Its field `access` may keep the files closed; "embargoed" or "restricted" in other fields is
 * refused where that field does not carry it out, and so is a misspelling of it.
 */
export function findPublishFaults(
  schemas: SchemaRegistry,
  schema: string | null,
  document: JsonObject,
  { draft, latest, now }: Published,
): readonly Fault[] {
  const closing = findAccessLimits(document, now)
  const isLimit = ({ field: own }: Fault): boolean =>
    closing.some(({ field }) => field === own || field.startsWith(`${own}/`))
  // Files that were made public with a field are not opened by it now.
  const known = latest && filesAreOpen(latest, now) ? latest.metadata : {}
  const stray = findStrayFields(schemas, [schema, draft.schema], document, now)
    .filter(({ isSure, name }) => isSure && !isSameJson(document[name], ownField(known, name)))
    .filter((found) => !isLimit(found))
  const limits = [...closing, ...stray].map(({ field, message }) => ({ field, message }))
  const faults = findFaults(schemas, schema, document)
  // They say what to write.
  const isTold = ({ field }: Fault): boolean => limits.some((each) => each.field === field)
  return [...faults.filter((fault) => !isTold(fault)), ...limits]
}

/**
 * The fault of an edit that would close files which everybody may have: copies of them are out. A
 * correction by an administrator may do so, and a withdrawal removes them.
 *
 * @param latest the record as it is; absent before its first publication
 */
export function findClosingFault(
  latest: PublishedRecord | undefined,
  metadata: JsonObject,
  now: string,
): readonly Fault[] {
  if (!latest || !filesAreOpen(latest, now) || filesAreOpen({ metadata }, now)) return []
  const message =
    'The files of this record are public, and an edit does not close them. Remove access from the draft, or withdraw the record; an administrator can close the files by a correction'
  return [{ field: '/access', message }]
}

/**
 * The fault of files that are to open on a day that has come already. An embargo of the record that has
 * ended stays in it.
 *
 * @param latest the record as it is; absent before its first publication
 */
export function findPastDay(
  latest: PublishedRecord | undefined,
  { access }: JsonObject,
  now: string,
): readonly Fault[] {
  const fault = findPastUntil(access, now)
  if (!fault || (latest && accessOf(latest).until === fault.until)) return []
  return [{ field: fault.field, message: fault.message }]
}

/** @throws {DepositError} invalid_document: with all the faults there are, if any */
async function requirePublishable(
  draft: DraftDeposit,
  metadata: JsonObject,
  schema: string | null,
  { unit, schemas, providers, now }: ActionContext,
  latest?: PublishedRecord,
): Promise<void> {
  const faults = [
    ...findPublishFaults(schemas, schema, metadata, { draft, latest, now }),
    ...findClosingFault(latest, metadata, now),
    ...findPastDay(latest, metadata, now),
    ...(await findDoiFaults(unit, providers, draft, metadata)),
  ]
  if (faults.length > 0) throw problem('invalid_document', { faults })
}

function publishedAs(draft: DraftDeposit, record: PublishedRecord): PublishedDeposit {
  const { type, value, revision } = record
  return { ...draft, status: 'published', record: { type, value, revision } }
}

interface SnapshotOf {
  readonly schema: string | null
  readonly now: string
  readonly before?: PublishedRecord | undefined
}

/**
 * The record a deposit becomes: its document, a dump of the deposit, and its bucket, which is
 * frozen from now on and so is the snapshot of the files.
 *
 * @param schema path of the record's schema
 * @param before the newest version of its concept; absent for the first one
 */
export function snapshot(
  deposit: Deposit,
  pid: PidName,
  { schema, now, before }: SnapshotOf,
): PublishedRecord {
  return {
    type: pid.type,
    value: pid.value,
    revision: 0,
    schema,
    metadata: deposit.metadata,
    deposit: dump(deposit),
    bucket: deposit.bucket,
    concept: deposit.concept,
    number: (before?.number ?? 0) + 1,
    ...(before && { predecessor: before.value }),
    superseded: false,
    created: now,
    updated: now,
  }
}

/** The revision after `latest`, with the document of `deposit`. */
function nextRevision(
  latest: PublishedRecord,
  deposit: Deposit,
  schema: string | null,
  now: string,
): PublishedRecord {
  const { made: _, ...kept } = latest
  return {
    ...kept,
    revision: latest.revision + 1,
    schema,
    metadata: deposit.metadata,
    deposit: dump(deposit),
    updated: now,
  }
}

function dump({ id, pidType, owners, createdBy, base }: Deposit): PublishedRecord['deposit'] {
  return { id, pidType, owners, createdBy, ...(base === undefined ? {} : { base }) }
}
