import type { Deposit, JsonObject, Parts } from '../../core/index.ts'
import { doiOf, type Numbers } from './numbers.ts'

/** The DOIs that a deposition is shown with. Those that are absent are not made yet. */
export interface ShownDois {
  readonly own?: string
  readonly concept?: string
}

/**
 * The DOI that a document names from elsewhere, else that of the service; without a prefix of its
 * own, what Zenodo would give, which resolves nowhere.
 *
 * @see Publication, "Interfaces of others"
 */
export async function doisOf(
  parts: Pick<Parts, 'providers' | 'database'>,
  { id, concept }: Pick<Deposit, 'id' | 'concept'>,
  metadata: JsonObject,
  numbers: Numbers,
): Promise<ShownDois> {
  const { doi: named } = metadata
  const elsewhere = typeof named === 'string' && { own: named }
  if (!parts.providers.some(({ scheme }) => scheme === 'doi'))
    return { own: doiOf(numbers.deposition), concept: doiOf(numbers.concept), ...elsewhere }
  const { identifiers } = parts.database.read
  const ofDeposit = (await identifiers.ofDeposits([id])).get(id) ?? []
  const ofConcept = (await identifiers.ofSubjects([concept])).get(concept) ?? []
  const [own, all] = [ofDeposit, ofConcept].map(
    (known) => known.find(({ scheme }) => scheme === 'doi')?.value,
  )
  return {
    ...(own !== undefined && { own }),
    ...(all !== undefined && { concept: all }),
    ...elsewhere,
  }
}

/** Fields of a published deposition or a record. */
export function doiFields({ own, concept }: ShownDois): JsonObject {
  return {
    ...(own !== undefined && { doi: own, doi_url: `https://doi.org/${own}` }),
    ...(concept !== undefined && { conceptdoi: concept }),
  }
}

/** Links of a published deposition or a record. */
export function doiLinks({ own, concept }: ShownDois): JsonObject {
  const all = concept !== undefined && `https://doi.org/${concept}`
  return {
    ...(own !== undefined && { doi: `https://doi.org/${own}` }),
    ...(all && { conceptdoi: all, parent_doi: all }),
  }
}
