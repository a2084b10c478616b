import { relationTypes, termOf } from '../../core/contract/datacite.ts'
import type { Metadata } from '../client/deposit-client.ts'

type Related = Readonly<Record<string, unknown>>

/**
 * Copies elsewhere that a deposit says it is identical to, and the metadata of its folder do not: a
 * push says so in the deposit alone. Those of the version before are no copies of this one.
 *
 * @param before the metadata of the version before; asked for only where there are such copies
 */
export async function copiesOfDeposit(
  deposit: Metadata,
  folder: Metadata,
  before: () => Promise<Metadata | undefined>,
): Promise<readonly unknown[]> {
  const known = relatedOf(folder).filter(isCopy)
  const isIn = (copies: readonly Related[], one: Related): boolean =>
    copies.some((copy) => isSameAddress(addressOf(one), addressOf(copy)))
  const own = relatedOf(deposit).filter((each) => isCopy(each) && !isIn(known, each))
  if (own.length === 0) return []
  const former = relatedOf((await before()) ?? {}).filter(isCopy)
  return own.filter((each) => !isIn(former, each))
}

/**
 * The metadata of a folder, and the copies of its deposit: in the order of the deposit, where nothing
 * else of this field differs.
 */
export function withCopies(
  folder: Metadata,
  copies: readonly unknown[],
  deposit: Metadata,
): Metadata {
  if (copies.length === 0) return folder
  const [own, there] = [listIn(folder), listIn(deposit)]
  const others = there.filter((each) => !copies.includes(each))
  const isSame = JSON.stringify(others) === JSON.stringify(own)
  return { ...folder, related_identifiers: isSame ? there : [...own, ...copies] }
}

/** Whether an identifier is a DOI or address, by itself or as `https://doi.org/…`. */
export function isSameAddress(identifier: string, address: string): boolean {
  const one = identifier.toLowerCase()
  const other = address.toLowerCase()
  return one === other || one.endsWith(`/${other}`) || one.endsWith(`:${other}`)
}

function isCopy({ relation }: Related): boolean {
  return typeof relation === 'string' && termOf(relationTypes, relation) === 'IsIdenticalTo'
}

function addressOf({ identifier }: Related): string {
  return typeof identifier === 'string' ? identifier : ''
}

function listIn({ related_identifiers: list }: Metadata): readonly unknown[] {
  return Array.isArray(list) ? list : []
}

function relatedOf(metadata: Metadata): readonly Related[] {
  return listIn(metadata).filter(
    (each): each is Related => typeof each === 'object' && each !== null,
  )
}
