import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await testDaemon({ env: { DEPOSIT_PUBLISHER: 'Institute of the Sea' } })
  const ada = daemon.as('ada')
  const brandt = { name: 'Brandt, Mareike' }
  await ada.createPublished({
    title: 'Tide gauge <b>Cuxhaven</b>',
    creators: [brandt, { name: 'Okafor, Chidi' }, { name: 'C' }, { name: 'D' }, { name: 'E' }],
    description: 'Water level. '.repeat(100),
    publication_date: '2024-05-01',
    resource_type: 'dataset',
    license: 'CC-BY-4.0',
    keywords: ['tide', 'North "Sea"\\'],
  })
  await ada.createPublished({
    title: 'Tide model',
    creators: [brandt],
    publication_date: '2025',
    resource_type: 'software',
    keywords: ['tide model'],
  })
  await ada.createPublished({ title: 'T'.repeat(990_000), creators: [{ name: 'N'.repeat(5000) }] })
  await ada.createDraft({ title: 'Tide of my own' })
  await ada.createPublished({
    title: 'Salinity <of> the coast',
    publication_date: '2023',
    resource_type: 'poster',
    keywords: Array.from({ length: 30 }, (_, number) => `level ${number}`),
  })
  const titles = Array.from({ length: 25 }, (_, number) => `Bird count ${number}`)
  await Promise.all(titles.map((title) => ada.createPublished({ title, resource_type: 'other' })))
}, 300_000)
afterAll(() => daemon[Symbol.asyncDispose]())

async function open(path: string) {
  const { status, headers, bytes } = await send('GET', daemon.origin + path, { headers: browser })
  const html = bytes.toString()
  const titles = [...html.matchAll(/<h3(?: dir="auto")?><a href="([^"]+)">([^<]*)<\/a><\/h3>/g)]
  return {
    status,
    headers,
    html,
    titles: titles.map(([, , title = '']) => title),
    records: titles.map(([, url = '']) => url),
    /** Address of a link by its text. */
    link: (text: string): string =>
      (new RegExp(`<a [^>]*href="([^"]+)"[^>]*>${text}<`).exec(html)?.[1] ?? '').replaceAll(
        /&#(\d+);/g,
        (_, code: string) => String.fromCharCode(Number(code)),
      ),
  }
}

