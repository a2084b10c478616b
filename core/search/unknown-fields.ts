import { nearest } from '../contract/nearest.ts'
import type { FieldPath, Query } from './ast.ts'
import { isShortName } from './query-fields.ts'

/** A field of a query that no document is expected to have. */
interface UnknownField {
  readonly name: string
  /** The known one that was probably meant. */
  readonly near: string | undefined
}

/**
 * Fields that a query names and that are not `known`: documents may have them all the same, so the
 * query is no mistake for sure.
 *
 * @param known fields of documents; those of the service are known anyway
 */
export function findUnknownFields(
  query: Query | undefined,
  known: ReadonlySet<string>,
): readonly UnknownField[] {
  const names = new Set(query ? pathsIn(query).map(([name = '']) => name) : [])
  return [...names]
    .filter((name) => !known.has(name) && !isShortName(name) && !/^[_$]/.test(name))
    .map((name) => ({ name, near: nearest(name, known) }))
}

function pathsIn(query: Query): readonly FieldPath[] {
  if (query.type === 'and' || query.type === 'or') return query.clauses.flatMap(pathsIn)
  if (query.type === 'not') return pathsIn(query.clause)
  return 'field' in query && query.field ? [query.field] : []
}
