import type { Metadata } from '../../client/deposit-client.ts'
import { toPerson, filled, isForeign, objectsOf, textOf, textsOf, type Foreign } from './values.ts'

/** Resource types that Zenodo names differently. */
const resourceTypes: Readonly<Record<string, string>> = {
  publication: 'text',
  poster: 'conferenceproceeding',
  presentation: 'conferencepaper',
  video: 'audiovisual',
  lesson: 'interactiveresource',
  physicalobject: 'physicalobject',
  article: 'journalarticle',
  section: 'bookchapter',
  thesis: 'dissertation',
  datamanagementplan: 'outputmanagementplan',
  softwaredocumentation: 'text',
}

/** Common SPDX identifiers in their proper case; Zenodo writes them in lower case. */
const licenses = (
  'AGPL-3.0-only AGPL-3.0-or-later Apache-2.0 BSD-2-Clause BSD-3-Clause CC-BY-4.0 CC-BY-NC-4.0 ' +
  'CC-BY-NC-ND-4.0 CC-BY-NC-SA-4.0 CC-BY-ND-4.0 CC-BY-SA-4.0 CC0-1.0 GPL-2.0-only ' +
  'GPL-2.0-or-later GPL-3.0-only GPL-3.0-or-later LGPL-3.0-only LGPL-3.0-or-later MIT MPL-2.0'
).split(' ')

const ownTypes = new Set(
  'book conferencepaper conferenceproceeding dataset image other preprint report software workflow'.split(
    ' ',
  ),
)

/**
 * Metadata from a `.zenodo.json`.
 *
 * @see https://developers.zenodo.org/#representation
 */
export function fromZenodo(zenodo: Foreign): Metadata {
  return filled({
    title: textOf(zenodo['title']),
    creators: objectsOf(zenodo['creators']).flatMap((person) => toCreator(person) ?? []),
    contributors: objectsOf(zenodo['contributors']).flatMap((person) => toCreator(person) ?? []),
    description: textOf(zenodo['description']),
    publication_date: textOf(zenodo['publication_date']),
    resource_type: toType(zenodo),
    license: toLicense(zenodo['license']),
    keywords: textsOf(zenodo['keywords']),
    subjects: objectsOf(zenodo['subjects']).flatMap((subject) => toSubject(subject) ?? []),
    related_identifiers: objectsOf(zenodo['related_identifiers']).flatMap(toRelated),
    funding: objectsOf(zenodo['grants']).flatMap(toGrant),
    version: textOf(zenodo['version']),
    language: textOf(zenodo['language']),
    notes: textOf(zenodo['notes']),
  })
}

function toCreator(person: Foreign): Foreign | undefined {
  const name = textOf(person['name'])
  const [family, given] = name?.includes(',') ? name.split(/,\s*/, 2) : []
  const affiliation = textsOf(person['affiliation'])
  return toPerson({ name, given, family, orcid: person['orcid'], affiliation })
}

function toType(zenodo: Foreign): string | undefined {
  const general = nameType(textOf(zenodo['upload_type']))
  const kind = textOf(zenodo['publication_type']) ?? textOf(zenodo['image_type'])
  return nameType(kind) ?? general
}

function nameType(name: string | undefined): string | undefined {
  if (name === undefined || ownTypes.has(name)) return name
  return Object.hasOwn(resourceTypes, name) ? resourceTypes[name] : undefined
}

function toLicense(license: unknown): string | undefined {
  const id = textOf(isForeign(license) ? license['id'] : license)
  if (id?.toLowerCase() === 'cc-zero') return 'CC0-1.0'
  return licenses.find((known) => known.toLowerCase() === id?.toLowerCase()) ?? id
}

function toSubject({ term, identifier, scheme }: Foreign): Foreign | undefined {
  const subject = textOf(term)
  if (subject === undefined) return undefined
  return filled({ subject, identifier: textOf(identifier), scheme: textOf(scheme) })
}

function toRelated({ identifier: id, relation: kind, scheme }: Foreign): readonly Foreign[] {
  const [identifier, relation] = [textOf(id), textOf(kind)]
  if (identifier === undefined || relation === undefined) return []
  return [filled({ identifier, relation, scheme: textOf(scheme) })]
}

/** `10.13039/501100000780::283595` names a funder by DOI and its grant. */
function toGrant({ id }: Foreign): readonly Foreign[] {
  const [first, second] = textOf(id)?.split('::') ?? []
  if (first === undefined) return []
  // A number alone is a grant of the European Commission.
  const [funder, award] = second === undefined ? ['10.13039/501100000780', first] : [first, second]
  return [{ funder, award }]
}
