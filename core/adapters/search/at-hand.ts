import type { SearchRequest } from '../../search/request.ts'

/**
 * True where `columns` (by the path of a field) and the status answer all that a request sorts,
 * counts and filters by: then no document has to be read.
 */
export function isAtHand(
  { sort, facets, filters }: SearchRequest,
  columns: ReadonlyMap<string, string>,
): boolean {
  const isStatus = ({ field }: { readonly field: readonly string[] }): boolean =>
    field.join('.') === '_deposit.status'
  return (
    sort.every(({ by }) => by === 'score' || columns.has(by.join('.'))) &&
    facets.every(isStatus) &&
    filters.every(isStatus)
  )
}
