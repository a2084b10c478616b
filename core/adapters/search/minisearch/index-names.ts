import type { IndexedDocument, Visibility } from '../../../ports/search-index.ts'

export type DocumentName = Pick<IndexedDocument, 'kind' | 'id' | 'owners'>

/** The names of the indexes a document belongs to. */
export function keysOf({ kind, owners }: DocumentName): readonly string[] {
  if (kind === 'record') return ['records']
  return ['deposits', ...owners.map((user) => keyOf({ of: 'owner', user }))]
}

/** The name of the index that has what `visibility` covers. */
export function keyOf(visibility: Visibility): string {
  return visibility.of === 'owner' ? `owner ${visibility.user}` : visibility.of
}

/** Deposits of which only one may be seen are in the index of them all. */
export function withoutOnly(visibility: Visibility): Visibility {
  switch (visibility.of) {
    case 'owner':
      return { of: 'owner', user: visibility.user }
    case 'deposits':
    case 'records':
      return { of: visibility.of }
  }
}

/** Id of the one document that may be seen, where it is but one. */
export function onlyDocument(visibility: Visibility): string | undefined {
  return visibility.of === 'records' ? undefined : visibility.only
}
