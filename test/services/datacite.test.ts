import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startDataCite } from '../support/services/datacite/datacite.ts'
import { breaches } from '../support/services/datacite/kernel-rules.ts'
import { breachesOfSchema, hasSchema } from '../support/services/datacite/validate-metadata.ts'
import { writeMetadata } from '../support/services/datacite/write-metadata.ts'
import { parseXml } from '../support/services/datacite/xml-tree.ts'
import type { Json } from '../support/services/exchange.ts'
import type { FakeService } from '../support/services/service.ts'

const described = {
  creators: [{ name: 'Lovelace, Ada', nameType: 'Personal' }],
  titles: [{ title: 'Tides of 2025' }],
  publisher: { name: 'Harbour Office' },
  publicationYear: 2025,
  types: { resourceTypeGeneral: 'Dataset' },
  schemaVersion: 'http://datacite.org/schema/kernel-4',
}
const url = 'https://harbour.example.org/records/1'

/** @see https://support.datacite.org/docs/doi-states */
describe('a DOI', () => {
  it('is a draft that nobody else sees, needs no metadata, and can be deleted', async () => {
    await using datacite = await startDataCite()
    expect(await put(datacite, '10.5072/one')).toMatchObject({ status: 201, state: 'draft' })
    expect((await fetch(`${datacite.url}/dois/10.5072/one`)).status).toBe(404)
    expect(await call(datacite, 'GET', '10.5072/one')).toMatchObject({ status: 200 })
    expect(await call(datacite, 'DELETE', '10.5072/one')).toMatchObject({ status: 204 })
    expect(await call(datacite, 'GET', '10.5072/one')).toMatchObject({ status: 404 })
  })

  it('is findable by "publish", registered by "hide", and never a draft again', async () => {
    await using datacite = await startDataCite()
    const publish = { ...described, url, event: 'publish' }
    expect(await put(datacite, '10.5072/one', publish)).toMatchObject({
      status: 201,
      state: 'findable',
    })
    expect((await fetch(`${datacite.url}/dois/10.5072/ONE`)).status).toBe(200)
    expect(await put(datacite, '10.5072/one', { event: 'hide' })).toMatchObject({
      status: 200,
      state: 'registered',
    })
    expect((await fetch(`${datacite.url}/dois/10.5072/one`)).status).toBe(404)
    expect(await put(datacite, '10.5072/one', { event: 'publish' })).toMatchObject({
      state: 'findable',
    })
    const removed = await call(datacite, 'DELETE', '10.5072/one')
    expect(removed).toMatchObject({
      status: 405,
      errors: [{ status: '405', title: 'Method not allowed' }],
    })
    expect(removed.headers.get('allow')).toBe('HEAD, GET, POST, PATCH, PUT, OPTIONS')
  })

  it('keeps what a change does not name', async () => {
    await using datacite = await startDataCite()
    await put(datacite, '10.5072/one', { ...described, url, event: 'publish' })
    const { attributes } = await put(datacite, '10.5072/one', { titles: [{ title: 'Other' }] })
    expect(attributes).toMatchObject({ titles: [{ title: 'Other' }], publicationYear: 2025, url })
  })

  it('cannot be made twice by POST, in whatever case', async () => {
    await using datacite = await startDataCite()
    const { status } = await call(datacite, 'POST', '', { doi: '10.5072/one' })
    expect(status).toBe(201)
    expect(await call(datacite, 'POST', '', { doi: '10.5072/ONE' })).toMatchObject({
      status: 422,
      errors: [{ source: 'doi', title: 'This DOI has already been taken', uid: '10.5072/one' }],
    })
  })

  it('gets a suffix if only the prefix is given', async () => {
    await using datacite = await startDataCite()
    const { attributes } = await call(datacite, 'POST', '', { prefix: '10.5072' })
    expect(attributes?.['doi']).toMatch(/^10\.5072\/[0-9a-z]{4}-[0-9a-z]{4}$/)
  })

  it('is shown late in the list', async () => {
    await using datacite = await startDataCite({ lag: 1 })
    await put(datacite, '10.5072/one')
    const found = async () => {
      const list = await fetch(`${datacite.url}/dois?client-id=demo.harbour`, {
        headers: credentials,
      })
      return ((await list.json()) as { data: unknown[] }).data.length
    }
    expect([await found(), await found()]).toEqual([0, 1])
  })
})

