import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../access/caller.ts'
import { hasRight, roleOf } from '../access/rights.ts'
import { accessOf, filesAreOpen } from '../access/file-access.ts'
import { sayAccess } from '../contract/file-access.ts'
import type { DepositFile } from '../files/file.ts'
import { hasDestroyedFiles } from '../actions/destroyed-files.ts'
import { findLostRight } from '../actions/next-version-right.ts'
import { mergeWithLatest, requireEditable } from '../actions/published-record.ts'
import {
  findClosingFault,
  findPastDay,
  findPublishFaults,
  findUnconfirmed,
  findUnfinishedUploads,
} from '../actions/publish.ts'
import { giveWay } from '../base/turns.ts'
import { parseInTurn } from '../deposit/document.ts'
import { documentSize } from '../json/canonical.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { Deposit, DraftDeposit } from '../deposit/deposit.ts'
import { schemaToPublish } from '../deposit/deposit-schema.ts'
import { passesCheck } from '../deposit/permissions.ts'
import { isProblem, problem, refused, type Conflict, type Fault } from '../errors/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { Withdrawal } from '../record/withdrawal.ts'
import { describe } from '../describe/describe.ts'
import { findDoiFaults } from '../identifiers/named-doi.ts'
import { findWarnings } from '../schemas/validate.ts'
import { authorize, permissionFor } from './authorize.ts'
import { chargedUser, isReleasable, roomOf } from './limits.ts'
import { quotaExceeded, takeStock } from './quota-refusal.ts'
import type { Readers } from '../ports/database.ts'
import type { Parts } from './parts.ts'

/** One reason why a deposit cannot be published, under the code that publishing would fail with. */
export type Obstacle = { readonly code: ProblemCode } & (Fault | Conflict)

/** The result of a rehearsal: faults, and fields that are missing. */
export interface Rehearsal {
  /** Everything that prevents publishing; empty where the deposit can be published. */
  readonly errors: readonly Obstacle[]
  /** Recommended fields that the record lacks. */
  readonly warnings: readonly Fault[]
  /** Set where reviewers publish it. */
  readonly needsReview?: true
  /** The version of its record that was published last, where that was withdrawn. */
  readonly withdrawnVersion?: WithdrawnVersion
}

/** A version that was withdrawn, by the value of its record. */
export interface WithdrawnVersion {
  readonly value: string
  readonly withdrawal: Withdrawal
}

/**
 * Finds everything that prevents publishing at once, and changes nothing. Open to every caller who
 * may read the deposit.
 *
 * @throws what {@link authorize} throws
 * @see Contract §3.9
 */
export async function rehearsePublish(
  parts: Parts,
  caller: Caller,
  id: DepositId,
): Promise<Rehearsal> {
  const deposit = await authorize(parts, caller, id, 'read')
  const withdrawnVersion = await findWithdrawn(parts, caller, deposit)
  const told = withdrawnVersion && { withdrawnVersion }
  try {
    const draft = await requireEditable(deposit, 'publish', parts.database.read.pids)
    await parseInTurn(draft)
    const rehearsal = await rehearseDraft(parts, caller, draft)
    const needsReview = parts.settings.review === 'required' || draft.review?.state === 'submitted'
    return { ...rehearsal, ...(needsReview && { needsReview }), ...told }
  } catch (error) {
    if (!isProblem(error, 'invalid_action')) throw error
    return { errors: obstacles('invalid_action', error.faults), warnings: [], ...told }
  }
}

/** A next version comes after it. Holders of links do not see what was withdrawn. */
async function findWithdrawn(
  { database: { read } }: Parts,
  caller: Caller,
  { concept }: Deposit,
): Promise<WithdrawnVersion | undefined> {
  if (typeof caller !== 'string' && caller.link !== undefined) return undefined
  const last = await read.records.findLast(concept)
  const withdrawal = last && (await read.deposits.find(last.deposit.id))?.withdrawal
  return withdrawal && { value: last.value, withdrawal }
}

