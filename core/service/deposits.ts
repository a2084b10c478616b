import { requireOpeningSaid } from '../access/file-access.ts'
import type { Caller, UserId } from '../access/caller.ts'
import { findLatest, requireEditable } from '../actions/published-record.ts'
import { requirePermission } from '../deposit/permissions.ts'
import { newDraft } from '../deposit/new-draft.ts'
import { patchDocument, type PatchForm } from '../deposit/json-patch.ts'
import { schemaOfDocument } from '../deposit/deposit-schema.ts'
import { requireNeverPublished, requireNotSubmitted, type Deposit } from '../deposit/deposit.ts'
import { toDepositDocument, userFields } from '../deposit/document.ts'
import { problem } from '../errors/errors.ts'
import { requireUnknownOutside } from '../identifiers/known-outside.ts'
import { newBucketId } from '../files/file.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { documentSize } from '../json/canonical.ts'
import { mintDepositPid, type DepositId } from '../pid/deposit-pid.ts'
import { mintConcept, recordPidType } from '../pid/record-minters.ts'
import type { UnitOfWork } from '../ports/database.ts'
import { requireValid } from '../schemas/validate.ts'
import {
  authorize,
  authorizeCreate,
  permissionFor,
  requireRevision,
  findDeposit,
  type ExpectedRevision,
} from './authorize.ts'
import { changeDeposit, indexDeposit, unindexDeposit, type Beside } from './change-deposit.ts'
import { makeRoomForHistory, saveChange } from './history.ts'
import { removeBlobs } from './remove-blobs.ts'
import { chargedUser, growth, requireMetadataAllowed } from './limits.ts'
import type { Parts } from './parts.ts'
import { releaseInvitations } from './people.ts'
import { removeArrived } from './upload-status.ts'

/** The use cases of a deposit as a whole. Each asks for permission itself. */
export interface Deposits {
  /**
   * Makes a draft that the caller owns, with a registered identifier.
   *
   * @param document the metadata; its `_deposit` is ignored
   * @param beside what else is stored in the same unit of work
   * @throws {DepositError} invalid_document, unknown_schema
   * @see Specification, "States and transitions", create
   */
  readonly create: (caller: Caller, document: JsonObject, beside?: Beside) => Promise<Deposit>

  readonly get: (caller: Caller, id: DepositId) => Promise<Deposit>

  /**
   * Replaces the document of a draft; `_deposit` is preserved, and `$schema` where the new document
   * has none. An empty document clears the draft.
   *
   * @param beside what else is stored in the same unit of work
   * @throws {DepositError} invalid_action: the deposit is published
   * @throws {DepositError} invalid_document, unknown_schema
   */
  readonly replace: (
    caller: Caller,
    id: DepositId,
    document: JsonObject,
    expected?: ExpectedRevision,
    beside?: Beside,
  ) => Promise<Deposit>

  /**
   * Applies a patch to the document of a draft; `_deposit` is preserved.
   *
   * @throws {DepositError} invalid_patch, invalid_action, invalid_document, unknown_schema
   */
  readonly patch: (
    caller: Caller,
    id: DepositId,
    patch: Json,
    expected?: ExpectedRevision,
    form?: PatchForm,
    beside?: Beside,
  ) => Promise<Deposit>

  /**
   * Deletes a draft that was never published.
   *
   * @param force true: with its files and their bytes, for good; false: it is kept out of sight,
   *   and an operator can bring it back
   * @throws {DepositError} invalid_action: the deposit is or was published
   */
  readonly remove: (
    caller: Caller,
    id: DepositId,
    force: boolean,
    expected?: ExpectedRevision,
    beside?: Beside,
  ) => Promise<void>
}

export function createDeposits(parts: Parts): Deposits {
  return {
    create: (caller, document, beside) => create(parts, caller, document, beside),
    get: (caller, id) => authorize(parts, caller, id, 'read'),
    replace: (caller, id, document, expected, beside) =>
      rewrite(parts, { caller, id, expected, beside }, () => document),
    patch: (caller, id, patch, expected, form, beside) =>
      rewrite(parts, { caller, id, expected, beside }, (current) =>
        patchDocument(current, patch, form),
      ),
    remove: (caller, id, force, expected, beside) =>
      remove(parts, { caller, id, expected, beside }, force),
  }
}

interface Asked {
  readonly caller: Caller
  readonly id: DepositId
  readonly expected: ExpectedRevision
  readonly beside: Beside | undefined
}

