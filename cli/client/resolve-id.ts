import { advice } from '../advice.ts'
import type { SearchBody } from '../../core/contract/schemas.ts'
import { UsageFailure } from '../failure.ts'

/** The beginning of an identifier, long enough to be one. Identifiers have 32 digits. */
const beginning = /^[0-9a-f]{6,31}$/

/**
 * The identifier that `id` is the beginning of. What is none, or fits nothing, stays as it is: the
 * server says what it is not.
 *
 * @throws {UsageFailure} several deposits begin like this
 * @see Contract §5, "Ids"
 */
export async function resolveId(
  id: string,
  search: (query: string) => Promise<SearchBody>,
): Promise<string> {
  if (!beginning.test(id)) return id
  const { hits } = await search(`_deposit.id:${id}*`)
  const ids = hits.hits.map((deposit) => deposit.id).filter((found) => found.startsWith(id))
  if (ids.length < 2) return ids[0] ?? id
  throw new UsageFailure({
    tried: `find ${id}`,
    said: `several deposits begin like this: ${ids.join(', ')}`,
    next: advice.writeMore(),
  })
}