async function rehearseDraft(
  parts: Parts,
  caller: Caller,
  draft: DraftDeposit,
): Promise<Rehearsal> {
  const { metadata, conflicts, latest } = await tryMerge(parts, draft)
  const { errors, warnings } = await examine(parts, draft, metadata, latest)
  await giveWay()
  const ofProviders = findProviderFaults(parts, draft, metadata)
  const ofAccess = latest
    ? findOpening(latest, metadata, parts.clock.now())
    : await findAccessWarnings(parts, draft, metadata)
  const rows = parts.database.read
  return {
    errors: [
      ...obstacles('permission_denied', await findRightFaults(parts, caller, draft)),
      ...obstacles('merge_conflict', conflicts),
      ...errors,
      ...obstacles('invalid_document', await findDoiFaults(rows, parts.providers, draft, metadata)),
      ...obstacles('invalid_action', await findUnfinished(parts, draft)),
      ...obstacles('invalid_action', await findDestroyed(rows, draft)),
      ...obstacles('quota_exceeded', await findQuotaFaults(parts, caller, draft, metadata)),
    ],
    warnings: [
      ...warnings,
      ...(await findSameVersion(parts, draft, metadata)),
      ...ofProviders,
      ...ofAccess,
    ],
  }
}

/**
 * That the caller has no right on the newest version. Those who have none on the draft rehearse for
 * others.
 */
async function findRightFaults(
  parts: Parts,
  caller: Caller,
  draft: DraftDeposit,
): Promise<readonly Fault[]> {
  const act = permissionFor(parts, 'act')
  const mayActOn = (deposit: Deposit): boolean => passesCheck(caller, act, deposit)
  const isLink = typeof caller !== 'string' && caller.link !== undefined
  const mayAct = isLink ? hasRight(roleOf(caller, draft), 'act') : mayActOn(draft)
  if (!mayAct) return []
  const rows = parts.database.read
  const message = await findLostRight(rows, draft, 'publish', { caller, mayActOn })
  return message === undefined ? [] : [{ field: 'publish', message }]
}

/** That an edit opens the closed files of its record, as one that leaves `access` out does. */
function findOpening(latest: PublishedRecord, metadata: JsonObject, now: string): readonly Fault[] {
  if (filesAreOpen(latest, now) || !filesAreOpen({ metadata }, now)) return []
  const said = `The files become public: those of the record ${sayAccess(accessOf(latest))}`
  const closed = 'To keep them closed, write access as the record has it'
  return [{ field: '/access', message: `${said}. ${closed}` }]
}

/**
 * That a new version takes over the closed files of the one before, or opens them: neither is to
 * happen without notice.
 */
async function findAccessWarnings(
  { database: { read }, clock }: Parts,
  { bucket, record, predecessor }: DraftDeposit,
  metadata: JsonObject,
): Promise<readonly Fault[]> {
  if (record || predecessor === undefined) return []
  const before = await read.records.find(predecessor)
  const now = clock.now()
  if (!before || filesAreOpen(before, now)) return []
  const says = sayAccess(accessOf(before))
  if (!filesAreOpen({ metadata }, now)) {
    const same = isDeepStrictEqual(accessOf({ metadata }), accessOf(before))
    const message = `The files of the version before ${says}, and those of this version, too: its access was carried over. Write access: {files: public} to make them public`
    return same ? [{ field: '/access', message }] : []
  }
  const closed = new Set((await read.files.list(before.bucket, 'published')).map(digestOf))
  const opened = (await read.files.list(bucket, 'draft')).filter((file) =>
    closed.has(digestOf(file)),
  )
  if (opened.length === 0) return []
  const names = opened.slice(0, 3).map(({ key }) => key)
  const list = [...names, ...(opened.length > 3 ? ['…'] : [])].join(', ')
  const message = `The files of the version before ${says}. This version has ${opened.length} of them (${list}), and publishing makes them public. Add access to keep them closed`
  return [{ field: '/access', message }]
}

/** That a new version is called as the one before: the two could not be told apart. */
async function findSameVersion(
  { database: { read } }: Parts,
  { record, predecessor }: DraftDeposit,
  { version }: JsonObject,
): Promise<readonly Fault[]> {
  if (record || predecessor === undefined || typeof version !== 'string') return []
  const name = version.trim()
  const before = await read.records.find(predecessor)
  const same = before?.metadata['version']
  if (name === '' || typeof same !== 'string' || same.trim() !== name) return []
  const message = `The version before is also called ${name}. Write the number of this one, or remove it.`
  return [{ field: '/version', message }]
}

