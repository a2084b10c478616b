import type { DepositBody, RecordBody } from '../../core/contract/schemas.ts'
import {
  reservedOfDeposit,
  reservedOfRecord,
  textOfLong,
  toDepositDocument,
  toRecordDocument,
  type Database,
  type Deposit,
  type FileTotals,
  type JsonObject,
  type PublishedRecord,
} from '../../core/index.ts'
import type { Links } from '../config/links.ts'
import { validators } from '../http/revision.ts'
import type { Answer } from './attempts.ts'
import type { Services } from './services.ts'
import { LongItem } from './send-list.ts'

/**
 * A deposit in the generic JSON of records.
 *
 * @param isSealed whether its record can no longer be edited, where that was looked up
 */
function toDepositBody(
  deposit: Deposit,
  links: Links,
  files?: FileTotals,
  isSealed = false,
): DepositBody {
  return bodyOfDeposit(deposit, toDepositDocument(deposit, links.schema), links, files, isSealed)
}

/** A deposit in a list. */
export function toDepositItem(
  deposit: Deposit,
  links: Links,
  files: FileTotals,
): DepositBody | LongItem {
  const text = textOfLong(deposit)
  if (text === undefined) return toDepositBody(deposit, links, files)
  const reserved = reservedOfDeposit(deposit, links.schema)
  return new LongItem(bodyOfDeposit(deposit, reserved, links, files), text)
}

function bodyOfDeposit(
  deposit: Deposit,
  metadata: JsonObject,
  links: Links,
  files?: FileTotals,
  isSealed = false,
): DepositBody {
  return {
    id: deposit.id,
    metadata,
    pids: { concept: { value: deposit.concept } },
    links: links.deposit(deposit),
    revision: deposit.revision,
    created: deposit.created,
    updated: deposit.updated,
    ...(files && { files: { count: files.count, size: files.size } }),
    ...(isSealed && { sealed: true }),
  }
}

/** A record, or one of its revisions, in the same JSON. */
export function toRecordBody(record: PublishedRecord, links: Links, next?: string): RecordBody {
  return bodyOfRecord(record, toRecordDocument(record, links.schema), links, next)
}

/** A record in a list. */
export function toRecordItem(record: PublishedRecord, links: Links): RecordBody | LongItem {
  const text = textOfLong(record)
  if (text === undefined) return toRecordBody(record, links)
  return new LongItem(bodyOfRecord(record, reservedOfRecord(record, links.schema), links), text)
}

function bodyOfRecord(
  record: PublishedRecord,
  metadata: JsonObject,
  links: Links,
  next?: string,
): RecordBody {
  return {
    id: record.value,
    metadata,
    pids: { concept: { value: record.concept } },
    links: links.record(record, next),
    revision: record.revision,
    created: record.created,
    updated: record.updated,
  }
}

/** Makes the answers to reads. */
export function depositAnswers({
  parts,
  links,
}: Services): (deposit: Deposit) => Promise<DepositAnswer> {
  const make = (deposit: Deposit) => depositAnswer(links, deposit, parts.database.read)
  // An operator's own links may depend on more than rows.
  return links.areOurs ? knownAnswers(make) : make
}

/** The rows that an answer is made from. */
interface AnswerReaders {
  readonly files: Pick<Database['read']['files'], 'totals'>
  readonly pids: Pick<Database['read']['pids'], 'find'>
}

/** A deposit as it is answered: its revision is the entity tag. */
export async function depositAnswer(
  links: Links,
  deposit: Deposit,
  { files, pids }: AnswerReaders,
): Promise<DepositAnswer> {
  const url = links.depositItem(deposit.id)
  const totals = await files.totals([deposit.bucket])
  const pid = deposit.status === 'published' ? await pids.find(deposit.record) : undefined
  const counted = totals.get(deposit.bucket) ?? { count: 0, size: 0 }
  const body = toDepositBody(deposit, links, counted, pid?.status === 'R')
  return { headers: { ...validators(deposit), link: `<${url}>; rel="self"` }, body }
}

/** The answer that shows a deposit. */
interface DepositAnswer extends Omit<Answer, 'status'> {
  /** The text of the body, where it is known. */
  readonly json?: string
}

type ToDepositAnswer = (deposit: Deposit) => Promise<DepositAnswer>

/**
 * Remembers what a deposit is answered with. The store hands out one object for as long as no row
 * is changed, and another one then: so an answer that is remembered with it is never an old one.
 */
function knownAnswers(make: ToDepositAnswer): ToDepositAnswer {
  const known = new WeakMap<Deposit, DepositAnswer>()
  return async (deposit) => {
    const kept = known.get(deposit)
    if (kept) return kept
    const answer = await make(deposit)
    const made = { ...answer, json: JSON.stringify(answer.body) }
    known.set(deposit, made)
    return made
  }
}
