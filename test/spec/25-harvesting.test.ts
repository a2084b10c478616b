import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { faultsOfAnswers, faultsOfFeed, hasSchemas } from '../support/harvest-schemas.ts'
import { send } from '../support/http.ts'
import { hostileSamples } from '../support/hostile-documents.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

/** Every answer of the tests; all are validated at the end. */
const answers: string[] = []

/** Sets of the operator. */
const sets = `export default { sets: {
  tides: { title: 'All tides', has: ({ title }) => title === 'Tide' },
  early: { has: ({ title }) => /^Level [12]?\\d$/.test(title) },
} }`

let home: Awaited<ReturnType<typeof temporaryFolder>>
let daemon: TestDaemon
let tide: DepositBody

beforeAll(async () => {
  home = await temporaryFolder({ 'deposit.config.ts': sets })
  daemon = await testDaemon({ home: home.path })
  const ada = daemon.as('ada')
  tide = await ada.createPublished({ title: 'Tide', resource_type: 'dataset', creators: [] })
  for (const { document } of fc.sample(hostileSamples, { numRuns: 20, seed: 17 })) {
    const draft = await ada.post('/deposits/', { json: document })
    if (draft.status !== 201) continue
    const { id } = JSON.parse(draft.bytes.toString()) as DepositBody
    await ada.post(`/deposits/${id}/actions/publish`, {})
  }
  // More than fit on a page.
  const titles = Array.from({ length: 205 }, (_, number) => `Level ${number}`)
  const publish = (title: string) => ada.createPublished({ title, resource_type: 'software' })
  await Promise.all(titles.map(publish))
}, 300_000)
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

const identifierOf = ({ links }: Pick<DepositBody, 'links'>): string =>
  `oai:127.0.0.1:${links['record']?.split('/').at(-1)}`

async function ask(query: string, origin = daemon.origin): Promise<string> {
  const { status, headers, bytes } = await send('GET', `${origin}/oai?${query}`, {})
  expect([query, status]).toEqual([query, 200])
  expect(headers.get('content-type')?.toLowerCase()).toBe('text/xml; charset=utf-8')
  const text = bytes.toString()
  answers.push(text)
  return text
}

const errorOf = (text: string) => /<error code="(\w+)">/.exec(text)?.[1]
const tokenOf = (text: string) => /<resumptionToken[^>/]*>([^<]+)</.exec(text)?.[1]
const all = (text: string, name: string): readonly string[] =>
  [...text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, value = '']) => value)
const headersOf = (text: string): readonly string[] =>
  [...text.matchAll(/<header>\n<identifier>([^<]*)</g)].map(([, value = '']) => value)

/** Follows the tokens to the end. @param between runs after each page but the last */
async function harvest(query: string, between: () => Promise<unknown> = async () => undefined) {
  const [verb = ''] = query.split('&')
  const found: string[] = []
  let text = await ask(query)
  const began = all(text, 'responseDate')[0] ?? ''
  for (;;) {
    found.push(...headersOf(text))
    const token = tokenOf(text)
    if (token === undefined) return { found, began, text }
    await between()
    text = await ask(`${verb}&resumptionToken=${token}`)
  }
}

