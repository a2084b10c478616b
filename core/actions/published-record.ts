import { schemaOfEdited } from '../deposit/deposit-schema.ts'
import type { Deposit, DraftDeposit, PublishedDeposit } from '../deposit/deposit.ts'
import { problem, refused } from '../errors/errors.ts'
import type { PidReader } from '../ports/pids.ts'
import type { RecordReader } from '../ports/records.ts'
import type { RecordRef, PublishedRecord } from '../record/record.ts'
import type { SchemaRegistry } from '../schemas/registry.ts'
import { giveWay, inTurns, Turns } from '../base/turns.ts'
import { canonicalDocument } from '../json/canonical.ts'
import { textOfLong } from '../deposit/document.ts'
import type { JsonObject } from '../base/json.ts'
import { merge, type MergeResult } from '../record/merge.ts'

/** The latest revision of the record a deposit was published as. */
export async function findLatest(
  { records }: { readonly records: RecordReader },
  ref: RecordRef,
): Promise<PublishedRecord> {
  const record = await records.find(ref.value)
  if (!record) throw problem('record_not_found')
  return record
}

/**
 * The fields that a deposit takes from its record for an edit or a discard.
 *
 * @param current the schema the deposit has
 */
export function publishedFields(
  record: PublishedRecord,
  current: string | null,
  schemas: SchemaRegistry,
): Pick<PublishedDeposit, 'metadata' | 'schema' | 'record'> {
  const { type, value, revision, metadata } = record
  return {
    metadata,
    schema: schemaOfEdited(schemas, current, record),
    record: { type, value, revision },
  }
}

/**
 * The deposit as a draft. A published one is refused, naming `edit` only where its record is not sealed.
 *
 * @throws {DepositError} invalid_action
 */
export async function requireEditable(
  deposit: Deposit,
  operation: string,
  pids: PidReader,
): Promise<DraftDeposit> {
  if (deposit.status === 'draft') return deposit
  const pid = await pids.find(deposit.record)
  if (pid?.status === 'R') throw refused(operation, 'sealed')
  throw refused(operation, operation === 'publish' ? 'published_already' : 'published')
}

/** The merge of a draft with the latest revision of its record. */
export interface LatestMerge {
  readonly result: MergeResult
  /** Revision of the deposit that was merged. */
  readonly revision: number
  readonly latest: PublishedRecord
}

/** The merged document, in which what is in conflict stays as the draft has it. */
export function keepingOurs({ result }: LatestMerge): JsonObject {
  return 'merged' in result ? result.merged : result.keepingOurs
}

type Edited = Pick<Deposit, 'base' | 'metadata' | 'revision'>

/** Each takes tens of megabytes for its documents; side by side none is done sooner. */
const longMerges = new Turns({ all: 1, each: 1 })

/** Brings the draft's document together with what happened to the record since the edit began. */
export async function mergeWithLatest(
  records: RecordReader,
  deposit: Edited,
  ref: RecordRef,
): Promise<LatestMerge> {
  const latest = await findLatest({ records }, ref)
  const same = unmerged(deposit, ref, latest)
  if (same) return same
  const isLong = [deposit, latest].some((each) => textOfLong(each) !== undefined)
  using _ = isLong ? await longMerges.take(ref.value) : undefined
  return await mergeWith(records, deposit, ref, latest)
}

/** Merges large documents where nothing waits for them, and makes the text that is stored. */
export async function prepareMerge(
  records: RecordReader,
  deposit: Deposit,
): Promise<LatestMerge | undefined> {
  if (deposit.status === 'published' || !deposit.record) return undefined
  const prepared = await mergeWithLatest(records, deposit, deposit.record)
  await giveWay()
  canonicalDocument(keepingOurs(prepared))
  return prepared
}

/** A merge inside of a unit of work, which may have been prepared before it. */
export interface MergeInUnit {
  readonly prepared: LatestMerge | undefined
  /** Set once the rows have changed too often under what was prepared: all writing waits for it. */
  readonly mayTake: boolean
}

/** Says that the deposit or its record changed since the merge was prepared. */
export class MergeOutdated extends Error {}

/**
 * The prepared merge, if its rows have not changed since.
 *
 * @throws {MergeOutdated}
 */
export async function mergeInUnit(
  records: RecordReader,
  deposit: Edited,
  ref: RecordRef,
  { prepared, mayTake }: MergeInUnit,
): Promise<LatestMerge> {
  const latest = await findLatest({ records }, ref)
  const isCurrent =
    prepared?.revision === deposit.revision && prepared.latest.revision === latest.revision
  if (prepared && isCurrent) return prepared
  const same = unmerged(deposit, ref, latest)
  if (same) return same
  if (!mayTake) throw new MergeOutdated()
  return mergeWith(records, deposit, ref, latest)
}

/** The draft as it is, where nothing happened to the record. */
function unmerged(
  deposit: Edited,
  ref: RecordRef,
  latest: PublishedRecord,
): LatestMerge | undefined {
  if (latest.revision !== (deposit.base ?? ref.revision)) return undefined
  return { result: { merged: deposit.metadata }, revision: deposit.revision, latest }
}

async function mergeWith(
  records: RecordReader,
  { base, metadata, revision }: Edited,
  ref: RecordRef,
  latest: PublishedRecord,
): Promise<LatestMerge> {
  const before = await records.findRevision(ref.value, base ?? ref.revision)
  if (!before) throw problem('record_not_found')
  const result = await inTurns(merge(before.metadata, metadata, latest.metadata))
  return { result, revision, latest }
}
