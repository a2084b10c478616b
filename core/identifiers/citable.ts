import { identifierTypes, termOf } from '../contract/datacite.ts'
import type { Identifier } from '../describe/description.ts'
import type { ProvidedIdentifier } from '../ports/identifiers.ts'

/** True from when an identifier resolves, until its record is withdrawn. */
export function isCitable({ registered, status }: ProvidedIdentifier): boolean {
  return registered !== undefined && status !== 'hidden'
}

/** An identifier that is no DOI: a record or concept is named by it as well. */
export function toFurther(provided: ProvidedIdentifier): readonly Identifier[] {
  const { scheme, value, url } = provided
  if (scheme === 'doi' || !isCitable(provided)) return []
  const name = termOf(identifierTypes, scheme) ?? scheme
  return [{ identifier: value, scheme: name, url: URL.canParse(url) ? url : undefined }]
}
