import { problem, type Deposit, type DepositId, type Parts } from '../../core/index.ts'

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
