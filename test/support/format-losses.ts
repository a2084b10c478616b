import { identifierTypes, termOf } from '../../core/contract/datacite.ts'
import { threeLetters } from '../../core/contract/languages.ts'
import { splitName } from '../../core/contract/person-names.ts'
import { toIdentifier } from '../../core/describe/identifiers.ts'
import type { Description } from '../../core/index.ts'
import { describeDocument } from './describe-document.ts'

/** What a format makes of a field, and why it is not all of it. A field that is not listed stays. */
type Said = Readonly<
  Partial<Record<keyof Description, readonly [why: string, read: (about: Description) => unknown]>>
>
type Agent = Description['creators'][number]

const nothing = (): undefined => undefined
const none = (): readonly never[] => []
const mandatoryTitle = [
  'a title is mandatory',
  (about) => about.title ?? 'Untitled',
] as const satisfies Said[keyof Description]

/** Fields that come back otherwise, by format. */
export const formatLosses: Readonly<Record<string, Said>> = {
  zenodo: {
    title: mandatoryTitle,
    description: [
      'a description is mandatory',
      ({ description, title }) => description ?? title ?? 'Untitled',
    ],
    creators: ['names are sorted, affiliations one text', ({ creators }) => creators.map(ofZenodo)],
    contributors: [
      'names are sorted, affiliations one text',
      ({ contributors }) => contributors.map((each) => ({ ...ofZenodo(each), role: each.role })),
    ],
    publisher: ['it publishes itself', () => describeDocument({}).publisher],
    resourceType: [
      'it has fewer types, and one is mandatory',
      ({ resourceType: type }) => typeOf(zenodoTypes, type?.general ?? 'Dataset'),
    ],
    rights: ['it knows licenses by identifiers alone', ({ rights }) => rights?.id && rights],
    subjects: [
      'a subject has an address',
      ({ subjects }) => subjects.filter(({ url }) => url !== undefined),
    ],
    relations: [
      'it has fewer types',
      ({ relations }) =>
        relations.map(({ resourceType, ...rest }) => ({
          ...rest,
          resourceType: resourceType && typeOf(zenodoTypes, resourceType).general,
        })),
    ],
    alternateIdentifiers: [
      'it refuses identifiers of unknown kinds',
      (about) =>
        about.alternateIdentifiers.filter(({ scheme = '' }) => termOf(identifierTypes, scheme)),
    ],
    funding: [
      'a funder is known by its DOI alone, and a grant by its number',
      ({ funding }) =>
        funding.flatMap(({ funderId, funderIdType, award }) =>
          funderIdType === 'Crossref Funder ID' && award ? [{ funderId, funderIdType, award }] : [],
        ),
    ],
    locations: [
      'a location has a name, and no extent',
      ({ locations }) =>
        locations.flatMap(({ place, point }) => (place === undefined ? [] : [{ place, point }])),
    ],
    dates: [
      'it knows three kinds, and of a period with the same ends a day',
      ({ dates }) => dates.filter(({ type }) => /Collected|Valid|Withdrawn/.test(type)),
    ],
    language: [
      'it has languages in three letters',
      ({ language }) => language && threeLetters(language),
    ],
    access: [
      'an embargo has no reason',
      ({ access: { files, until, reason } }) => ({
        files,
        until,
        reason: until ? undefined : reason,
      }),
    ],
  },
  cff: {
    title: mandatoryTitle,
    creators: ['none is there twice', ({ creators }) => distinct(creators.map(ofCff))],
    contributors: [
      'of those who helped it knows contacts alone',
      ({ contributors }) =>
        distinct(contributors.filter(({ role }) => role === 'ContactPerson').map(ofCff)).map(
          (each) => ({ ...each, role: 'ContactPerson' }),
        ),
    ],
    publisher: ['it has none', () => describeDocument({}).publisher],
    date: [
      'it has whole days alone',
      ({ date }) => (date.length === 10 ? date : describeDocument({}).date),
    ],
    resourceType: [
      'it knows software and data sets',
      ({ resourceType }) =>
        resourceType?.general === 'Software'
          ? { id: 'software', general: 'Software' }
          : { id: 'dataset', general: 'Dataset' },
    ],
    rights: [
      'a license has an identifier or an address',
      ({ rights }) => rights?.url && describeDocument({ license: rights.id ?? rights.url }).rights,
    ],
    doi: [
      'it knows fewer characters in DOIs',
      ({ doi = '' }) => (/^[\w./;\-:()[\]\\]+$/.test(doi) ? doi : undefined),
    ],
    alternateIdentifiers: [
      'it knows kinds that can be told from the identifier, and none twice',
      ({ alternateIdentifiers, doi }) =>
        distinct(
          alternateIdentifiers.map(({ identifier, scheme, url }) =>
            toIdentifier(scheme === 'URL' && url !== undefined ? url : identifier, undefined),
          ),
        ).filter(({ identifier }) => identifier !== doi),
    ],
    relations: [
      'it has none; its address is the page of the record',
      ({ url }) => [{ identifier: url, scheme: 'URL', url, relation: 'IsSupplementTo' }],
    ],
    methods: ['it has no such field', nothing],
    notes: ['it has no such field', nothing],
    subjects: ['it has no such field', none],
    language: ['it has no such field', nothing],
    dates: ['it has no such field', none],
    references: ['they would be works with fields', none],
    funding: ['it has no such field', none],
    locations: ['it has no such field', none],
    access: ['it has no such field', () => ({ files: 'public' })],
  },
  codemeta: {
    title: mandatoryTitle,
    creators: ['names are sorted', ({ creators }) => creators.map(sorted)],
    contributors: [
      'it has no roles',
      ({ contributors }) => contributors.map((each) => ({ ...sorted(each), role: 'Other' })),
    ],
    resourceType: [
      'it has the types of schema.org, of which one is mandatory',
      ({ resourceType: type }) => typeOf(schemaTypes, type?.general ?? 'Dataset'),
    ],
    rights: [
      'a license is one text',
      ({ rights }) => rights && describeDocument({ license: rights.url ?? rights.name }).rights,
    ],
    keywords: [
      'a subject that is a word is a keyword',
      ({ keywords, subjects }) => [
        ...new Set([...keywords, ...subjects.filter(isWord).map(({ subject }) => subject)]),
      ],
    ],
    subjects: [
      'a subject that is a word is a keyword',
      ({ subjects }) => subjects.filter((each) => !isWord(each)),
    ],
    relations: [
      'it has the relations of schema.org, without types',
      ({ relations, resourceType }) => ofSchemaOrg(relations, resourceType?.general),
    ],
    funding: [
      'an award is a text beside all funders',
      ({ funding }) =>
        funding.map(({ funder, funderId, funderIdType, award }) => ({
          funder: funder ?? (funderIdType === 'Other' ? funderId : undefined),
          funderId,
          funderIdType,
          award: funding.length === 1 ? award : undefined,
        })),
    ],
    dates: [
      'it knows when it was made, and the time it is about',
      ({ dates }) => [
        ...dates
          .filter(({ type }) => type === 'Created')
          .slice(0, 1)
          .map(withoutWords),
        ...['Coverage', 'Collected']
          .flatMap((kind) => dates.find(({ type }) => type === kind) ?? [])
          .slice(0, 1)
          .map(({ date }) => ({ date, type: 'Coverage' })),
      ],
    ],
    locations: [
      'a place is a point or a box',
      ({ locations }) =>
        locations.map(({ place, point, box }) => ({ place, point, box: point ? undefined : box })),
    ],
    methods: ['it has no such term', nothing],
    notes: ['it has no such term', nothing],
    access: [
      'neither the end of an embargo nor its reason has a term',
      ({ access: { files } }) => ({ files }),
    ],
  },
}

