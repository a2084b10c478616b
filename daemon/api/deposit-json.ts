import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ProvidedPid } from '../../core/contract/pids.ts'
import type { ReviewBody } from '../../core/contract/review.ts'
import type { DepositBody, RecordBody } from '../../core/contract/schemas.ts'
import {
  isCitable,
  reservedOfDeposit,
  reservedOfRecord,
  storedText,
  textOfLong,
  toDepositDocument,
  toRecordDocument,
  type Database,
  type Deposit,
  type FileTotals,
  type JsonObject,
  type ProvidedIdentifier,
  type PublishedRecord,
  type Review,
} from '../../core/index.ts'
import { toWithdrawalBody } from '../discovery/tombstones.ts'
import type { Links } from '../config/links.ts'
import { jsonAlone } from '../config/serializers.ts'
import { waitForTurn } from '../http/large-work.ts'
import { isUnchanged, setValidators, validators } from '../http/revision.ts'
import { setPublic } from '../http/sharing.ts'
import type { Answer } from './answer.ts'
import type { Services } from './services.ts'
import { LongItem, sendItem } from './send-list.ts'

/** A deposit in the generic JSON of records. */
function toDepositBody(deposit: Deposit, links: Links, shown: ShownWith): DepositBody {
  return bodyOfDeposit(deposit, toDepositDocument(deposit, links.schema), links, shown)
}

/** What is shown with a deposit, where it was looked up. */
interface ShownWith {
  readonly files?: FileTotals | undefined
  readonly identifiers: readonly ProvidedIdentifier[] | undefined
  readonly isSealed?: boolean
  /** Of the caller, where the deposit was shared with them. */
  readonly role?: DepositBody['role']
}

/** A deposit in a list, or read alone. */
export function toDepositItem(
  deposit: Deposit,
  links: Links,
  shown: ShownWith,
): DepositBody | LongItem {
  const text = storedText(deposit)
  if (text === undefined) return toDepositBody(deposit, links, shown)
  const reserved = reservedOfDeposit(deposit, links.schema)
  return new LongItem(bodyOfDeposit(deposit, reserved, links, shown), text)
}

function bodyOfDeposit(
  deposit: Deposit,
  metadata: JsonObject,
  links: Links,
  { files, identifiers, isSealed = false, role }: ShownWith,
): DepositBody {
  return {
    id: deposit.id,
    metadata,
    pids: toPids(deposit.concept, identifiers),
    links: withIdentifiers(links.deposit(deposit), identifiers),
    revision: deposit.revision,
    created: deposit.created,
    updated: deposit.updated,
    ...(files && { files: { count: files.count, size: files.size } }),
    ...(isSealed && { sealed: true }),
    ...(deposit.review && { review: toReviewBody(deposit.review) }),
    ...(deposit.withdrawal && { withdrawn: toWithdrawalBody(deposit.withdrawal, links) }),
    ...(role && { role }),
  }
}

function toReviewBody({ submittedBy, ...review }: Review): ReviewBody {
  return { ...review, ...(submittedBy !== undefined && { submitted_by: submittedBy }) }
}

/** A record, or one of its revisions, in the same JSON. */
export function toRecordBody(
  record: PublishedRecord,
  links: Links,
  beside: BesideRecord,
): RecordBody {
  return bodyOfRecord(record, toRecordDocument(record, links.schema), links, beside)
}

/** What is shown with a record. */
interface BesideRecord {
  /** Value of the version after it. */
  readonly next?: string | undefined
  readonly identifiers: readonly ProvidedIdentifier[] | undefined
}

/** A record in a list, or read alone. */
export function toRecordItem(
  record: PublishedRecord,
  links: Links,
  beside: BesideRecord,
): RecordBody | LongItem {
  const text = textOfLong(record)
  if (text === undefined) return toRecordBody(record, links, beside)
  const reserved = reservedOfRecord(record, links.schema)
  return new LongItem(bodyOfRecord(record, reserved, links, beside), text)
}

function bodyOfRecord(
  record: PublishedRecord,
  metadata: JsonObject,
  links: Links,
  { next, identifiers }: BesideRecord,
): RecordBody {
  return {
    id: record.value,
    metadata,
    pids: toPids(record.concept, identifiers),
    links: withIdentifiers(links.record(record, next), identifiers),
    revision: record.revision,
    created: record.created,
    updated: record.updated,
  }
}

/** The identifiers of a deposit or record and of its concept, by their kind. */
function toPids(
  concept: string,
  identifiers: readonly ProvidedIdentifier[] = [],
): DepositBody['pids'] {
  const byKind = (of: ProvidedIdentifier['of']) =>
    Object.fromEntries(
      identifiers.filter((each) => each.of === of).map((each) => [each.scheme, toPid(each)]),
    )
  return { ...byKind('record'), concept: { value: concept, ...byKind('concept') } }
}

function toPid(identifier: ProvidedIdentifier): ProvidedPid {
  const { value, status, url, registered, message, field } = identifier
  return {
    value,
    status,
    url,
    ...(registered !== undefined && { registered }),
    ...(message !== undefined && { message }),
    ...(field !== undefined && { field }),
  }
}

/** Links with the addresses that resolve; a copy of dozens of links is spared where there are none. */
function withIdentifiers(
  links: Record<string, string>,
  identifiers: readonly ProvidedIdentifier[] = [],
): Record<string, string> {
  if (identifiers.length === 0) return links
  const cited = identifiers.filter((each) => each.of === 'record' && isCitable(each))
  return { ...links, ...Object.fromEntries(cited.map(({ scheme, url }) => [scheme, url])) }
}

