import type { FileBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'

/** The daemon takes no longer list. */
const maxSorted = 10_000

/**
 * Puts the files that `keys` name into that order, in the places that they have among the others:
 * those stay where they are.
 */
export async function arrange(
  client: DepositClient,
  id: string,
  keys: readonly string[],
): Promise<void> {
  const files = await client.listFiles(id)
  const ours = new Set(keys)
  const isOurs = ({ filename }: FileBody): boolean => ours.has(filename)
  const next = inOrder(files.filter(isOurs), keys).values()
  const sorted = files.map((file) => (isOurs(file) ? (next.next().value ?? file) : file))
  const isArranged = sorted.every((file, at) => file === files[at])
  if (isArranged || files.length > maxSorted) return
  await client.arrangeFiles(id, sorted.map(toId))
}

/** What the order of a file is told by. */
export function toId({ id }: FileBody): { readonly id: string } {
  return { id }
}

/** `files` in the order of `keys`; those that it does not name last. */
export function inOrder(files: readonly FileBody[], keys: readonly string[]): readonly FileBody[] {
  const places = new Map(keys.toReversed().map((key, at) => [key, keys.length - at]))
  const placeOf = ({ filename }: FileBody): number => places.get(filename) ?? Infinity
  return files.toSorted((a, b) => {
    const [one, other] = [placeOf(a), placeOf(b)]
    return one === other ? 0 : one - other
  })
}
