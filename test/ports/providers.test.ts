import { describe, expect, it } from 'vitest'
import { dataciteApi } from '../../core/adapters/datacite-api.ts'
import { arkProvider, checkCharacter, isArk } from '../../core/identifiers/ark.ts'
import { dataciteProvider } from '../../core/identifiers/datacite.ts'
import type { JsonObject } from '../../core/base/json.ts'
import type { Outcome } from '../../core/ports/provider.ts'
import { describeDocument } from '../support/describe-document.ts'
import { smallDatacite, type SmallDatacite } from '../support/small-datacite.ts'
import { providerContract } from './provider.contract.ts'

const doi = '10.5072/abcde-12345'
const target = 'https://deposit.example.org/records/abcde-12345'
const { signal } = new AbortController()

function providerAt(url: string) {
  const password = async (): Promise<string> => 'secret'
  const api = dataciteApi({ url, account: 'ABC.DEPOSIT', password, userAgent: () => 'deposit/1' })
  return dataciteProvider({ prefix: '10.5072', api })
}

providerContract('datacite', async () => {
  const service = await smallDatacite()
  return {
    provider: providerAt(service.url),
    found: (identifier) => {
      const there = service.dois.get(identifier)
      if (there?.state !== 'findable') return undefined
      const { titles, url } = there as unknown as Told
      return { title: titles[0]?.title ?? '', target: url }
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
})

interface Told {
  readonly titles: readonly { readonly title: string }[]
  readonly url: string
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
    await using service = await smallDatacite()
    const seen: (string | undefined)[] = []
    service.fault = ({ headers }) => {
      seen.push(headers.authorization)
      return undefined
    }
    await publish(service)

    expect(service.requests).toEqual([`PUT /dois/${doi}`])
    expect(seen).toEqual([`Basic ${Buffer.from('ABC.DEPOSIT:secret').toString('base64')}`])

    await using elsewhere = await smallDatacite()
    service.fault = () => ({ status: 307, headers: { location: `${elsewhere.url}/dois/${doi}` } })
    expect(await publish(service)).toMatchObject({ is: 'later' })
    expect(elsewhere.requests).toEqual([])
  })

  it('forgets what a record says no more', async () => {
    await using service = await smallDatacite()
    await publish(service, { title: 'A', keywords: ['tide'], language: 'en', version: '1' })
    await publish(service, { title: 'A' })

    expect(service.dois.get(doi)).toMatchObject({ subjects: [], language: null, version: null })
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
    await using service = await smallDatacite()
    service.fault = () => fault as { readonly status: number }
    expect(await publish(service)).toMatchObject(outcome)
  })

  it.each(['cut', 'cut before'] as const)('may not answer (%s)', async (fault) => {
    await using service = await smallDatacite()
    service.fault = () => fault
    expect(await publish(service)).toMatchObject({ is: 'later', isUnsure: true })
  })

  it('is compared field by field, and may say more', async () => {
    await using service = await smallDatacite()
    const provider = providerAt(service.url)
    const wanted = { identifier: doi, target, description: describeDocument({ title: 'A' }) }
    await provider.want(wanted, signal)
    service.tamper(doi, {
      publicationYear: '2026',
      registered: 'today',
      titles: [{ title: 'A', lang: null }],
    })
    expect(await provider.check(doi, wanted, signal)).toEqual([])

    service.tamper(doi, { url: 'https://example.org/', subjects: [{ subject: 'tide' }] })
    expect(await provider.check(doi, wanted, signal)).toEqual([
      { field: 'subjects', here: '[]', there: '[{"subject":"tide"}]' },
      { field: 'url', here: `"${target}"`, there: '"https://example.org/"' },
    ])
    expect(await provider.check(doi, null, signal)).toEqual([
      { field: 'state', here: 'absent', there: 'findable' },
    ])
    service.tamper(doi, { state: 'draft' })
    expect(await provider.check(doi, wanted, signal)).toEqual([
      { field: 'state', here: 'findable', there: 'draft' },
    ])
  })

  it('is not asked about what it refuses for certain', async () => {
    await using service = await smallDatacite()
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

async function publish(
  { url }: SmallDatacite,
  document: JsonObject = { title: 'A' },
): Promise<Outcome> {
  const description = describeDocument(document)
  return providerAt(url).want({ identifier: doi, target, description }, signal)
}