/** The whole name as its parts say. */
function sorted(agent: Agent): Agent {
  const { name, family, given, orcid } = agent
  if (family === undefined) return { ...agent, name, isPerson: orcid !== undefined }
  return { ...agent, name: [family, given].filter((part) => part !== undefined).join(', ') }
}

function ofZenodo(agent: Agent): object {
  const { name, family, given, orcid } = agent
  const whole = family === undefined || given === undefined ? name : `${family}, ${given}`
  const parts = splitName(whole, orcid !== undefined)
  const isPerson = parts.family !== undefined || orcid !== undefined
  return { name: whole, ...parts, isPerson, orcid, affiliations: inOneText(agent) }
}

/** Organizations have neither ORCID iD nor affiliation there. */
function ofCff(agent: Agent): object {
  const affiliations = agent.family === undefined ? [] : inOneText(agent)
  return { ...sorted(agent), affiliations }
}

function inOneText({ affiliations }: Agent): readonly object[] {
  const names = affiliations.map(({ name }) => name).join('; ')
  return [...new Set(names.split(/\s*;\s*/).filter(Boolean))].map((name) => ({ name }))
}

function distinct<Item>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}

/** DataCite's types that a format takes for another one; the others stay. */
function typeOf(types: Readonly<Record<string, string>>, general: string) {
  const found = types[general] ?? general
  return { id: found.toLowerCase(), general: found }
}

