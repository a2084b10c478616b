import {
  asJson,
  asList,
  asText,
  isJson,
  type Answer,
  type Exchange,
  type Json,
} from '../exchange.ts'
import type { Doi } from './doi.ts'

/** A page of the DOIs that `client` may see: 25 of them, at most 1,000. */
export function listJson(listed: readonly Doi[], exchange: Exchange, caller?: string): Answer {
  const { query, origin } = exchange
  const [client, prefix, wanted] = ['client-id', 'prefix', 'state'].map((name) => query.get(name))
  const found = listed.filter(
    (doi) =>
      (doi.state === 'findable' || doi.client === caller) &&
      (!client || doi.client === client.toLowerCase()) &&
      (!prefix || doi.doi.startsWith(`${prefix}/`)) &&
      (!wanted || wanted.split(',').includes(doi.state)) &&
      (!query.get('query') || JSON.stringify(doi).includes(query.get('query') ?? '')),
  )
  const size = Math.min(Number(query.get('page[size]') ?? 25), 1000)
  const number = Math.max(1, Number(query.get('page[number]') ?? 1))
  const totalPages = size > 0 ? Math.ceil(found.length / size) : 0
  const page = found.slice((number - 1) * size, number * size)
  const next = new URLSearchParams(query)
  next.set('page[number]', String(number + 1))
  return {
    body: {
      data: page.map((doi) => toJson(doi, exchange)),
      meta: { total: found.length, totalPages, page: number },
      links: {
        self: `${origin}/dois?${query.toString()}`,
        ...(number < totalPages && { next: `${origin}/dois?${next.toString()}` }),
      },
    },
  }
}

/** @see https://github.com/datacite/lupo `app/serializers/datacite_doi_serializer.rb` */
export function toJson(doi: Doi, { query }: Exchange): Json {
  const { metadata } = doi
  const [prefix = '', ...rest] = doi.doi.split('/')
  const people = (name: string) =>
    asList(metadata[name]).map((value) => {
      const person = asJson(value)
      const affiliation = asList(person['affiliation']).map((one) =>
        query.get('affiliation') === 'true' || !isJson(one) ? one : one['name'],
      )
      return { ...person, nameIdentifiers: asList(person['nameIdentifiers']), affiliation }
    })
  const publisher = metadata['publisher']
  const issued = asList(metadata['dates']).find((date) => asJson(date)['dateType'] === 'Issued')
  const lists = Object.fromEntries(
    [
      'titles',
      'subjects',
      'dates',
      'relatedIdentifiers',
      'relatedItems',
      'sizes',
      'formats',
      'rightsList',
      'descriptions',
      'geoLocations',
      'fundingReferences',
      'identifiers',
    ].map((name) => [name, asList(metadata[name])]),
  )
  return {
    id: doi.doi,
    type: 'dois',
    attributes: {
      doi: doi.doi,
      prefix,
      suffix: rest.join('/'),
      ...lists,
      alternateIdentifiers: asList(metadata['identifiers']).map((other) => ({
        alternateIdentifierType: asJson(other)['identifierType'],
        alternateIdentifier: asJson(other)['identifier'],
      })),
      creators: people('creators'),
      contributors: people('contributors'),
      publisher:
        query.get('publisher') === 'true'
          ? (publisher ?? null)
          : (asJson(publisher)['name'] ?? null),
      container: metadata['container'] ?? {},
      publicationYear: metadata['publicationYear'] ?? null,
      language: metadata['language'] ?? null,
      types: metadata['types'] ?? {},
      version: metadata['version'] ?? null,
      xml: doi.xml === undefined ? null : Buffer.from(doi.xml).toString('base64'),
      url: doi.url ?? null,
      contentUrl: metadata['contentUrl'] ?? null,
      metadataVersion: doi.metadataVersion,
      schemaVersion: doi.schemaVersion ?? null,
      source: 'api',
      isActive: doi.state === 'findable',
      state: doi.state,
      reason: doi.reason ?? null,
      created: doi.created,
      registered: doi.registered ?? null,
      published: asJson(issued)['date'] ?? asText(metadata['publicationYear']),
      updated: doi.updated,
    },
    relationships: {
      client: { data: { id: doi.client, type: 'clients' } },
      provider: { data: { id: doi.client.split('.')[0], type: 'providers' } },
      media: { data: { id: doi.doi, type: 'media' } },
    },
  }
}