/** Another text as soon as something else is shown of identifiers; empty where there are none. */
export function tellIdentifiers(identifiers: readonly ProvidedIdentifier[] = []): string {
  return identifiers.length === 0 ? '' : JSON.stringify(toPids('', identifiers))
}

/** Makes the answers to reads. */
export function depositAnswers({ parts, links }: Services): ToDepositAnswer {
  const make = (deposit: Deposit) => answerWith(toDepositItem, links, deposit, parts.database.read)
  // An operator's own links may depend on more than rows.
  return links.areOurs ? knownAnswers(make) : make
}

/** The rows that an answer is made from. */
interface AnswerReaders {
  readonly files: Pick<Database['read']['files'], 'totals'>
  readonly pids: Pick<Database['read']['pids'], 'find'>
  readonly identifiers: Pick<Database['read']['identifiers'], 'ofDeposits' | 'ofSubjects'>
}

/** What is beside a deposit that was just made: no files, and no identifiers of providers. */
export const besideNew: Pick<AnswerReaders, 'files' | 'identifiers'> = {
  files: { totals: async () => new Map() },
  identifiers: { ofDeposits: async () => new Map(), ofSubjects: async () => new Map() },
}

/** A deposit as it is answered: its revision is the entity tag. */
export async function depositAnswer(
  links: Links,
  deposit: Deposit,
  rows: AnswerReaders,
): Promise<DepositAnswer<DepositBody>> {
  return answerWith(toDepositBody, links, deposit, rows)
}

/** The same of a change, with a long document as it was stored. */
export async function changeAnswer(
  links: Links,
  deposit: Deposit,
  rows: AnswerReaders,
): Promise<DepositAnswer<DepositBody | LongItem>> {
  return answerWith(toDepositItem, links, deposit, rows)
}

async function answerWith<Body>(
  toBody: (deposit: Deposit, links: Links, shown: ShownWith) => Body,
  links: Links,
  deposit: Deposit,
  { files, pids, identifiers }: AnswerReaders,
): Promise<DepositAnswer<Body>> {
  const { revision, updated } = deposit
  const url = links.depositItem(deposit.id)
  const [totals, pid, provided] = await Promise.all([
    files.totals([deposit.bucket]),
    deposit.status === 'published' ? pids.find(deposit.record) : undefined,
    identifiersOf(identifiers, deposit),
  ])
  const counted = totals.get(deposit.bucket) ?? { count: 0, size: 0 }
  const shown = { files: counted, identifiers: provided, isSealed: pid?.status === 'R' }
  const body = toBody(deposit, links, shown)
  const beside = tellIdentifiers(provided)
  return {
    headers: { ...validators({ revision, updated, beside }), link: `<${url}>; rel="self"` },
    body,
    beside,
  }
}

/** The identifiers of a deposit's record, reserved ones too, and of its concept. */
async function identifiersOf(
  { ofDeposits, ofSubjects }: AnswerReaders['identifiers'],
  { id, concept, hidesMakers }: Deposit,
): Promise<readonly ProvidedIdentifier[]> {
  if (hidesMakers) return []
  const [own, shared] = await Promise.all([ofDeposits([id]), ofSubjects([concept])])
  return [...(own.get(id) ?? []), ...(shared.get(concept) ?? [])]
}

/** The same of a record. */
export async function identifiersOfRecord(
  { ofSubjects }: Pick<AnswerReaders['identifiers'], 'ofSubjects'>,
  { value, concept }: PublishedRecord,
): Promise<readonly ProvidedIdentifier[]> {
  const known = await ofSubjects([value, concept])
  return [...(known.get(value) ?? []), ...(known.get(concept) ?? [])]
}

/** The answer that shows a deposit. */
interface DepositAnswer<Body> extends Required<Omit<Answer, 'status' | 'body'>> {
  readonly body: Body
  /** What is shown that changes without the revision. */
  readonly beside: string
}

interface ReadAnswer extends DepositAnswer<DepositBody | LongItem> {
  /** The text of the body, where it is known. */
  readonly json?: string
}

type ToDepositAnswer = (deposit: Deposit) => Promise<ReadAnswer>

/**
 * Remembers what a deposit is answered with. The store hands out one object for as long as no row
 * is changed, and another one then: so an answer that is remembered with it is never an old one.
 */
function knownAnswers(make: ToDepositAnswer): ToDepositAnswer {
  const known = new WeakMap<Deposit, Promise<ReadAnswer>>()
  const makeWithText = async (deposit: Deposit): Promise<ReadAnswer> => {
    const answer = await make(deposit)
    // That of a long one is not worth remembering: it is made of the text that is stored.
    if (answer.body instanceof LongItem) return answer
    return { ...answer, json: JSON.stringify(answer.body) }
  }
  return (deposit) => {
    const kept = known.get(deposit)
    if (kept) return kept
    const making = makeWithText(deposit)
    known.set(deposit, making)
    making.catch(() => known.delete(deposit))
    return making
  }
}

/** Sends a record in our own JSON, with its validators. */
export async function sendRecordBody(
  { records, links, parts }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  record: PublishedRecord,
): Promise<FastifyReply> {
  const identifiers = await identifiersOfRecord(parts.database.read.identifiers, record)
  const { revision, updated } = record
  const revised = { revision, updated, beside: tellIdentifiers(identifiers) }
  setValidators(reply, revised)
  const reads = request.method === 'GET' || request.method === 'HEAD'
  if (reads) setPublic(request, reply)
  if (reads && isUnchanged(request, revised)) return reply.code(304).send()
  if (textOfLong(record) !== undefined)
    await waitForTurn(request, reply, reply.isIndented ? 'work' : 'text')
  const next = await records.next(record)
  return sendItem(reply, jsonAlone, toRecordItem(record, links, { next, identifiers }))
}
