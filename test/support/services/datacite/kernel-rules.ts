import type { XmlElement } from './xml-tree.ts'

/** The words of schema 4.7. @see https://schema.datacite.org/meta/kernel-4.7/metadata.xsd */
const words = (text: string): readonly string[] => text.split(/\s+/)
const nameTypes = ['Organizational', 'Personal']
const resourceTypes =
  words(`Audiovisual Award Book BookChapter Collection ComputationalNotebook ConferencePaper
  ConferenceProceeding DataPaper Dataset Dissertation Event Image Instrument InteractiveResource Journal
  JournalArticle Model OutputManagementPlan PeerReview PhysicalObject Poster Preprint Presentation Project Report
  Service Software Sound Standard StudyRegistration Text Workflow Other`)
export const contributorTypes =
  words(`ContactPerson DataCollector DataCurator DataManager Distributor Editor
  HostingInstitution Other Producer ProjectLeader ProjectManager ProjectMember RegistrationAgency
  RegistrationAuthority RelatedPerson ResearchGroup RightsHolder Researcher Sponsor Supervisor Translator
  WorkPackageLeader`)
const dateTypes =
  words(`Accepted Available Collected Copyrighted Coverage Created Issued Other Submitted Updated
  Valid Withdrawn`)
const identifierTypes =
  words(`ARK arXiv bibcode CSTR DOI EAN13 EISSN Handle IGSN ISBN ISSN ISTC LISSN LSID PMID
  PURL RAiD RRID SWHID UPC URL URN w3id`)
const relationTypes = words(`IsCitedBy Cites IsSupplementTo IsSupplementedBy IsContinuedBy Continues
  IsNewVersionOf IsPreviousVersionOf IsPartOf HasPart IsPublishedIn IsReferencedBy References IsDocumentedBy
  Documents IsCompiledBy Compiles IsVariantFormOf IsOriginalFormOf IsIdenticalTo HasMetadata IsMetadataFor Reviews
  IsReviewedBy IsDerivedFrom IsSourceOf Describes IsDescribedBy HasVersion IsVersionOf Requires IsRequiredBy
  Obsoletes IsObsoletedBy Collects IsCollectedBy HasTranslation IsTranslationOf Other`)

interface Rule {
  /** Allowed values; `true` is any. */
  readonly attributes?: Readonly<Record<string, true | readonly string[]>>
  readonly demanded?: readonly string[]
  /** Children that may be there; nothing says that there are none. */
  readonly children?: readonly string[]
  /** Children that must be there. */
  readonly needed?: readonly string[]
  readonly inOrder?: boolean
  readonly text?: 'filled' | 'year' | 'language' | 'longitude' | 'latitude'
}

const filled: Rule = { text: 'filled' }
const titleTypes = ['AlternativeTitle', 'Subtitle', 'TranslatedTitle', 'Other']
const personParts = ['givenName', 'familyName', 'nameIdentifier', 'affiliation']
const corners = ['pointLongitude', 'pointLatitude']
const sides = [
  'westBoundLongitude',
  'eastBoundLongitude',
  'southBoundLatitude',
  'northBoundLatitude',
]
const rootNeeds = [
  'identifier',
  'creators',
  'titles',
  'publisher',
  'publicationYear',
  'resourceType',
]
const rootMay =
  words(`subjects contributors dates language alternateIdentifiers relatedIdentifiers sizes formats
  version rightsList descriptions geoLocations fundingReferences relatedItems`)

/** What the schema says of each element; an element that is not here is not looked at. */
const rules: Readonly<Record<string, Rule>> = {
  resource: { children: [...rootNeeds, ...rootMay], needed: rootNeeds },
  identifier: {
    attributes: { identifierType: true },
    demanded: ['identifierType'],
    text: 'filled',
  },
  creators: { children: ['creator'], needed: ['creator'] },
  creator: { children: ['creatorName', ...personParts], needed: ['creatorName'], inOrder: true },
  creatorName: { attributes: { nameType: nameTypes } },
  contributors: { children: ['contributor'] },
  contributor: {
    attributes: { contributorType: contributorTypes },
    demanded: ['contributorType'],
    children: ['contributorName', ...personParts],
    needed: ['contributorName'],
    inOrder: true,
  },
  contributorName: { attributes: { nameType: nameTypes }, text: 'filled' },
  nameIdentifier: {
    attributes: { nameIdentifierScheme: true },
    demanded: ['nameIdentifierScheme'],
    text: 'filled',
  },
  affiliation: {
    attributes: { affiliationIdentifier: true, affiliationIdentifierScheme: true },
    text: 'filled',
  },
  titles: { children: ['title'], needed: ['title'] },
  title: { attributes: { titleType: titleTypes } },
  publisher: {
    attributes: { publisherIdentifier: true, publisherIdentifierScheme: true },
    text: 'filled',
  },
  publicationYear: { text: 'year' },
  resourceType: {
    attributes: { resourceTypeGeneral: resourceTypes },
    demanded: ['resourceTypeGeneral'],
  },
  subjects: { children: ['subject'] },
  subject: { attributes: { subjectScheme: true, valueURI: true, classificationCode: true } },
  dates: { children: ['date'] },
  date: { attributes: { dateType: dateTypes, dateInformation: true }, demanded: ['dateType'] },
  language: { text: 'language' },
  alternateIdentifiers: { children: ['alternateIdentifier'] },
  alternateIdentifier: {
    attributes: { alternateIdentifierType: true },
    demanded: ['alternateIdentifierType'],
  },
  relatedIdentifiers: { children: ['relatedIdentifier'] },
  relatedIdentifier: {
    attributes: {
      relatedIdentifierType: identifierTypes,
      relationType: relationTypes,
      resourceTypeGeneral: resourceTypes,
      relatedMetadataScheme: true,
      schemeType: true,
      relationTypeInformation: true,
    },
    demanded: ['relatedIdentifierType', 'relationType'],
  },
  sizes: { children: ['size'] },
  formats: { children: ['format'] },
  rightsList: { children: ['rights'] },
  rights: { attributes: { rightsURI: true, rightsIdentifier: true, rightsIdentifierScheme: true } },
  descriptions: { children: ['description'] },
  description: {
    attributes: {
      descriptionType: words(
        'Abstract Methods SeriesInformation TableOfContents TechnicalInfo Other',
      ),
    },
    demanded: ['descriptionType'],
    children: ['br'],
  },
  geoLocations: { children: ['geoLocation'] },
  geoLocation: {
    children: ['geoLocationPlace', 'geoLocationPoint', 'geoLocationBox', 'geoLocationPolygon'],
  },
  geoLocationPoint: { children: corners, needed: corners },
  geoLocationBox: { children: sides, needed: sides },
  ...Object.fromEntries(
    ['pointLongitude', ...sides.slice(0, 2)].map((side) => [side, { text: 'longitude' as const }]),
  ),
  ...Object.fromEntries(
    ['pointLatitude', ...sides.slice(2)].map((side) => [side, { text: 'latitude' as const }]),
  ),
  fundingReferences: { children: ['fundingReference'] },
  fundingReference: {
    children: ['funderName', 'funderIdentifier', 'awardNumber', 'awardTitle'],
    needed: ['funderName'],
  },
  funderName: filled,
  funderIdentifier: {
    attributes: { funderIdentifierType: ['ISNI', 'GRID', 'ROR', 'Crossref Funder ID', 'Other'] },
    demanded: ['funderIdentifierType'],
  },
  awardNumber: { attributes: { awardURI: true } },
}

