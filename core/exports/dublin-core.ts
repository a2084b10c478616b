import type { Description } from '../describe/description.ts'
import { untitled, type ExportFormat } from './format.ts'
import { document, element, type Markup } from './xml.ts'

/** The fifteen elements, in the form that OAI-PMH has. @see https://www.dublincore.org/schemas/xmls/ */
export const dublinCore: ExportFormat = {
  name: 'dublin-core',
  title: 'Dublin Core',
  mediaTypes: ['application/x-dc+xml'],
  profile: 'http://www.openarchives.org/OAI/2.0/oai_dc/',
  suffix: '-dublin-core',
  extension: '.xml',
  write: (about) => document(toDublinCore(about)),
}

const namespace = 'http://www.openarchives.org/OAI/2.0/oai_dc/'

function toDublinCore(about: Description): Markup {
  const head = {
    'xmlns:oai_dc': namespace,
    'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    'xsi:schemaLocation': `${namespace} http://www.openarchives.org/OAI/2.0/oai_dc.xsd`,
  }
  const elements: Readonly<Record<string, readonly (string | undefined)[]>> = {
    title: [about.title ?? untitled],
    creator: about.creators.map(({ name }) => name),
    subject: [...about.keywords, ...about.subjects.map(({ subject }) => subject)],
    description: [about.description, about.methods, about.notes],
    publisher: [about.publisher.name],
    contributor: about.contributors.map(({ name }) => name),
    date: [about.date, embargoEndOf(about)],
    type: [about.resourceType && (typeOf(about.resourceType.general) ?? about.resourceType.id)],
    format: [...new Set(about.files.map(({ mediaType }) => mediaType))],
    identifier: [...new Set([about.citedAs, about.url, ...about.alternateIdentifiers.map(toText)])],
    language: [about.language],
    relation: [
      ...about.relations.filter(({ relation }) => relation !== 'IsDerivedFrom').map(toText),
      ...about.versions.map(toText),
      ...about.references,
    ],
    source: about.relations.filter(({ relation }) => relation === 'IsDerivedFrom').map(toText),
    coverage: [
      ...about.locations.map(({ place }) => place),
      ...about.dates.filter(({ type }) => type === 'Coverage').map(({ date }) => date),
    ],
    rights: [about.rights?.name, about.rights?.url, `info:eu-repo/semantics/${accessOf(about)}`],
  }
  const inner = Object.entries(elements).flatMap(([name, texts]) =>
    texts.flatMap((text) => (text === undefined ? [] : [element(`dc:${name}`, {}, text)])),
  )
  return element('oai_dc:dc', head, inner)
}

function toText({
  identifier,
  url,
}: Description['relations'][number] | Description['alternateIdentifiers'][number]): string {
  return url ?? identifier
}

/** @see https://guidelines.openaire.eu, "Embargo end date" */
function embargoEndOf({ access: { until } }: Description): string | undefined {
  return until === undefined ? undefined : `info:eu-repo/date/embargoEnd/${until}`
}

function accessOf({ access }: Description): string {
  if (access.files === 'public') return 'openAccess'
  return access.until === undefined ? 'restrictedAccess' : 'embargoedAccess'
}

/** @see DCMI Type Vocabulary */
function typeOf(general: string): string | undefined {
  return types.get(general)
}

const types: ReadonlyMap<string, string> = new Map([
  ['Audiovisual', 'MovingImage'],
  ['Book', 'Text'],
  ['BookChapter', 'Text'],
  ['Collection', 'Collection'],
  ['ComputationalNotebook', 'Software'],
  ['ConferencePaper', 'Text'],
  ['ConferenceProceeding', 'Text'],
  ['DataPaper', 'Text'],
  ['Dataset', 'Dataset'],
  ['Dissertation', 'Text'],
  ['Event', 'Event'],
  ['Image', 'Image'],
  ['InteractiveResource', 'InteractiveResource'],
  ['JournalArticle', 'Text'],
  ['PhysicalObject', 'PhysicalObject'],
  ['Preprint', 'Text'],
  ['Report', 'Text'],
  ['Service', 'Service'],
  ['Software', 'Software'],
  ['Sound', 'Sound'],
  ['Text', 'Text'],
])
