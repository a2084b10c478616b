import type { FastifyRequest } from 'fastify'
import {
  problem,
  type Deposit,
  type DepositId,
  type Parts,
  type PublishedRecord,
} from '../../core/index.ts'
import type { Services } from '../api/services.ts'

/** The integers by which Zenodo names things. A concept has the number before its first version. */
export interface Numbers {
  readonly deposition: number
  readonly concept: number
}

/** Numbers of deposits, by their ids: two questions to the database however many there are. */
export async function numbersOf(
  { database }: Pick<Parts, 'database'>,
  deposits: readonly Pick<Deposit, 'id' | 'concept'>[],
): Promise<ReadonlyMap<DepositId, Numbers>> {
  const { deposits: rows } = database.read
  const numbers = await rows.numbersOf(deposits.map(({ id }) => id))
  const concepts = [...new Set(deposits.map(({ concept }) => concept))]
  const firsts = await rows.firstNumbers(concepts)
  return new Map(
    deposits.flatMap(({ id, concept }) => {
      const number = numbers.get(id)
      if (number === undefined) return []
      const first = firsts.get(concept) ?? number
      return [[id, { deposition: toRecid(number), concept: toRecid(first) - 1 }] as const]
    }),
  )
}

/** Two integers for each number: one for its deposit, and the one before it for a concept. */
function toRecid(number: number): number {
  return 2 * number + 1
}

/** What an integer of Zenodo's names here. */
export type Named =
  | { readonly kind: 'deposition'; readonly id: DepositId }
  | { readonly kind: 'concept'; readonly first: DepositId }

/** @throws {DepositError} deposit_not_found: it names nothing */
export async function findNumbered(
  { database }: Pick<Parts, 'database'>,
  text: string,
): Promise<Named> {
  const recid = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0
  const id = await database.read.deposits.findNumbered(Math.floor(recid / 2))
  if (recid < 2 || id === undefined) throw problem('deposit_not_found')
  return recid % 2 === 1 ? { kind: 'deposition', id } : { kind: 'concept', first: id }
}

/** The DOI that Zenodo would give: of a prefix that is for tests, and resolves nowhere. */
export function doiOf(recid: number): string {
  return `10.5072/zenodo.${recid}`
}

/** Whether it is one of those, which are no part of a document. */
export function isOurDoi(doi: unknown): boolean {
  return typeof doi === 'string' && /(?:^|\/)10\.5072\/zenodo\.\d+$/i.test(doi.trim())
}

export async function ownNumbers(
  parts: Pick<Parts, 'database'>,
  deposit: Pick<Deposit, 'id' | 'concept'>,
): Promise<Numbers> {
  const own = (await numbersOf(parts, [deposit])).get(deposit.id)
  if (own) return own
  throw new Error(`deposit ${deposit.id} has no number`)
}

/** A record, or the number of the newest version of a concept. */
export type FoundRecord = { readonly record: PublishedRecord } | { readonly newest: number }

/**
 * The record whose number a path has.
 *
 * @throws {DepositError} record_not_found: no record has that number, or its deposit is a draft
 */
export async function findRecord(
  { parts, records }: Pick<Services, 'parts' | 'records'>,
  { params }: FastifyRequest,
): Promise<FoundRecord> {
  const { deposits, records: rows } = parts.database.read
  const { id } = params as { readonly id: string }
  const named = await findNumbered(parts, id)
  const deposit = await deposits.find(named.kind === 'concept' ? named.first : named.id)
  if (named.kind === 'concept') {
    const newest = deposit && (await rows.findNewest(deposit.concept))
    if (!newest) throw problem('record_not_found')
    return { newest: (await ownNumbers(parts, { ...newest, id: newest.deposit.id })).deposition }
  }
  if (!deposit?.record) throw problem('record_not_found')
  return { record: await records.get(deposit.record.value) }
}

/** @throws {DepositError} record_not_found: the number is none of a record */
export async function requireRecord(
  services: Pick<Services, 'parts' | 'records'>,
  request: FastifyRequest,
): Promise<PublishedRecord> {
  const found = await findRecord(services, request)
  if ('record' in found) return found.record
  throw problem('record_not_found')
}