describe('OAI-PMH', () => {
  it('identifies the repository', async () => {
    const text = await ask('verb=Identify')
    expect(text).toContain(`<baseURL>${daemon.origin}/oai</baseURL>`)
    expect(text).toContain('<deletedRecord>persistent</deletedRecord>')
    expect(text).toContain('<granularity>YYYY-MM-DDThh:mm:ssZ</granularity>')
    const [earliest = ''] = all(text, 'earliestDatestamp')
    expect(all(await ask('verb=ListIdentifiers&metadataPrefix=oai_dc'), 'datestamp')[0]).toBe(
      earliest,
    )
  })

  it('lists its formats and sets', async () => {
    for (const query of ['', `&identifier=${identifierOf(tide)}`]) {
      const formats = await ask(`verb=ListMetadataFormats${query}`)
      expect(all(formats, 'metadataPrefix')).toEqual(['oai_dc', 'oai_datacite', 'datacite', 'dcat'])
    }
    const listed = await ask('verb=ListSets')
    expect(all(listed, 'setSpec')).toEqual(expect.arrayContaining(['Dataset', 'tides', 'early']))
    expect(all(listed, 'setName')).toEqual(expect.arrayContaining(['All tides', 'early']))
  })

  it('harvests a set of the operator', async () => {
    const verb = 'verb=ListIdentifiers&metadataPrefix=oai_dc'

    expect((await harvest(`${verb}&set=tides`)).found).toEqual([identifierOf(tide)])
    expect((await harvest(`${verb}&set=early`)).found).toHaveLength(30)
    expect(errorOf(await ask(`${verb}&set=late`))).toBe('noRecordsMatch')
  })

  it('answers a record in each format, by GET and by POST', async () => {
    for (const prefix of ['oai_dc', 'oai_datacite', 'datacite', 'dcat']) {
      const query = `verb=GetRecord&identifier=${identifierOf(tide)}&metadataPrefix=${prefix}`
      const text = await ask(query)
      expect(headersOf(text)).toEqual([identifierOf(tide)])
      expect(all(text, 'setSpec')).toEqual(['Dataset', 'tides'])
      const posted = await send('POST', `${daemon.origin}/oai`, {
        body: query,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      const withoutDate = (answer: string) => answer.replace(/<responseDate>.*?</, '')
      expect(withoutDate(posted.bytes.toString())).toBe(withoutDate(text))
    }
  })

  it.for([
    ['', 'badVerb'],
    ['verb=Nothing', 'badVerb'],
    ['verb=Identify&verb=Identify', 'badVerb'],
    ['verb=Identify&until=2026-01-01', 'badArgument'],
    ['verb=GetRecord&metadataPrefix=oai_dc', 'badArgument'],
    ['verb=ListRecords', 'badArgument'],
    ['verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=oai_dc', 'badArgument'],
    ['verb=ListRecords&metadataPrefix=%3Cx%3E', 'badArgument'],
    ['verb=ListRecords&metadataPrefix=oai_dc&set=a%20b', 'badArgument'],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=yesterday', 'badArgument'],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-02-30', 'badArgument'],
    [
      'verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01&until=2026-01-02T00:00:00Z',
      'badArgument',
    ],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-02&until=2026-01-01', 'badArgument'],
    ['verb=ListRecords&metadataPrefix=oai_dc&resumptionToken=x', 'badArgument'],
    ['verb=ListRecords&resumptionToken=%22%3Cx%3E%00', 'badResumptionToken'],
    ['verb=ListIdentifiers&resumptionToken=', 'badResumptionToken'],
    ['verb=ListSets&resumptionToken=x', 'badResumptionToken'],
    ['verb=ListRecords&metadataPrefix=marc', 'cannotDisseminateFormat'],
    ['verb=ListIdentifiers&metadataPrefix=oai_dc&set=Opera', 'noRecordsMatch'],
    ['verb=ListIdentifiers&metadataPrefix=oai_dc&set=Award', 'noRecordsMatch'],
    ['verb=ListIdentifiers&metadataPrefix=oai_dc&until=1999-12-31', 'noRecordsMatch'],
    ['verb=ListMetadataFormats&identifier=oai:127.0.0.1:none', 'idDoesNotExist'],
    ['verb=GetRecord&metadataPrefix=oai_dc&identifier=%22%20%3C', 'idDoesNotExist'],
    ['verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:other.org:none', 'idDoesNotExist'],
  ])('answers %s with %s', async ([query = '', code]) => {
    const text = await ask(query)
    expect(errorOf(text)).toBe(code)
    const isBare = code === 'badVerb' || code === 'badArgument'
    expect(text.includes('<request>')).toBe(isBare)
  })

  it('refuses a token that was changed, and one of another verb', async () => {
    const token = tokenOf(await ask('verb=ListIdentifiers&metadataPrefix=oai_dc')) ?? ''
    const [text = '', sum = ''] = token.split('.')
    const other = Buffer.from(text, 'base64url').toString().replace('oai_dc', 'datacite')
    const forged = `${Buffer.from(other).toString('base64url')}.${sum}`
    for (const [verb, each] of [
      ['ListIdentifiers', forged],
      ['ListIdentifiers', token.slice(0, -1)],
      ['ListRecords', token],
    ]) {
      expect(errorOf(await ask(`verb=${verb}&resumptionToken=${each}`))).toBe('badResumptionToken')
    }
  })

  it('answers the same page for the same token', async () => {
    const token = tokenOf(await ask('verb=ListIdentifiers&metadataPrefix=oai_dc')) ?? ''
    const query = `verb=ListIdentifiers&resumptionToken=${token}`
    expect(headersOf(await ask(query))).toEqual(headersOf(await ask(query)))
  })

  it('selects by time in both granularities, and by set', async () => {
    const [earliest = ''] = all(await ask('verb=Identify'), 'earliestDatestamp')
    const whole = (await harvest('verb=ListIdentifiers&metadataPrefix=oai_dc')).found
    for (const from of [earliest, earliest.slice(0, 10)]) {
      const query = `verb=ListIdentifiers&metadataPrefix=oai_dc&from=${from}`
      expect((await harvest(query)).found).toEqual(whole)
    }
    const until = `verb=ListIdentifiers&metadataPrefix=oai_dc&until=${earliest}`
    expect(headersOf(await ask(until))).toContain(whole[0])
    const software = await harvest('verb=ListRecords&metadataPrefix=oai_dc&set=Software')
    expect(software.found.length).toBeGreaterThanOrEqual(205)
    expect(software.found).not.toContain(identifierOf(tide))
    expect(software.text).toMatch(/<resumptionToken cursor="200"\/>/)
  })

  it('gives each record once, and misses none, while records change', async () => {
    const ada = daemon.as('ada')
    const curator = daemon.as('curator', { admin: true })
    const before = (await harvest('verb=ListIdentifiers&metadataPrefix=oai_dc')).found
    const made: string[] = []
    await harvest('verb=ListRecords&metadataPrefix=dcat')
    const first = await harvest('verb=ListRecords&metadataPrefix=oai_datacite', async () => {
      made.push(identifierOf(await ada.createPublished({ title: 'Later' })))
      const corrected = await curator.put(`/records/${identifierOf(tide).split(':')[2]}`, {
        title: 'Tide, corrected',
      })
      expect(corrected.status).toBe(200)
    })
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(first.found).size).toBe(first.found.length)
    expect(first.found.toSorted()).toEqual(before.toSorted())
    const query = `verb=ListIdentifiers&metadataPrefix=oai_dc&from=${first.began}`
    const second = (await harvest(query)).found
    expect(second).toEqual(expect.arrayContaining([...made, identifierOf(tide)]))
  })
})