const everywhere = ['schemeURI', 'xml:lang', 'xsi:schemaLocation', 'xsi:type']

/** A breach of the schema, in the words of libxml2. */
export interface Breach {
  /** Name of the element, followed by that of the attribute as DataCite cuts it out of the message. */
  readonly source: string
  readonly message: string
  readonly line: number
}

/** What breaks the schema, in the order of the document. Elements in related items are not looked at. */
export function breaches(element: XmlElement): readonly Breach[] {
  const rule = rules[element.name]
  if (!rule) return []
  const own = [...attributeBreaches(element, rule), ...childBreaches(element, rule)]
  const message = textBreach(element.text, rule.text)
  const text = message ? [{ source: element.name, message, line: element.line }] : []
  return [...own, ...text, ...element.children.flatMap(breaches)].sort(
    (one, other) => one.line - other.line,
  )
}

function attributeBreaches({ name, attributes, line }: XmlElement, rule: Rule): readonly Breach[] {
  const wrong = Object.entries(attributes).flatMap(([key, value]) => {
    const allowed = rule.attributes?.[key] ?? everywhere.includes(key)
    const source = `${name}', attribute '${key}`
    if (allowed === false)
      return [{ source, message: `The attribute '${key}' is not allowed.`, line }]
    if (allowed === true || allowed.includes(value)) return []
    const set = allowed.map((word) => `'${word}'`).join(', ')
    const message = `[facet 'enumeration'] The value '${value}' is not an element of the set {${set}}.`
    return [{ source, message, line }]
  })
  const missing = (rule.demanded ?? [])
    .filter((key) => attributes[key] === undefined)
    .map((key) => ({
      source: name,
      message: `The attribute '${key}' is required but missing.`,
      line,
    }))
  return [...wrong, ...missing]
}

function childBreaches(
  { name, namespace, children, line }: XmlElement,
  rule: Rule,
): readonly Breach[] {
  const allowed = rule.children ?? []
  const odd = children.find((child, index) => {
    if (!allowed.includes(child.name)) return true
    const before = children[index - 1]
    return rule.inOrder && before && allowed.indexOf(child.name) < allowed.indexOf(before.name)
  })
  if (odd) return [{ source: odd.name, message: 'This element is not expected.', line: odd.line }]
  const missing = (rule.needed ?? []).filter(
    (need) => !children.some((child) => child.name === need),
  )
  if (missing.length === 0) return []
  const expected = missing.map((need) => `{${namespace}}${need}`).join(', ')
  const which = missing.length === 1 ? 'Expected is' : 'Expected is one of'
  return [{ source: name, message: `Missing child element(s). ${which} ( ${expected} ).`, line }]
}

function textBreach(text: string, kind: Rule['text']): string | undefined {
  const short =
    "[facet 'minLength'] The value has a length of '0'; this underruns the allowed minimum length of '1'."
  if (kind === 'filled') return text === '' ? short : undefined
  if (kind === 'year' && !/^\d{4}$/.test(text.trim())) {
    return `[facet 'pattern'] The value '${text}' is not accepted by the pattern '[\\d]{4}'.`
  }
  if (kind === 'language' && !/^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$/.test(text.trim())) {
    return `'${text}' is not a valid value of the atomic type 'xs:language'.`
  }
  if (kind !== 'longitude' && kind !== 'latitude') return undefined
  const most = kind === 'longitude' ? 180 : 90
  if (text.trim() === '' || Number.isNaN(Number(text))) {
    return `'${text}' is not a valid value of the atomic type 'xs:float'.`
  }
  if (Math.abs(Number(text)) <= most) return undefined
  const [facet, bound] = Number(text) > 0 ? ['maxInclusive', most] : ['minInclusive', -most]
  const than = facet === 'maxInclusive' ? 'greater than the maximum' : 'less than the minimum'
  return `[facet '${facet}'] The value '${text}' is ${than} value allowed ('${bound}').`
}