describe('The search page', () => {
  it('shows records as cards, without any script', async () => {
    const { status, html, titles } = await open('/records?q=cuxhaven')

    expect(status).toBe(200)
    expect(titles).toEqual(['Tide gauge &#60;b&#62;Cuxhaven&#60;/b&#62;'])
    expect(html).toContain('<title>“cuxhaven” · Records · Deposit</title>')
    expect(html).toContain('Brandt, Mareike; Okafor, Chidi; C; 2 more')
    const facts = ['2024</span>', '"chip">Data set</span>', '>CC-BY-4.0</span>', 'Water level.']
    for (const fact of [...facts, '1 record<']) expect(html).toContain(fact)
    expect(html).not.toContain('<script')
    expect(html).toContain('value="cuxhaven"')
  })

  it('finds records alone, no drafts', async () => {
    const { titles } = await open('/records?q=tide')

    expect(titles.toSorted()).toEqual(['Tide gauge &#60;b&#62;Cuxhaven&#60;/b&#62;', 'Tide model'])
  })

  it('narrows a search by each facet, and widens it again', async () => {
    const all = await open('/records?q=tide')
    for (const value of ['Data set', '2024', 'Okafor, Chidi', 'CC-BY-4.0', 'tide']) {
      const narrowed = await open(all.link(value))
      expect([value, narrowed.titles.length]).toEqual([value, 1])
      expect(narrowed.html).toContain('1 record<')
      const wider = /class="chip chosen-value" href="([^"]+)"/.exec(narrowed.html)?.[1] ?? ''
      expect(wider).toBe('/records?q=tide')
    }
    const both = await open(all.link('Brandt, Mareike'))
    expect(both.titles).toHaveLength(2)
    expect((await open(both.link('2025'))).titles).toEqual(['Tide model'])
    const odd = 'North &#34;Sea&#34;\\\\'
    expect((await open(all.link(odd))).titles).toHaveLength(1)
  })

  it('widens a search by another value of the same facet, and narrows it by another facet', async () => {
    const data = await open('/records?type=dataset')
    const either = await open(data.link('Software'))
    expect(either.titles.toSorted()).toEqual([
      'Tide gauge &#60;b&#62;Cuxhaven&#60;/b&#62;',
      'Tide model',
    ])
    expect(either.html).toContain('2 records')
    const feed = await open(either.link('Atom feed of this search'))
    expect([...feed.html.matchAll(/<entry>/g)]).toHaveLength(2)
    const both = await open(either.link('2025'))
    expect(both.titles).toEqual(['Tide model'])
    // Values are counted as if their own facet were free: the number says what a click adds.
    expect(both.html).toContain('Data set</a> <small>0</small>')
    expect(both.html).toContain('>2024</a> <small>1</small>')
    expect(both.html).toMatch(/aria-current="true">.*Software<\/a> <small>1<\/small>/)
    const removed =
      /<a href="([^"]+)" rel="nofollow" aria-current="true">[^/]*\/span>[^/]*\/span>Software</
    expect(removed.exec(both.html)?.[1]?.replaceAll('&#38;', '&')).toBe(
      '/records?type=dataset&year=2025',
    )
  })

  it('shows more values of a facet at its own address', async () => {
    const few = await open('/records?type=poster')
    const valuesOf = (html: string) => [...html.matchAll(/>level \d+<\/a>/g)].length
    expect(valuesOf(few.html)).toBe(10)
    const link = few.link('Show 20 more')
    expect(link).toBe('/records?type=poster&more=keyword#facet-keyword')
    const more = await open(link)
    expect(valuesOf(more.html)).toBe(30)
    expect(more.link('Show fewer')).toBe('/records?type=poster#facet-keyword')
    expect(more.link('level 29')).toBe('/records?type=poster&keyword=level+29')
  })

  it.for([
    ['titel:salinity', '“titel”', '/records?q=title%3Asalinity'],
    [
      '(titel:salinity OR tide) AND titel:x',
      '“titel”',
      '/records?q=%28title%3Asalinity+OR+tide%29+AND+title%3Ax',
    ],
    ['creator.name:x', '“creator”', '/records?q=creators.name%3Ax'],
    ['zzz:salinity', '“zzz”', undefined],
    ['title:salinity status:published', undefined, undefined],
  ] as const)('tells of a field in %s that records do not have', async ([q, said, href]) => {
    const { html } = await open(`/records?q=${encodeURIComponent(q)}`)

    expect(html.includes('Records have no field called')).toBe(said !== undefined)
    if (said !== undefined) expect(html).toContain(said)
    if (href !== undefined) expect(html).toContain(`Did you mean <a href="${href}"`)
  })

  it('counts records without a date in the year they were published', async () => {
    const year = String(new Date().getFullYear())
    const { html } = await open(`/records?year=${year}`)

    expect(html).toContain('26 records')
  })

  it('pages and sorts by links', async () => {
    const first = await open('/records?type=other')
    const second = await open(first.link('Next'))
    expect([first.titles.length, second.titles.length]).toEqual([20, 5])
    expect(new Set([...first.records, ...second.records]).size).toBe(25)
    expect(second.link('Previous')).toBe('/records?type=other')
    expect(first.html).toContain(
      `<link rel="next" href="${daemon.origin}/records?type=other&#38;page=2" />`,
    )
    expect(first.headers.get('link')).toContain('rel="next"')
    expect(first.html).toContain(`<link rel="canonical" href="${daemon.origin}/records?type=other"`)
    const oldest = await open(first.link('Oldest'))
    expect(oldest.records[0]).toBe(second.records.at(-1))
    expect(oldest.link('Next')).toBe('/records?type=other&sort=-mostrecent&page=2')

    const beyond = await open('/records?type=other&page=9')
    expect(beyond.link('Go to the last page')).toBe('/records?type=other&page=2')
    for (const page of [3, 501, 999_999]) {
      const far = await open(`/records?type=other&page=${page}`)
      expect([far.status, far.titles]).toEqual([200, []])
      expect(far.html).toContain('This search has only 2 pages of results.')
      expect(far.link('Go to the first page')).toBe('/records?type=other')
    }
    const newest = await open('/records')
    expect(newest.titles[0]).toMatch(/^Bird/)
  })

  it('links to the Atom feed of the same search', async () => {
    const { link } = await open('/records?q=tide&type=software')
    const feed = await open(link('Atom feed of this search'))

    expect(feed.headers.get('content-type')).toContain('application/atom+xml')
    expect([...feed.html.matchAll(/<entry>/g)]).toHaveLength(1)
    expect(feed.html).toContain('Tide model')
  })

  it('says what to do where nothing is found', async () => {
    const { status, html, link } = await open('/records?q=submarine')

    expect(status).toBe(200)
    expect(html).toContain('No records found')
    expect(link('Show all records')).toBe('/records')
  })

  it.for([
    ['/records?q=title%3A(', 'title:(', 'The query ends where a term is expected'],
    ['/records?q=tide&year=next', 'tide', 'A year of four digits is expected'],
    ['/records?q=tide&page=0', 'tide', 'A whole number of at least 1'],
    ['/records?q=tide&sort=size', 'tide', 'Unknown sort option'],
    ['/records?q=a&q=b', '', 'more than once'],
    [`/records?q=${'a'.repeat(1500)}`, 'aaa', 'at most 1000 characters'],
  ] as const)('explains what is wrong with %s, and keeps the words', async ([path, q, said]) => {
    const { status, html, headers } = await open(path)

    expect(status).toBe(400)
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(html).toContain(said)
    expect(html).toContain(`value="${q}`)
  })

  it('stays small whatever the records hold', async () => {
    const { html } = await open(`/records?year=${new Date().getFullYear()}&sort=mostrecent&page=2`)

    expect(html).toContain('TTT…')
    expect(Buffer.byteLength(html)).toBeLessThan(60_000)
  })

  it('is asked for again each time by its tag, so a new record is there at once', async () => {
    expect((await open('/records.atom')).headers.get('cache-control')).toBe('public, no-cache')
    for (const path of ['/', '/records?q=tide']) {
      const { headers } = await open(path)
      expect(headers.get('cache-control')).toBe('public, no-cache')
      expect(headers.get('vary')).toContain('accept')
      expect(headers.get('content-security-policy')).toContain("form-action 'self'")
      const known = { ...browser, 'if-none-match': headers.get('etag') ?? '' }
      expect((await send('GET', daemon.origin + path, { headers: known })).status).toBe(304)
    }
  })
})