const zenodoTypes = {
  Award: 'Other',
  Collection: 'Other',
  ComputationalNotebook: 'Software',
  DataPaper: 'JournalArticle',
  Event: 'Other',
  Instrument: 'Other',
  Journal: 'Other',
  Model: 'Other',
  PeerReview: 'Other',
  Project: 'Other',
  Service: 'Other',
  Sound: 'Audiovisual',
  Standard: 'Other',
  StudyRegistration: 'Other',
}

const schemaTypes = {
  ...zenodoTypes,
  Collection: 'Collection',
  ConferencePaper: 'JournalArticle',
  ConferenceProceeding: 'Other',
  Event: 'Event',
  InteractiveResource: 'Other',
  OutputManagementPlan: 'Other',
  PhysicalObject: 'Other',
  Preprint: 'JournalArticle',
  Sound: 'Sound',
  Text: 'Other',
  Workflow: 'Other',
}

function isWord({ scheme, url }: Description['subjects'][number]): boolean {
  return scheme === undefined && url === undefined
}

function withoutWords({ date, type }: Description['dates'][number]): object {
  return { date, type }
}

/** The relation that a term of schema.org is read as. */
const readAs: Readonly<Record<string, string>> = {
  Cites: 'Cites',
  HasPart: 'HasPart',
  HasTranslation: 'HasTranslation',
  IsDerivedFrom: 'IsDerivedFrom',
  IsDescribedBy: 'IsDescribedBy',
  IsDocumentedBy: 'IsDescribedBy',
  IsIdenticalTo: 'IsIdenticalTo',
  IsNewVersionOf: 'IsDerivedFrom',
  IsPartOf: 'IsPartOf',
  IsPublishedIn: 'IsPartOf',
  IsSupplementTo: 'Cites',
  IsTranslationOf: 'IsTranslationOf',
  References: 'Cites',
}

function ofSchemaOrg(relations: Description['relations'], general = ''): readonly object[] {
  const code = relations.find(
    ({ relation, scheme, url }) =>
      general === 'Software' && relation === 'IsSupplementTo' && scheme === 'URL' && url,
  )
  const own = code === undefined ? [] : [{ ...code, identifier: code.url, resourceType: undefined }]
  const others = relations.flatMap(({ resourceType: _, ...rest }) => {
    const relation = readAs[rest.relation]
    const isCode = relation === 'Cites' && code !== undefined && rest.url === code.url
    return relation === undefined || isCode ? [] : [{ ...rest, relation }]
  })
  return [...own, ...others]
}
