import type { JsonObject } from '../../../core/index.ts'
import { faultsOf, firstOf, listOf, objectOf, text, type MetadataFault } from '../rules.ts'

const identifiers = listOf(objectOf({ identifier: text, scheme: text }, 'identifier'))

const agent = {
  person_or_org: objectOf({
    type: text,
    name: text,
    family_name: text,
    given_name: text,
    identifiers,
  }),
  affiliations: listOf(objectOf({ id: text, name: text })),
  role: objectOf({ id: text }),
}

const rules = {
  title: text,
  description: text,
  publication_date: text,
  publisher: text,
  version: text,
  resource_type: objectOf({ id: text }, 'id'),
  creators: listOf(objectOf(agent, 'person_or_org')),
  contributors: listOf(objectOf(agent, 'person_or_org')),
  subjects: listOf(objectOf({ id: text, subject: text })),
  languages: listOf(objectOf({ id: text }, 'id')),
  rights: listOf(objectOf({ id: text, link: text })),
  identifiers,
  related_identifiers: listOf(objectOf({ identifier: text, scheme: text }, 'identifier')),
  additional_descriptions: listOf(objectOf({ description: text }, 'description')),
  dates: listOf(objectOf({ date: text, description: text }, 'date')),
  references: listOf(objectOf({ reference: text }, 'reference')),
  sizes: listOf(text),
  formats: listOf(text),
}

/** The first fields of a wrong type. A draft keeps them, and is not published with them. */
export function findFaults(metadata: JsonObject): readonly MetadataFault[] {
  return firstOf(faultsOf(rules, metadata, 'metadata.'))
}