const digestOf = ({ latest }: DepositFile): string => latest.blob.sha256

/** What DataCite and others would refuse or miss; publishing never depends on it. */
function findProviderFaults(
  { providers, clock }: Parts,
  { id, created, updated }: DraftDeposit,
  metadata: JsonObject,
): readonly Fault[] {
  const asked = providers.filter(({ findFaults }) => findFaults !== undefined)
  if (asked.length === 0) return []
  const origin = 'https://deposit.invalid'
  const description = describe({
    id,
    isDraft: true,
    revision: 0,
    created,
    updated,
    metadata,
    document: metadata,
    files: [],
    url: `${origin}/records/${id}`,
    links: {},
    exports: [],
    publisher: { name: origin, ror: undefined },
    origin,
    today: clock.now().slice(0, 10),
  })
  return asked.flatMap(({ findFaults }) => findFaults?.(description) ?? [])
}

/** The document beside the schema it has to follow. */
async function examine(
  { schemas, clock }: Parts,
  draft: DraftDeposit,
  metadata: JsonObject,
  latest: PublishedRecord | undefined,
): Promise<Rehearsal> {
  try {
    const schema = schemaToPublish(schemas, draft.schema, latest)
    const now = clock.now()
    await giveWay()
    const errors = obstacles('invalid_document', [
      ...findPublishFaults(schemas, schema, metadata, { draft, latest, now }),
      ...findClosingFault(latest, metadata, now),
      ...findPastDay(latest, metadata, now),
    ])
    await giveWay()
    return { errors, warnings: findWarnings(schemas, schema, metadata, now) }
  } catch (error) {
    if (!isProblem(error, 'unknown_schema')) throw error
    return { errors: obstacles(error.code, error.faults), warnings: [] }
  }
}

function obstacles(code: ProblemCode, faults: readonly (Fault | Conflict)[]): readonly Obstacle[] {
  return faults.map((fault) => ({ code, ...fault }))
}

interface Merged {
  readonly metadata: JsonObject
  readonly conflicts: readonly Conflict[]
  /** The record as it is; absent where the draft was never published. */
  readonly latest?: PublishedRecord
}

/** The document that would be published: the draft's own where it cannot be merged. */
async function tryMerge({ database }: Parts, draft: DraftDeposit): Promise<Merged> {
  const { records } = database.read
  if (!draft.record) return { metadata: draft.metadata, conflicts: [] }
  const { result, latest } = await mergeWithLatest(records, draft, draft.record)
  return 'conflicts' in result
    ? { metadata: draft.metadata, conflicts: result.conflicts, latest }
    : { metadata: result.merged, conflicts: [], latest }
}

async function findUnfinished(
  { database: { read } }: Parts,
  draft: DraftDeposit,
): Promise<readonly Fault[]> {
  const uploads = await findUnfinishedUploads(read, draft)
  const unconfirmed = await findUnconfirmed(read, draft)
  return [
    ...problem('invalid_action', { uploads }).faults,
    ...problem('invalid_action', { unconfirmed }).faults,
  ]
}

async function findDestroyed(rows: Readers, draft: DraftDeposit): Promise<readonly Fault[]> {
  if (draft.record || !(await hasDestroyedFiles(rows, draft))) return []
  return refused('publish', 'destroyed_files').faults
}

/** The document is stored once more as a revision of the record. */
async function findQuotaFaults(
  parts: Parts,
  caller: Caller,
  draft: DraftDeposit,
  metadata: JsonObject,
): Promise<readonly Fault[]> {
  await giveWay()
  const user = chargedUser(draft)
  const room = await roomOf(parts, parts.database.read, caller, user)
  const wanted = room.used + documentSize(metadata)
  const missing = wanted - room.quota
  if (missing <= 0 || (await isReleasable(parts.database.read, user, missing))) return []
  const { message } = quotaExceeded({ ...room, wanted }, await takeStock(parts, user))
  return [{ field: 'publish', message }]
}