const client = `
  use HTTP::OAI;
  my $answer = HTTP::OAI::Harvester->new(baseURL => $ARGV[0])->ListRecords(
    metadataPrefix => 'oai_dc', onRecord => sub { print $_[0]->identifier, "\\n" });
  die $answer->message unless $answer->is_success;
`
const hasClient = spawnSync('perl', ['-MHTTP::OAI', '-e', '1']).status === 0
if (!hasClient) process.stderr.write('SKIPPED: there is no HTTP::OAI (Debian: libhttp-oai-perl).\n')

describe.skipIf(!hasClient)('HTTP::OAI, a client in Perl', () => {
  it('harvests each record once, to the end, while records are published', async () => {
    const before = (await harvest('verb=ListIdentifiers&metadataPrefix=oai_dc')).found
    const running = promisify(execFile)('perl', ['-e', client, `${daemon.origin}/oai`])
    const ada = daemon.as('ada')
    for (const title of ['One', 'Two', 'Three']) await ada.createPublished({ title })
    const found = (await running).stdout.trim().split('\n')
    expect(new Set(found).size).toBe(found.length)
    expect(found).toEqual(expect.arrayContaining([...before]))
  }, 120_000)
})

describe('Search engines', () => {
  it('find the sitemap by robots.txt, and each record in it', async () => {
    const robots = await send('GET', `${daemon.origin}/robots.txt`, {})
    const [, index = ''] = /^Sitemap: (.*)$/m.exec(robots.bytes.toString()) ?? []
    const [map = ''] = all((await send('GET', index, {})).bytes.toString(), 'loc')
    const urls = all((await send('GET', map, {})).bytes.toString(), 'loc')
    expect(urls).toContain(tide.links['record_html'])
    expect(new Set(urls).size).toBe(urls.length)
    expect((await send('GET', map.replace('1.xml', '2.xml'), {})).status).toBe(404)
  })

  it('read the newest records in a feed, also those of a query', async () => {
    for (const [query, titles] of [
      ['', 50],
      ['?q=level', 50],
      [`?q=${encodeURIComponent('"Tide, corrected"')}`, 1],
      ['?q=nothinglikeit', 0],
    ] as const) {
      const url = `${daemon.origin}/records.atom${query}`
      const { status, headers, bytes } = await send('GET', url, {})
      expect([query, status]).toEqual([query, 200])
      expect(headers.get('content-type')).toContain('application/atom+xml')
      expect(headers.get('access-control-allow-origin')).toBe('*')
      const text = bytes.toString()
      expect(text.match(/<entry>/g) ?? []).toHaveLength(titles)
      expect(await faultsOfFeed(text)).toEqual([])
    }
    for (const path of ['/records.atom?q=level', '/sitemap.xml', '/sitemaps/1.xml']) {
      const url = daemon.origin + path
      const etag = (await send('GET', url, {})).headers.get('etag') ?? ''
      const again = await send('GET', url, { headers: { 'if-none-match': etag } })
      expect([path, again.status]).toEqual([path, 304])
    }
    const wrong = await send('GET', `${daemon.origin}/records.atom?q=(`, {})
    expect(wrong.status).toBe(400)
  })

  it('find the interfaces in the catalog', async () => {
    const url = `${daemon.origin}/.well-known/api-catalog`
    const { headers, bytes } = await send('GET', url, {})
    expect(headers.get('content-type')).toMatch(/^application\/linkset\+json; ?profile=/)
    const { linkset } = JSON.parse(bytes.toString()) as {
      readonly linkset: readonly Readonly<Record<string, readonly { readonly href: string }[]>>[]
    }
    const items = linkset.flatMap(({ item = [] }) => item.map(({ href }) => new URL(href).pathname))
    expect(items).toEqual(['/api', '/oai', '/records.atom', '/sitemap.xml'])
    for (const link of linkset.flatMap(({ anchor: _, ...links }) => Object.values(links).flat())) {
      const href = link.href.endsWith('/oai') ? `${link.href}?verb=Identify` : link.href
      expect([href, (await send('GET', href, {})).status]).toEqual([href, 200])
    }
  })

  it('find nothing where DEPOSIT_PUBLIC_SEARCH is false', async () => {
    await using closed = await testDaemon({ env: { DEPOSIT_PUBLIC_SEARCH: 'false' } })
    const made = await closed.as('ada').createPublished({ title: 'Tide' })
    for (const path of ['/oai?verb=Identify', '/records.atom', '/sitemap.xml', '/sitemaps/1.xml']) {
      expect([path, (await send('GET', closed.origin + path, {})).status]).toEqual([path, 404])
    }
    expect((await closed.visitor.get('/records/')).status).toBe(401)
    expect((await closed.as('ada').get('/records/')).status).toBe(200)
    expect((await send('GET', made.links['record'] ?? '', {})).status).toBe(200)
    const robots = (await send('GET', `${closed.origin}/robots.txt`, {})).bytes.toString()
    expect(robots).not.toContain('Sitemap')
  })
})

describe('A resumption token', () => {
  it('is still valid after a restart of the service', async () => {
    const query = 'verb=ListIdentifiers&metadataPrefix=oai_dc&set=Software'
    const token = tokenOf(await ask(query))
    const rest = headersOf(await ask(`verb=ListIdentifiers&resumptionToken=${token}`))
    expect(rest.length).toBeGreaterThan(0)
    await daemon[Symbol.asyncDispose]()
    daemon = await testDaemon({ home: home.path })
    expect(headersOf(await ask(`verb=ListIdentifiers&resumptionToken=${token}`))).toEqual(rest)
  })
})

describe.skipIf(!hasSchemas)('Every answer above', () => {
  it('follows oai-all.xsd, and so does its metadata', { timeout: 300_000 }, async () => {
    expect(answers.length).toBeGreaterThan(40)
    expect((await faultsOfAnswers(answers)).slice(0, 5)).toEqual([])
  })
})
