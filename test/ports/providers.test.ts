import { describe, expect, it } from 'vitest'
import { dataciteApi } from '../../core/adapters/datacite-api.ts'
import { arkProvider, checkCharacter, isArk } from '../../core/identifiers/ark.ts'
import { dataciteProvider } from '../../core/identifiers/datacite.ts'
import type { JsonObject } from '../../core/base/json.ts'
import type { Outcome } from '../../core/ports/provider.ts'
import { describeDocument } from '../support/describe-document.ts'
import {
  account,
  password,
  scriptedDatacite,
  type ScriptedDatacite,
} from '../support/scripted-datacite.ts'
import { providerContract } from './provider.contract.ts'

const doi = '10.5072/abcde-12345'
const concept = 'fghij-67890'
const target = 'https://deposit.example.org/records/abcde-12345'
const { signal } = new AbortController()

function providerAt(url: string) {
  const api = dataciteApi({
    url,
    account,
    password: async () => password,
    userAgent: () => 'deposit/1',
  })
  return dataciteProvider({ prefix: '10.5072', api })
}

providerContract('datacite', async () => {
  const service = await scriptedDatacite()
  return {
    provider: providerAt(service.url),
    found: (identifier) => {
      const there = service.dois()[identifier]
      if (there?.state !== 'findable') return undefined
      const { titles } = there.metadata as unknown as Told
      return { title: titles[0]?.title ?? '', target: there.url ?? '' }
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
})

interface Told {
  readonly titles: readonly { readonly title: string }[]
}

providerContract('ark', async () => ({
  provider: arkProvider('99999'),
  [Symbol.asyncDispose]: async () => {},
}))

describe('ARKs', () => {
  it('have the check character of NOID', () => {
    // The example of the manual of Noid.
    expect(checkCharacter('13030/xf93gt2')).toBe('q')
    expect(isArk('ark:/13030/xf93gt2q')).toBe(true)
    expect(isArk('ark:/13030/xf93tg2q')).toBe(false)
    expect(isArk('ark:/13030/xf93gt3q')).toBe(false)
  })

  it('begin with the number of the authority and its shoulder', () => {
    const ark = arkProvider('12345/x1').reserve('j4nfh-zjv59')
    expect(ark).toMatch(/^ark:12345\/x1[0-9bcdfghjkmnpqrstvwxz]{11}$/)
    expect(isArk(ark)).toBe(true)
  })
})

describe('DataCite', () => {
  it('is asked by PUT alone, with the account, and follows no redirect', async () => {
    await using service = await scriptedDatacite()
    const seen: (string | undefined)[] = []
    service.fault = ({ headers }) => {
      seen.push(headers.authorization)
      return undefined
    }
    await publish(service)

    expect(service.requests).toEqual([`PUT /dois/${doi}`])
    expect(seen).toEqual([`Basic ${Buffer.from(`${account}:${password}`).toString('base64')}`])

    await using elsewhere = await scriptedDatacite()
    service.fault = () => ({ status: 307, headers: { location: `${elsewhere.url}/dois/${doi}` } })
    expect(await publish(service)).toMatchObject({ is: 'later' })
    expect(elsewhere.requests).toEqual([])
  })

  it('forgets what a record says no more', async () => {
    await using service = await scriptedDatacite()
    await publish(service, { title: 'A', keywords: ['tide'], language: 'en', version: '1' })
    await publish(service, { title: 'A' })

    const { subjects, language, version } = service.dois()[doi]?.metadata ?? {}
    expect([subjects ?? [], language ?? null, version ?? null]).toEqual([[], null, null])
  })

  it.each<[string, object, object]>([
    ['401', { status: 401, body: '{"errors":[{"title":"Bad credentials."}]}' }, { is: 'locked' }],
    ['403', { status: 403, body: '{"errors":[{"title":"No access."}]}' }, { is: 'locked' }],
    ['404', { status: 404, body: '{"errors":[]}' }, { is: 'later' }],
    ['405', { status: 405 }, { is: 'later' }],
    ['429', { status: 429, headers: { 'retry-after': '7' } }, { is: 'later', waitMs: 7000 }],
    ['500', { status: 500, body: 'oops' }, { is: 'later', isUnsure: true }],
    ['503', { status: 503, headers: { 'retry-after': '3' } }, { is: 'later', waitMs: 3000 }],
    ['200 with HTML', { status: 200, body: '<html>Welcome</html>' }, { is: 'later' }],
    ['504 with HTML', { status: 504, body: '<html>Bad gateway</html>' }, { is: 'later' }],
    [
      '422',
      { status: 422, body: '{"errors":[{"source":"creators","title":"Missing child."}]}' },
      { is: 'refused', field: '/creators', message: 'DataCite: Missing child.' },
    ],
    [
      '422 of the address',
      { status: 422, body: '{"errors":[{"source":"url","title":"URL is not allowed."}]}' },
      { is: 'refused', message: 'DataCite: URL is not allowed.' },
    ],
  ])('answers %s', async (_name, fault, outcome) => {
    await using service = await scriptedDatacite()
    service.fault = () => fault as { readonly status: number }
    expect(await publish(service)).toMatchObject(outcome)
  })

  it.each(['cut', 'cut before'] as const)('may not answer (%s)', async (fault) => {
    await using service = await scriptedDatacite()
    service.fault = () => fault
    expect(await publish(service)).toMatchObject({ is: 'later', isUnsure: true })
  })

  it('is compared field by field', async () => {
    await using service = await scriptedDatacite()
    const provider = providerAt(service.url)
    const wanted = {
      identifier: doi,
      concept,
      target,
      description: describeDocument({ title: 'A' }),
    }
    expect(await provider.check(doi, wanted, signal)).toEqual([
      { field: 'state', here: 'findable', there: 'absent' },
    ])
    await provider.want(wanted, signal)
    expect(await provider.check(doi, wanted, signal)).toEqual([])

    await service.change(doi, { url: 'https://example.org/', subjects: [{ subject: 'tide' }] })
    expect(await provider.check(doi, wanted, signal)).toEqual([
      { field: 'subjects', here: '[]', there: '[{"subject":"tide"}]' },
      { field: 'url', here: `"${target}"`, there: '"https://example.org/"' },
    ])
    expect(await provider.check(doi, null, signal)).toEqual([
      { field: 'state', here: 'absent', there: 'findable' },
    ])
    await service.change(doi, { event: 'hide' })
    expect(await provider.check(doi, wanted, signal)).toEqual([
      { field: 'state', here: 'findable', there: 'registered' },
    ])
  })

  it('is told a whole record, and then says the same', async () => {
    await using service = await scriptedDatacite()
    const provider = providerAt(service.url)
    const description = describeDocument(wholeRecord, ['a.csv', 'b/c.txt'])
    const wanted = { identifier: doi, concept, target, description }

    expect(await provider.want(wanted, signal)).toEqual({ is: 'done' })
    expect(await provider.check(doi, wanted, signal)).toEqual([])
  })

  it('is not asked about what it refuses for certain', async () => {
    await using service = await scriptedDatacite()
    const outcome = await publish(service, { title: 'A', version: 'v'.repeat(192) })
    expect(outcome).toMatchObject({ is: 'refused', field: '/version' })
    expect(service.requests).toEqual([])
  })

  it('has its faults named before it is asked', () => {
    const faults = providerAt('http://127.0.0.1').findFaults?.(
      describeDocument({
        resource_type: 'sculpture',
        related_identifiers: [
          { identifier: '10.1234/x', relation: 'Cites' },
          { identifier: 'shelf 7', relation: 'Cites' },
          { identifier: '10.1234/x', relation: 'Likes' },
        ],
      }),
    )
    expect(faults?.map(({ field }) => field)).toEqual([
      '/title',
      '/creators',
      '/resource_type',
      '/related_identifiers/1/identifier',
      '/related_identifiers/2/relation',
    ])
  })
})

/** With every field that DataCite is told of. */
const wholeRecord: JsonObject = {
  title: 'Sea level & tides <2025>',
  creators: [
    {
      name: 'Carberry, Josiah',
      orcid: '0000-0002-1825-0097',
      affiliation: ['Brown University', { name: 'Harbour', ror: 'https://ror.org/05gq02987' }],
    },
    { name: 'Harbour Office' },
  ],
  contributors: [{ name: 'Doe, Jane', role: 'editor' }],
  publisher: { name: 'Harbour', ror: 'https://ror.org/05gq02987' },
  publication_date: '2025-03',
  resource_type: 'dataset',
  description: 'Levels.\n\nOf the pier.',
  methods: 'By gauge.',
  notes: 'None.',
  keywords: ['tide', 'sea'],
  subjects: [{ subject: 'Oceans', scheme: 'LCSH', identifier: 'https://example.org/oceans' }],
  license: 'CC-BY-4.0',
  version: '1.2',
  language: 'deu',
  dates: [{ date: '2025-01-01/2025-02-01', type: 'collected', description: 'Daily' }],
  related_identifiers: [
    { identifier: '10.1234/x', relation: 'cites', resource_type: 'dataset' },
    { identifier: '2101.00001', scheme: 'arxiv', relation: 'issupplementto' },
  ],
  references: ['https://example.org/paper', 'A paper.'],
  funding: [{ funder: 'Fund', award: '42', award_title: 'Levels', award_uri: 'https://f.org/42' }],
  locations: [
    { place: 'Pier', point: { latitude: 54.1, longitude: 7.9 } },
    { box: { west: -1, east: 2, south: 50, north: 51.5 } },
  ],
  alternate_identifiers: [{ identifier: 'GAUGE-1', scheme: 'local' }, '10.1234/elsewhere'],
}

async function publish(
  { url }: ScriptedDatacite,
  document: JsonObject = { title: 'A' },
): Promise<Outcome> {
  const description = describeDocument(document)
  return providerAt(url).want({ identifier: doi, concept, target, description }, signal)
}