describe('The home page', () => {
  it('shows what the service is, a search and the newest records', async () => {
    const { status, html, titles, link } = await open('/')

    expect(status).toBe(200)
    expect(html).toContain('<h1>Institute of the Sea</h1>')
    expect(html).toContain('action="/records"')
    expect(html).toContain('29 public records')
    expect(titles).toHaveLength(6)
    expect(link('All records')).toBe('/records')
    expect(html).not.toContain('<script')
  })

  it('leads to the deposits of its readers', async () => {
    expect((await open('/')).link('Go to your deposits')).toBe('/deposit')
  })

  it('is closed, with the search, where DEPOSIT_PUBLIC_SEARCH is false', async () => {
    await using closed = await testDaemon({ env: { DEPOSIT_PUBLIC_SEARCH: 'false' } })
    const get = (path: string) => send('GET', closed.origin + path, { headers: browser })

    const home = await get('/')
    expect([home.status, home.headers.get('location')]).toEqual([302, '/deposit'])
    expect((await get('/records')).status).toBe(404)
    expect((await get('/deposit')).bytes.toString()).not.toContain('/records"')
  })
})

describe('A search of large records', () => {
  it('counts only what it looked into, and pages through the rest', async () => {
    const ada = daemon.as('ada')
    const large = { resource_type: 'image', description: 'x'.repeat(990_000) }
    for (let number = 0; number < 10; number += 1)
      await ada.createPublished({ ...large, title: `Image ${number}` })
    const { titles, html, link } = await open('/records?type=image')

    expect(titles).toHaveLength(10)
    expect(html).toContain('10 records')
    expect(html).toContain('Counted in the first 8 results.')
    expect((await open(link(String(new Date().getFullYear())))).titles).toHaveLength(10)
  })
})

describe('A record in a list', () => {
  it('shows the words of a description in Markdown, and not its marks', async () => {
    await using alone = await testDaemon()
    const description = '* one\n* two\n\n**Bold** and [a link](https://example.org/x)'
    await alone.as('ada').createPublished({ title: 'Marked', description })
    const reply = await alone.visitor.get(`${alone.origin}/records`, { accept: 'text/html' })
    const html = reply.bytes.toString()
    expect(html).toContain('one, two Bold and a link')
    expect(html).not.toContain('**')
  })
})
