import { isDeepStrictEqual } from 'node:util'
import { filesAreOpen } from '../access/file-access.ts'
import { personRoleOf } from '../access/rights.ts'
import type { Deposit, DraftDeposit } from '../deposit/deposit.ts'
import { newDraft } from '../deposit/new-draft.ts'
import { problem, refused } from '../errors/errors.ts'
import { newBucketId } from '../files/file.ts'
import { mintDepositPid } from '../pid/deposit-pid.ts'
import type { PublishedRecord, RecordRef } from '../record/record.ts'
import type { ActionContext, DepositAction } from './action.ts'
import { discard } from './edit.ts'
import { findLatest, publishedFields } from './published-record.ts'

/** How a draft of a new version is begun, where an interface wants it so; no request has it in its body. */
export interface NewVersionInput {
  /** True for a draft without the files of the version before. */
  readonly isEmpty: true
  /** Fields of the metadata that the draft does not take over. */
  readonly without: readonly string[]
}

/**
 * Opens a new draft with the metadata and files of the newest version of a record, and without a DOI
 * from elsewhere; no byte is copied. Files that are closed stay so: the rehearsal says it. Asked again, it gives the draft that there is. An open edit without changes is closed by it.
 */
export const newVersion: DepositAction = {
  summary: 'Open a draft of a new version of the record',
  copiesDocument: true,
  closesEdit: true,
  onWithdrawn: true,

  async run(deposit, context) {
    const { unit } = context
    if (!deposit.record) throw refused('newversion', 'never_published')
    const latest = await findLatest(unit, deposit.record)
    if (deposit.status === 'draft') await closeEdit(deposit, deposit.record, latest, context)
    const next = await unit.deposits.findNextVersion(deposit.concept, deposit.owners)
    if (next) return requireSeen(next, context)
    // What was withdrawn is begun again from itself: its next version is to mend it.
    const newest = deposit.withdrawal ? undefined : await findNewest(deposit, context)
    if (newest && !context.mayActOn(newest.deposit))
      throw problem('permission_denied', { message: newestNotShared })
    return newest
      ? openNext(newest.deposit, newest.record, context)
      : openNext(deposit, latest, context)
  },
}

const newestNotShared =
  'The newest version of this record is not shared with you, so you cannot open a draft of the next one: ask an owner of the newest version to make you its editor.'

/** @throws {DepositError} permission_denied: the draft is not shared with the one who asks */
function requireSeen(next: DraftDeposit, { caller }: ActionContext): DraftDeposit {
  if (typeof caller === 'string' || personRoleOf(caller.user, next) !== undefined) return next
  if (caller.admin) return next
  throw problem('permission_denied', {
    message: 'There is a draft of the next version, which is not shared with you: ask its owner.',
  })
}

/** The newest version that is public, where it is another one: what it mended must not be undone. */
async function findNewest(
  { concept, owners, record }: Deposit,
  { unit }: ActionContext,
): Promise<{ readonly deposit: Deposit; readonly record: PublishedRecord } | undefined> {
  const newest = await unit.records.findNewest(concept)
  if (!newest || newest.value === record?.value) return undefined
  const deposit = await unit.deposits.find(newest.deposit.id)
  const isTheirs = deposit?.owners.join(' ') === owners.join(' ')
  return deposit && isTheirs && !deposit.withdrawal ? { deposit, record: newest } : undefined
}

async function openNext(
  deposit: Deposit,
  latest: PublishedRecord,
  { unit, schemas, now, input, copiesRows }: ActionContext,
): Promise<DraftDeposit> {
  const begun = input as NewVersionInput | undefined
  const { metadata, schema } = publishedFields(latest, deposit.schema, schemas)
  // It identifies the data of the version before.
  const left = new Set(['doi', ...(begun?.without ?? [])])
  // An embargo that is over is none of the next version; one that runs keeps the same files closed.
  if (metadata['access'] !== undefined && filesAreOpen(latest, now)) left.add('access')
  const described = Object.fromEntries(Object.entries(metadata).filter(([name]) => !left.has(name)))
  const pid = mintDepositPid(deposit.pidType)
  const newest = await unit.records.findLast(deposit.concept)
  const bucket = newBucketId()
  const draft = {
    ...newDraft({
      id: pid.value,
      pidType: pid.type,
      bucket,
      owner: deposit.createdBy,
      concept: deposit.concept,
      schema,
      metadata: described,
      now,
    }),
    owners: deposit.owners,
    ...(deposit.people && { people: deposit.people }),
    predecessor: newest?.value ?? latest.value,
  }
  await unit.pids.insert(pid)
  await unit.deposits.insert(draft)
  if (!begun?.isEmpty) copiesRows(await unit.files.carryOver(deposit.bucket, bucket))
  return draft
}

/** @throws {DepositError} invalid_action: the edit has changes, which would be lost */
async function closeEdit(
  draft: DraftDeposit,
  record: RecordRef,
  latest: PublishedRecord,
  context: ActionContext,
): Promise<void> {
  if (await isChanged(draft, record, latest, context)) throw refused('newversion', 'edited')
  await context.saveClosed(await discard.run(draft, context))
}

async function isChanged(
  draft: DraftDeposit,
  record: RecordRef,
  latest: PublishedRecord,
  { unit: { records, files }, schemas }: ActionContext,
): Promise<boolean> {
  const base = await records.findRevision(latest.value, draft.base ?? record.revision)
  if (!base) return true
  const before = publishedFields(base, draft.schema, schemas)
  if (before.schema !== draft.schema) return true
  if (!isDeepStrictEqual(before.metadata, draft.metadata)) return true
  const [ours, published] = [
    await files.list(draft.bucket, 'draft'),
    await files.list(draft.bucket, 'published'),
  ]
  return ours.some(({ id }, index) => published[index]?.id !== id)
}
