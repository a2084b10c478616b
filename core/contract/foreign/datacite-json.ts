import { contributorTypes, dateTypes, relationTypes, termOf } from '../datacite.ts'
import {
  doiOf,
  filled,
  isForeign,
  licenseOf,
  listOf,
  objectsOf,
  textOf,
  toPerson,
  type Foreign,
} from '../foreign-values.ts'
import { fromMaybeHtml } from '../html-text.ts'
import { isDateOrPeriod } from '../metadata-formats.ts'
import { spdxOf } from '../zenodo-metadata.ts'

/**
 * Metadata from DataCite's JSON: what `doi.org` answers to `application/vnd.datacite.datacite+json`, or
 * DataCite's own interface.
 *
 * @see https://support.datacite.org/docs/datacite-content-resolver
 */
export function fromDataciteJson(document: Foreign): Foreign {
  const of = attributesOf(document)
  const descriptions = objectsOf(of['descriptions'])
  const described = (type: string): string | undefined =>
    toMarkdown(descriptions.find(({ descriptionType }) => descriptionType === type))
  const subjects = objectsOf(of['subjects'])
  const isTerm = ({ subjectScheme, valueUri }: Foreign): boolean =>
    textOf(subjectScheme) !== undefined || textOf(valueUri) !== undefined
  const titles = objectsOf(of['titles'])
  const types = isForeign(of['types']) ? of['types'] : {}
  return filled({
    title: textOf((titles.find(({ titleType }) => !textOf(titleType)) ?? titles[0])?.['title']),
    creators: objectsOf(of['creators']).flatMap((agent) => toAgent(agent) ?? []),
    contributors: objectsOf(of['contributors']).flatMap(toContributor),
    description: described('Abstract') ?? toMarkdown(descriptions[0]),
    methods: described('Methods'),
    publication_date: issuedOn(of),
    publisher: textOf(isForeign(of['publisher']) ? of['publisher']['name'] : of['publisher']),
    resource_type: textOf(types['resourceTypeGeneral'])?.toLowerCase(),
    license: toLicense(of['rightsList']),
    keywords: subjects
      .filter((each) => !isTerm(each))
      .flatMap(({ subject }) => textOf(subject) ?? []),
    subjects: subjects.filter(isTerm).flatMap(({ subject, subjectScheme, valueUri }) => {
      const term = textOf(subject)
      if (term === undefined) return []
      const [scheme, identifier] = [textOf(subjectScheme), textOf(valueUri)]
      return [filled({ subject: term, scheme, identifier })]
    }),
    version: textOf(of['version']),
    language: textOf(of['language']),
    doi: doiOf(of['doi']) ?? doiOf(of['id']),
    related_identifiers: objectsOf(of['relatedIdentifiers']).flatMap(toRelated),
    dates: objectsOf(of['dates']).flatMap(toDate),
    funding: objectsOf(of['fundingReferences']).flatMap(toFunding),
  })
}

/** Many services register descriptions in HTML. */
function toMarkdown(said: Foreign | undefined): string | undefined {
  const text = textOf(said?.['description'])
  return text === undefined ? undefined : fromMaybeHtml(text)
}

/** The interface wraps the metadata twice. */
function attributesOf(document: Foreign): Foreign {
  const { data } = document
  const inside = isForeign(data) ? data : document
  return isForeign(inside['attributes']) ? inside['attributes'] : inside
}

function toAgent(agent: Foreign): Foreign | undefined {
  const orcid = objectsOf(agent['nameIdentifiers'])
    .map(({ nameIdentifier }) => textOf(nameIdentifier) ?? '')
    .find((id) => /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/.test(id))
  const affiliation = listOf(agent['affiliation']).flatMap(
    (each) => textOf(isForeign(each) ? each['name'] : each) ?? [],
  )
  const isPerson = agent['nameType'] !== 'Organizational'
  const parts = isPerson ? { given: agent['givenName'], family: agent['familyName'] } : {}
  return toPerson({ name: agent['name'], ...parts, orcid, affiliation })
}

function toContributor(agent: Foreign): readonly Foreign[] {
  const contributor = toAgent(agent)
  const role = termOf(contributorTypes, textOf(agent['contributorType']) ?? '')
  return contributor === undefined ? [] : [filled({ ...contributor, role })]
}

function issuedOn(of: Foreign): string | undefined {
  const dates = objectsOf(of['dates'])
  const issued = textOf(dates.find(({ dateType }) => dateType === 'Issued')?.['date'])
  return /^\d{4}(?:-\d{2}){0,2}/.exec(issued ?? '')?.[0] ?? textOf(of['publicationYear'])
}

function toLicense(rights: unknown): string | undefined {
  for (const { rightsIdentifier, rightsUri } of objectsOf(rights)) {
    const id = textOf(rightsIdentifier)
    const license = id === undefined ? licenseOf(textOf(rightsUri)) : spdxOf(id)
    if (license !== undefined) return license
  }
  return undefined
}

function toRelated(related: Foreign): readonly Foreign[] {
  const identifier = textOf(related['relatedIdentifier'])
  const relation = termOf(relationTypes, textOf(related['relationType']) ?? '')
  if (identifier === undefined || relation === undefined) return []
  const scheme = textOf(related['relatedIdentifierType'])?.toLowerCase()
  const resource_type = textOf(related['resourceTypeGeneral'])?.toLowerCase()
  return [filled({ identifier, relation, scheme, resource_type })]
}

function toDate({ date, dateType, dateInformation }: Foreign): readonly Foreign[] {
  const [day, type] = [textOf(date), termOf(dateTypes, textOf(dateType) ?? '')]
  if (day === undefined || type === undefined || type === 'Issued' || !isDateOrPeriod(day))
    return []
  return [filled({ date: day, type, description: textOf(dateInformation) })]
}

function toFunding(reference: Foreign): readonly Foreign[] {
  const funder = textOf(reference['funderName'])
  if (funder === undefined) return []
  return [
    filled({
      funder,
      funder_id: textOf(reference['funderIdentifier']),
      award: textOf(reference['awardNumber']),
      award_title: textOf(reference['awardTitle']),
      award_uri: textOf(reference['awardUri']),
    }),
  ]
}