async function create(
  parts: Parts,
  caller: Caller,
  document: JsonObject,
  beside?: Beside,
): Promise<Deposit> {
  authorizeCreate(parts, caller)
  const owner = requireUser(caller)
  const schema = schemaOfDocument(parts.schemas, document, undefined, undefined)
  const metadata = userFields(document)
  requireValid(parts.schemas, schema, metadata)
  const pid = mintDepositPid(parts.pidType)
  const concept = mintConcept(parts.mintRecord)
  const fields = {
    id: pid.value,
    pidType: pid.type,
    bucket: newBucketId(),
    owner,
    concept: concept.value,
    schema,
    metadata,
  }
  await parts.blobs.requireRoomForRows()
  const size = documentSize(metadata)
  const make = async (unit: UnitOfWork): Promise<Deposit> => {
    await requireMetadataAllowed(parts, unit, caller, owner, size)
    await beside?.before?.(unit)
    const draft = newDraft({ ...fields, now: parts.clock.now() })
    await unit.pids.insert(pid, concept)
    await unit.deposits.insert(draft)
    await beside?.after?.(unit, { deposit: draft, answer: undefined })
    unit.afterCommit(() => indexDeposit(parts, draft))
    return draft
  }
  return parts.database.write(make, { isLocal: true })
}

/** A deposit has a creating user, so the service itself cannot make one. */
function requireUser(caller: Caller): UserId {
  if (caller === 'system' || caller === 'anonymous') {
    throw problem('permission_denied', { message: 'A deposit is created by a user.' })
  }
  return caller.user
}

async function rewrite(
  parts: Parts,
  { caller, id, expected, beside }: Asked,
  toDocument: (current: JsonObject) => JsonObject,
): Promise<Deposit> {
  const change = { caller, id, intent: 'revise' as const, expected, ...(beside && { beside }) }
  const { deposit } = await changeDeposit(parts, change, async (found, unit, now) => {
    const document = toDocument(toDepositDocument(found, parts.schemas.toUrl))
    const record = found.record && (await findLatest(unit, found.record))
    const schema = schemaOfDocument(parts.schemas, document, found.schema, record)
    const metadata = userFields(document)
    requireValid(parts.schemas, schema, metadata)
    const draft = await requireEditable(found, 'update', unit.pids)
    // While it is submitted, only curators change it.
    if (found.review?.state === 'submitted') requireOpeningSaid(found, { metadata }, now)
    const more = growth(found, metadata)
    const user = chargedUser(found)
    const left = await requireMetadataAllowed(parts, unit, caller, user, more, id)
    const after = { ...draft, schema, metadata }
    const saved = { before: found, after, caller, now, action: 'update' }
    const { deposit: result, kept } = await saveChange(unit, saved)
    await makeRoomForHistory(parts, unit, saved, { kept, left })
    return { deposit: result, answer: undefined }
  })
  return deposit
}

async function remove(parts: Parts, asked: Asked, force: boolean): Promise<void> {
  const { caller, id, expected, beside } = asked
  await parts.database.write(async (unit) => {
    const deposit = await findDeposit(unit, id, parts.pidType)
    requirePermission(caller, permissionFor(parts, 'delete'), deposit)
    requireRevision(deposit, expected)
    requireNotSubmitted(deposit, 'delete')
    requireNeverPublished(deposit, 'delete')
    await requireUnknownOutside(unit, deposit)
    await unit.pids.setStatus({ type: parts.pidType, value: id }, 'D')
    if (force) await removeRows(parts, unit, deposit)
    else await unit.deposits.hide(id, parts.clock.now())
    await beside?.after?.(unit, { deposit, answer: undefined })
    unit.afterCommit(() => unindexDeposit(parts, deposit))
  })
}

/** Removes all rows of a deposit; its bytes, and those of its uploads, go after the commit. */
async function removeRows(parts: Parts, unit: UnitOfWork, deposit: Deposit): Promise<void> {
  const { id, bucket } = deposit
  const blobs = await unit.files.removeAll(bucket)
  const uploads = await unit.uploads.removeAll(id)
  await unit.deposits.remove(id)
  await giveUpConcept(unit, deposit)
  await releaseInvitations(unit, deposit)
  unit.afterCommit(() => removeBlobs(parts, blobs))
  unit.afterCommit(() => removeArrived(parts, uploads))
}

/** The concept goes with the draft that it was minted for. */
export async function giveUpConcept(
  { pids }: UnitOfWork,
  { concept: value, predecessor }: Deposit,
): Promise<void> {
  if (predecessor === undefined) await pids.setStatus({ type: recordPidType, value }, 'D')
}
