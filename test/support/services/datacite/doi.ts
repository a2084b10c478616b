import spdxLicenses from 'spdx-license-list'
import { asJson, asList, asText, isJson, type Json } from '../exchange.ts'
import { contributorTypes } from './kernel-rules.ts'
import { readMetadata } from './read-metadata.ts'
import { breachesOfRules, breachesOfSchema } from './validate-metadata.ts'
import { writeMetadata } from './write-metadata.ts'
import { parseXml } from './xml-tree.ts'

export type DoiState = 'draft' | 'registered' | 'findable'

/** A DOI as DataCite keeps it. */
export interface Doi {
  /** Lower case. */
  readonly doi: string
  /** Of the repository, lower case. */
  readonly client: string
  readonly state: DoiState
  readonly url?: string
  readonly xml?: string
  readonly schemaVersion?: string
  /** Attributes that describe the resource, by their names in JSON. */
  readonly metadata: Json
  readonly reason?: string
  readonly created: string
  readonly updated: string
  /** When its handle was made. */
  readonly registered?: string
  /** How often its XML changed. */
  readonly metadataVersion: number
}

export interface DoiFault {
  readonly source: string
  readonly title: string
}

const described = [
  'creators',
  'contributors',
  'titles',
  'publisher',
  'publicationYear',
  'types',
  'descriptions',
  'container',
  'sizes',
  'formats',
  'version',
  'language',
  'dates',
  'identifiers',
  'relatedIdentifiers',
  'relatedItems',
  'fundingReferences',
  'geoLocations',
  'rightsList',
  'subjects',
  'contentUrl',
]
const kernel = 'http://datacite.org/schema/kernel-4'
const old = /^http:\/\/datacite\.org\/schema\/kernel-(2\.1|2\.2|3|3\.0|3\.1)$/
const now = (): string => `${new Date().toISOString().slice(0, 19)}.000Z`

/**
 * `before` with `attributes` of a request: attributes that are named replace the whole value, others
 * stay; those of JSON win over those of XML, and then the XML is written from them.
 * @see https://github.com/datacite/lupo `app/lib/params_sanitizer.rb`
 */
export function withAttributes(before: Doi, attributes: Json): Doi {
  const { alternateIdentifiers, event } = attributes
  const named: Json =
    attributes['identifiers'] === undefined && alternateIdentifiers !== undefined
      ? { ...attributes, identifiers: asList(alternateIdentifiers).map(alternate) }
      : attributes
  const sent =
    typeof named['xml'] === 'string' && named['xml'] !== '' ? decode(named['xml']) : undefined
  const read = sent === undefined ? {} : readXml(sent)
  const given = Object.fromEntries(
    described
      .filter((name) => name in named || name in read)
      .map((name) => [name, named[name] ?? read[name]]),
  )
  const metadata = normalized({ ...before.metadata, ...given })
  const isRewritten = described.some((name) => name in named) || Boolean(named['schemaVersion'])
  const xml = isRewritten
    ? writeMetadata(before.doi, metadata)
    : (sent?.replace(/(<(?:\w+:)?identifier\b[^>]*>)[^<]*/, `$1${before.doi.toUpperCase()}`) ??
      before.xml)
  const schemaVersion = asText(
    named['schemaVersion'] ?? read['schemaVersion'] ?? before.schemaVersion,
  )
  const url = 'url' in named ? asText(named['url']) : before.url
  const reason = 'reason' in named ? asText(named['reason']) : before.reason
  return {
    ...before,
    state: stateAfter(before.state, event),
    metadata,
    updated: now(),
    metadataVersion: before.metadataVersion + (xml === undefined || xml === before.xml ? 0 : 1),
    ...(url && { url }),
    ...(xml !== undefined && { xml }),
    ...(schemaVersion && { schemaVersion }),
    ...(reason && { reason }),
  }
}

export const newDoi = (doi: string, client: string): Doi => ({
  doi: doi.toLowerCase(),
  client,
  state: 'draft',
  metadata: {},
  created: now(),
  updated: now(),
  metadataVersion: 0,
})

/** @see https://github.com/datacite/lupo `app/models/doi.rb`: `aasm`; other events do nothing */
function stateAfter(state: DoiState, event: unknown): DoiState {
  if (event === 'publish') return 'findable'
  if (event === 'register') return state === 'draft' ? 'registered' : state
  if (event === 'hide') return state === 'findable' ? 'registered' : state
  if (event === 'show') return state === 'registered' ? 'findable' : state
  return state
}

const alternate = (value: unknown): unknown => {
  const { alternateIdentifier, alternateIdentifierType } = asJson(value)
  if (!isJson(value)) return value
  return { identifier: alternateIdentifier, identifierType: alternateIdentifierType }
}

const decode = (base64: string): string =>
  Buffer.from(base64, 'base64')
    .toString()
    .replace(/^\uFEFF/, '')
    .trim()

function readXml(xml: string): Json {
  try {
    return readMetadata(parseXml(xml))
  } catch {
    return {}
  }
}

/** What DataCite makes of some attributes, so that they do not come back as they were sent. */
function normalized(metadata: Record<string, unknown>): Json {
  const { publisher, language, rightsList, identifiers, types } = metadata
  const lists = { rightsList: asList(rightsList).map(rights) }
  return {
    ...metadata,
    ...(typeof publisher === 'string' && { publisher: { name: publisher } }),
    ...(typeof language === 'string' && { language: shortLanguage(language) }),
    ...(rightsList !== undefined && lists),
    ...(identifiers !== undefined && {
      identifiers: asList(identifiers).filter((other) => asJson(other)['identifierType'] !== 'DOI'),
    }),
    ...(isJson(types) && {
      types: { ...otherTypes(asText(types['resourceTypeGeneral'])), ...types },
    }),
  }
}