/** @see https://github.com/datacite/lupo `spec/requests/datacite_dois/{post,patch}_spec.rb` */
describe('DataCite refuses', () => {
  it.for<[string, Json, string, string]>([
    ['no address', { ...described, event: 'publish' }, 'url', "Can't be blank"],
    ['an address that is none', { url: 'harbour' }, 'url', 'URL is not valid'],
    ['no metadata', { url, event: 'publish' }, 'xml', "Can't be blank"],
    [
      'no creators',
      { ...described, creators: [], url, event: 'publish' },
      'creators',
      'DOI 10.5072/one: Missing child element(s). Expected is ( {http://datacite.org/schema/kernel-4}creator ). at line 4, column 0',
    ],
    [
      'a kind of name in lower case',
      { ...described, creators: [{ name: 'Ada', nameType: 'personal' }], url, event: 'register' },
      "creatorName', attribute 'nameType",
      "DOI 10.5072/one: [facet 'enumeration'] The value 'personal' is not an element of the set {'Organizational', 'Personal'}. at line 6, column 0",
    ],
    [
      'metadata without a version of the schema, in few words',
      { ...described, schemaVersion: null, creators: [], url, event: 'publish' },
      'metadata',
      'Is invalid',
    ],
    [
      'an old schema',
      { ...described, schemaVersion: 'http://datacite.org/schema/kernel-3', url, event: 'publish' },
      'xml',
      'DOI 10.5072/one: Schema http://datacite.org/schema/kernel-3 is no longer supported',
    ],
    [
      'a title that is text, even in a draft',
      { titles: ['Tides'] },
      'titles',
      "Title 'Tides' should be an object instead of a string.",
    ],
  ])('%s', async ([, attributes, source, title]) => {
    await using datacite = await startDataCite()
    expect(await put(datacite, '10.5072/one', attributes)).toMatchObject({
      status: 422,
      errors: [{ source, title, uid: '10.5072/one' }],
    })
    expect(datacite.state()).toEqual({})
  })

  it('a suffix with other signs, and an address outside of the domains', async () => {
    const harbour = { id: 'demo.harbour', password: 'secret', prefixes: ['10.5072'] }
    const repositories = [{ ...harbour, domains: '*.example.com,example.com' }]
    await using datacite = await startDataCite({ repositories })
    expect(await put(datacite, '10.5072/1+1')).toMatchObject({
      errors: [{ source: 'doi', title: 'Is invalid' }],
    })
    expect(
      await put(datacite, '10.5072/one', { ...described, url, event: 'publish' }),
    ).toMatchObject({
      status: 422,
      errors: [
        {
          source: 'url',
          title: `URL ${url} is not allowed by repository demo.harbour domain settings.`,
        },
      ],
    })
  })

  it('wrong and missing credentials, and prefixes and DOIs of others', async () => {
    const harbour = { id: 'demo.harbour', password: 'secret', prefixes: ['10.5072'] }
    const other = { id: 'demo.other', password: 'other', prefixes: ['10.5072', '10.80225'] }
    await using datacite = await startDataCite({ repositories: [harbour, other] })
    const bad = { status: 401, errors: [{ status: '401', title: 'Bad credentials.' }] }
    expect(await put(datacite, '10.5072/one', {}, basic('demo.harbour', 'guess'))).toMatchObject(
      bad,
    )
    expect(await put(datacite, '10.5072/one', { url }, {})).toMatchObject(bad)
    const foreign = {
      status: 403,
      errors: [{ title: 'You are not authorized to access this resource.' }],
    }
    expect(await put(datacite, '10.80225/one', { url })).toMatchObject(foreign)
    await put(datacite, '10.5072/one', {}, basic('demo.other', 'other'))
    expect(await put(datacite, '10.5072/one', { url })).toMatchObject(foreign)
  })

  it('a body that is not JSON:API', async () => {
    await using datacite = await startDataCite()
    const title = 'You need to provide a payload following the JSONAPI spec'
    for (const body of ['{}', '{"doi":"10.5072/one"}', '']) {
      const reply = await fetch(`${datacite.url}/dois/10.5072/one`, {
        method: 'PUT',
        headers,
        body,
      })
      expect([reply.status, await reply.json()]).toEqual([
        400,
        { errors: [{ status: '400', title }] },
      ])
    }
  })

  it('too many requests', async () => {
    await using datacite = await startDataCite({ limit: 1 })
    await put(datacite, '10.5072/one')
    const reply = await put(datacite, '10.5072/one')
    expect(reply.status).toBe(429)
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

/** @see https://github.com/datacite/lupo `app/serializers/repository_serializer.rb` */
describe('a repository', () => {
  it('is read with its prefixes, by everybody, but not with wrong credentials', async () => {
    await using datacite = await startDataCite()
    const read = async (id: string, caller: Record<string, string>) => {
      const reply = await fetch(`${datacite.url}/repositories/${id}`, { headers: caller })
      return { status: reply.status, body: await reply.json() }
    }
    const data = { relationships: { prefixes: { data: [{ id: '10.5072', type: 'prefixes' }] } } }
    for (const caller of [credentials, {}])
      expect(await read('demo.harbour', caller)).toMatchObject({ status: 200, body: { data } })
    expect(await read('demo.harbour', basic('demo.harbour', 'x'))).toMatchObject({ status: 401 })
    expect(await read('demo.none', credentials)).toMatchObject({ status: 404 })
  })
})

describe('metadata', () => {
  it('of XML alone are kept as they are, with the DOI put in', async () => {
    await using datacite = await startDataCite()
    const xml = Buffer.from(writeMetadata('10.9999/other', described)).toString('base64')
    const { attributes } = await put(datacite, '10.5072/one', { xml, url, event: 'publish' })
    expect(attributes).toMatchObject({ state: 'findable', titles: described.titles })
    const kept = Buffer.from(String(attributes?.['xml']), 'base64').toString()
    expect(kept).toBe(writeMetadata('10.5072/ONE', described).trim())
  })

  it('come back as DataCite understands them', async () => {
    await using datacite = await startDataCite()
    const rightsList = [{ rightsIdentifier: 'CC-BY-4.0', rightsUri: 'https://example.org/' }]
    const sent = { ...described, language: 'eng', rightsList, publisher: 'Harbour Office' }
    const { attributes } = await put(datacite, '10.5072/one', sent)
    expect(attributes).toMatchObject({
      language: 'en',
      publisher: 'Harbour Office',
      rightsList: [{ rightsIdentifier: 'cc-by-4.0', rightsIdentifierScheme: 'SPDX' }],
    })
  })

  const all = hasSchema ? it : it.skip
  all('are judged as the schema 4.7 does', { timeout: 120_000 }, async () => {
    const wrong: readonly Json[] = [
      { ...described, creators: [] },
      { ...described, publicationYear: '20' },
      { ...described, titles: [], publisher: undefined },
      { ...described, language: 'a b' },
      { ...described, contributors: [{ name: '', contributorType: 'Boss' }] },
      { ...described, relatedIdentifiers: [{ relatedIdentifier: 'x' }] },
      {
        ...described,
        relatedIdentifiers: [
          { relatedIdentifier: 'x', relatedIdentifierType: 'DOI', relationType: 'cites' },
        ],
      },
      { ...described, descriptions: [{ description: 'x', descriptionType: 'abstract' }] },
      {
        ...described,
        geoLocations: [{ geoLocationPoint: { pointLatitude: 91, pointLongitude: -181 } }],
      },
      { ...described, fundingReferences: [{ awardTitle: 'x' }] },
      { ...described, subjects: [{ subject: 'tide' }], dates: [{ date: '2025' }] },
    ]
    for (const metadata of wrong) {
      const xml = writeMetadata('10.5072/one', metadata)
      expect(breaches(parseXml(xml))).toEqual(await breachesOfSchema(xml))
    }
  })

  all('of the examples of the schema pass', () => {
    const folder = new URL('../../../shared/data/standards/datacite-4.7/example/', import.meta.url)
    for (const name of readdirSync(folder)) {
      const xml = readFileSync(new URL(name, folder), 'utf8')
      expect([name, breaches(parseXml(xml))]).toEqual([name, []])
    }
  })
})

const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})
const credentials = basic('DEMO.HARBOUR', 'secret')
const headers = { ...credentials, 'content-type': 'application/vnd.api+json' }

interface Reply {
  readonly status: number
  readonly state?: unknown
  readonly attributes?: Json
  readonly errors?: unknown
  readonly headers: Headers
}

async function call(
  { url: base }: FakeService,
  method: string,
  doi: string,
  attributes?: Json,
  caller: Record<string, string> = credentials,
): Promise<Reply> {
  const body = attributes && { body: JSON.stringify({ data: { type: 'dois', attributes } }) }
  const type = { 'content-type': 'application/vnd.api+json' }
  const path = doi ? `dois/${doi}` : 'dois'
  const reply = await fetch(`${base}/${path}`, { method, headers: { ...caller, ...type }, ...body })
  const text = await reply.text()
  const { data, errors } = JSON.parse(text || '{}') as {
    data?: { attributes: Json }
    errors?: unknown
  }
  const found = data && { attributes: data.attributes, state: data.attributes['state'] }
  return { status: reply.status, headers: reply.headers, errors, ...found }
}

const put = (
  service: FakeService,
  doi: string,
  attributes: Json = { url },
  caller = credentials as Record<string, string>,
) => call(service, 'PUT', doi, attributes, caller)