function shortLanguage(language: string): string {
  if (!/^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$/.test(language)) return language
  try {
    return new Intl.Locale(language).language
  } catch {
    return language
  }
}

/** @see https://github.com/datacite/bolognese `hsh_to_spdx` in `lib/bolognese/utils.rb` */
function rights(value: unknown): unknown {
  const { rights: name, rightsUri, rightsIdentifier, lang, ...rest } = asJson(value)
  const wanted = asText(rightsIdentifier).toLowerCase()
  const [id, license] =
    Object.entries(spdxLicenses).find(
      ([key, { name: full }]) => key.toLowerCase() === wanted || full === (name ?? value),
    ) ?? []
  if (id === undefined || license === undefined) {
    if (!isJson(value)) return { rights: value }
    const lower = wanted ? { rightsIdentifier: wanted } : {}
    return {
      ...rest,
      ...(name !== undefined && { rights: name }),
      ...(rightsUri !== undefined && { rightsUri }),
      ...lower,
      ...(lang !== undefined && { lang }),
    }
  }
  return {
    rights: license.name,
    rightsUri: license.url.split('\n')[0],
    rightsIdentifier: id.toLowerCase(),
    rightsIdentifierScheme: 'SPDX',
    schemeUri: 'https://spdx.org/licenses/',
    ...(lang !== undefined && { lang }),
  }
}

function otherTypes(general: string): Json {
  if (general === 'Dataset')
    return { schemaOrg: 'Dataset', citeproc: 'dataset', bibtex: 'misc', ris: 'DATA' }
  if (general === 'Software')
    return { schemaOrg: 'SoftwareSourceCode', citeproc: 'article', bibtex: 'misc', ris: 'COMP' }
  return { schemaOrg: 'CreativeWork', citeproc: 'article', bibtex: 'misc', ris: 'GEN' }
}

/**
 * What DataCite refuses in a DOI that is to be saved: one fault for each source, the first. Drafts are
 * hardly looked at. Without a `schemaVersion` and XML that names one, the schema's faults are summed up
 * as `metadata`.
 * @param isAllowed whether an address is in the domains of the repository
 * @see https://github.com/datacite/lupo `app/models/doi.rb`, `app/controllers/concerns/error_serializable.rb`
 */
export async function faultsOf(
  doi: Doi,
  isNew: boolean,
  isAllowed: (url: string) => boolean,
  isStrict: boolean,
): Promise<readonly DoiFault[]> {
  const { state, url, metadata, schemaVersion = '' } = doi
  const isPublic = state !== 'draft'
  const faults: DoiFault[] = []
  const add = (source: string, title: string, isWrong: boolean): void => {
    if (isWrong && !faults.some((fault) => fault.source === source)) faults.push({ source, title })
  }
  add('url', "Can't be blank", isPublic && !url)
  add('doi', 'Is invalid', isNew && !/^10\.\d{4,5}\/[-._;()/:a-zA-Z0-9*~$=]+$/.test(doi.doi))
  add('url', 'URL is not valid', Boolean(url) && !/^(ftp|https?):\/\/\S+$/.test(url ?? ''))
  if (isPublic) {
    add('xml', "Can't be blank", !doi.xml)
    if (old.test(schemaVersion)) {
      add('xml', `DOI ${doi.doi}: Schema ${schemaVersion} is no longer supported`, true)
    } else if (doi.xml) {
      const breaches = await (isStrict ? breachesOfSchema : breachesOfRules)(doi.xml)
      for (const { source, message, line } of breaches) {
        const title = `DOI ${doi.doi}: ${message} at line ${line}, column 0`
        if (schemaVersion) add(sources[source] ?? source, title, true)
        else add('metadata', 'Is invalid', true)
      }
    }
    const foreign = `URL ${url} is not allowed by repository ${doi.client} domain settings.`
    add('url', foreign, Boolean(url) && !isAllowed(url ?? ''))
  }
  for (const [name, source, one] of objects) {
    const strange = asList(metadata[name]).find((item) => !isJson(item))
    add(
      source,
      `${one} '${asText(strange)}' should be an object instead of a string.`,
      strange !== undefined,
    )
  }
  if (schemaVersion === kernel) {
    const { contributors } = metadata
    const typeless = asList(contributors).find(
      (person) => !contributorTypes.includes(asText(asJson(person)['contributorType'])),
    )
    const title = `Contributor '${JSON.stringify(typeless)}' is missing a required element: contributor type.`
    add('contributors', title, typeless !== undefined)
  }
  return faults
}

const sources: Readonly<Record<string, string>> = {
  date: 'dates',
  publicationYear: 'publication_year',
  alternateIdentifiers: 'identifiers',
  relatedIdentifiers: 'related_identifiers',
  relatedItems: 'related_items',
  geoLocations: 'geo_locations',
  rightsList: 'rights_list',
  fundingReferences: 'funding_references',
  version: 'version_info',
  resource: 'xml',
}

/** Lists whose items must be objects: attribute, source of the fault, the word of its message. */
const objects = [
  ['dates', 'dates', 'Date'],
  ['rightsList', 'rights_list', 'Rights'],
  ['titles', 'titles', 'Title'],
  ['descriptions', 'descriptions', 'Description'],
  ['types', 'types', 'Types'],
  ['subjects', 'subjects', 'Subject'],
  ['creators', 'creators', 'Creator'],
  ['contributors', 'contributors', 'Contributor'],
  ['identifiers', 'identifiers', 'Identifier'],
  ['relatedIdentifiers', 'related_identifiers', 'Related identifier'],
  ['fundingReferences', 'funding_references', 'Funding reference'],
  ['geoLocations', 'geo_locations', 'Geolocation'],
] as const
