import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { exportFormats, filenameOf } from '../../core/index.ts'
import { bodyOf, send } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const creators = [{ name: 'Carberry, Josiah', given_name: 'Josiah', family_name: 'Carberry' }]

let daemon: TestDaemon
let published: DepositBody
let draft: DepositBody
let record: string

beforeAll(async () => {
  daemon = await testDaemon()
  const ada = daemon.as('ada')
  const first = await ada.createPublished({ title: 'Tides', creators })
  const edited = await ada.edit(first)
  const changed = [{ op: 'replace', path: '/title', value: 'Tides, corrected' }]
  bodyOf(await ada.patch(`/deposits/${edited.id}`, changed), 200)
  published = await ada.publish(edited)
  record = published.links['record'] ?? ''
  draft = await ada.createDraft({ title: 'Currents', creators })
})
afterAll(() => daemon[Symbol.asyncDispose]())

const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  send('GET', url, { headers })
const textOf = async (url: string) => (await get(url)).bytes.toString()

describe('An export of a record', () => {
  it.for(exportFormats)('has a media type and the name of a file: $name', async (format) => {
    const { status, headers } = await get(`${record}/export/${format.name}`)
    const [type = ''] = format.mediaTypes
    const value = record.split('/').at(-1) ?? ''

    expect(status).toBe(200)
    expect(headers.get('content-type')?.replace('; charset=utf-8', '')).toBe(type)
    expect(headers.get('content-disposition')).toBe(
      `inline; filename="${filenameOf(format, value)}"`,
    )
    expect(headers.get('link')).toContain('rel="describes"; type="text/html"')
    expect(headers.get('content-security-policy')).toContain('sandbox')
  })

  it('has a file name that no other format has', () => {
    const names = exportFormats.map((format) => filenameOf(format, 'abcde-12345'))

    expect(new Set(names).size).toBe(names.length)
    // Names that programs look for.
    for (const fixed of ['CITATION.cff', 'codemeta.json', 'datapackage.json', '.zenodo.json'])
      expect(names).toContain(fixed)
    expect(names).toContain('abcde-12345-ro-crate-metadata.json')
  })

  it.for(exportFormats)('is asked for again by its entity tag: $name', async ({ name }) => {
    const url = `${record}/export/${name}`
    // A compressed answer has a weak tag.
    const etag = (await get(url)).headers.get('etag')?.replace(/^W\//, '') ?? ''
    const again = await get(url, { 'if-none-match': etag })

    expect(etag).toMatch(/^"1-/)
    expect([again.status, again.bytes.length]).toEqual([304, 0])
    expect(again.headers.get('etag')).toBe(etag)
    expect((await get(url, { 'if-none-match': '"0-other"' })).status).toBe(200)
  })

  it('is that of an older revision with ?revision=', async () => {
    const url = `${record}/export/bibtex`

    expect(await textOf(url)).toContain('{{Tides, corrected}}')
    expect(await textOf(`${url}?revision=1`)).toContain('{{Tides, corrected}}')
    expect(await textOf(`${url}?revision=0`)).toContain('{{Tides}}')
    expectProblem(await get(`${url}?revision=2`), 'record_not_found', /./)
    for (const wrong of ['-1', 'x', '1.5', '']) {
      expect([wrong, (await get(`${url}?revision=${wrong}`)).status]).toEqual([wrong, 400])
    }
  })

  it('is in the style of ?style=, in the first one without', async () => {
    const url = `${record}/export/citation`
    const { styles = [] } = exportFormats.find(({ name }) => name === 'citation') ?? {}
    const texts = await Promise.all(styles.map((style) => textOf(`${url}?style=${style}`)))

    expect(new Set(texts).size).toBe(styles.length)
    expect(await textOf(url)).toBe(texts[0])
    const [type] = [(await get(`${url}?style=ieee`)).headers.get('content-type')]
    expect(type).toBe('text/x-bibliography; style=ieee; charset=utf-8')
    const refused = await get(`${url}?style=mla`)
    expectProblem(refused, 'malformed_request', new RegExp(styles.join(', ')))
  })

  it('of an unknown format is not found, and those there are get named', async () => {
    const names = exportFormats.map(({ name }) => name).join(', ')
    const refused = await get(`${record}/export/marc`)
    expectProblem(refused, 'not_found', new RegExp(`"marc".*${names}`))
  })

  it('of a draft is for those who may read it, and kept in no shared cache', async () => {
    const path = `/deposits/${draft.id}/export/bibtex`
    const reply = await daemon.as('ada').get(path)
    const etag = reply.headers.get('etag') ?? ''

    expect(reply.bytes.toString()).toContain('{{Currents}}')
    expect(reply.headers.get('cache-control')).toBe('private, no-cache')
    expect((await daemon.as('ada').get(path, { 'if-none-match': etag })).status).toBe(304)
    expect((await daemon.as('bob').get(path)).status).not.toBe(200)
    expect((await get(`${daemon.url}${path}`)).status).toBe(401)
  })
})

describe('A record, by Accept,', () => {
  const bibtex = 'application/x-bibtex'
  const ris = 'application/x-research-info-systems'

  it.for([
    [bibtex, bibtex],
    [`${ris};q=0.5, ${bibtex};q=0.9`, bibtex],
    [`${ris}, ${bibtex};q=0.9`, ris],
    [`${ris};q=0, ${bibtex};q=0.1`, bibtex],
    [`text/csv, ${ris};q=0.001`, ris],
    [`application/*;q=0.1, ${bibtex};q=0.2`, bibtex],
    [`*/*;q=0.1, ${ris};q=0.2`, ris],
    ['APPLICATION/X-BIBTEX', bibtex],
    ['application/json;q=0.2, text/turtle', 'text/turtle'],
    ['application/rdf+xml', 'application/rdf+xml'],
    ['application/rdf+xml, text/turtle;q=0.9', 'application/rdf+xml'],
    ['text/turtle, application/ld+json;q=0.9, */*;q=0.1', 'text/turtle'],
    ['text/x-bibliography; style=ieee', 'text/x-bibliography; style=ieee'],
    ['text/x-bibliography', 'text/x-bibliography; style=apa'],
    ['*/*', 'application/json'],
    ['', 'application/json'],
  ] as const)('%s is sent as %s', async ([accept, type]) => {
    const { status, headers } = await get(record, accept === '' ? {} : { accept })

    expect([status, headers.get('content-type')?.replace('; charset=utf-8', '')]).toEqual([
      200,
      type,
    ])
    expect(headers.get('vary')).toMatch(/\baccept\b/i)
  })

  it('that is not there is told as missing, whatever format is asked for', async () => {
    for (const accept of [bibtex, 'text/turtle']) {
      for (const url of [record, published.links['record_html'] ?? '']) {
        const missing = url.replace(/[^/]+$/, 'aaaaa-aaaaa')
        expectProblem(await get(missing, { accept }), 'record_not_found', /./)
      }
    }
  })

  it('is that of an older revision with ?revision=, at both addresses', async () => {
    const page = published.links['record_html'] ?? ''
    for (const url of [record, page]) {
      const titles = await Promise.all(
        ['', '?revision=1', '?revision=0'].map(async (asked) => {
          const text = (await get(url + asked, { accept: bibtex })).bytes.toString()
          return /\{\{(.*)\}\}/.exec(text)?.[1]
        }),
      )
      expect([url, titles]).toEqual([url, ['Tides, corrected', 'Tides, corrected', 'Tides']])
      for (const wrong of ['2', '-1', 'x'])
        expect([400, 404]).toContain((await get(`${url}?revision=${wrong}`)).status)
    }
    expect((await get(`${record}?revision=0`)).body).toMatchObject({ metadata: { title: 'Tides' } })
    const html = (await get(`${page}?revision=0`, { accept: 'text/html' })).bytes.toString()
    expect(html).toContain('<h1 dir="auto">Tides</h1>')
    expect(html).toContain('This is an earlier state of the record.')
  })

  it('of a name that there is not tells the one that was meant, a package too', async () => {
    const wrong = bodyOf<{ readonly message: string }>(await get(`${record}/export/bag-it-2`), 404)
    expect(wrong.message).toMatch(/no format "bag-it-2"; did you mean "bagit"\? Formats are json, /)
    const other = bodyOf<{ readonly message: string }>(await get(`${record}/export/xyz`), 404)
    expect(other.message).toMatch(
      /no format "xyz"\. .* Packages with all files are zip, ro-crate, /,
    )
  })

  it('has an entity tag of its own in each format', async () => {
    const tags = await Promise.all(
      ['application/json', bibtex, ris, 'text/turtle'].map(async (accept) =>
        (await get(record, { accept })).headers.get('etag'),
      ),
    )

    expect(new Set(tags).size).toBe(tags.length)
  })

  it.for(['text/csv', 'image/png, text/csv;q=0.5', `${bibtex};q=0`, '*/*;q=0'])(
    '%s is refused with 406 and the list of formats',
    async (accept) => {
      const page = published.links['record_html'] ?? ''
      for (const url of [record, page]) {
        const reply = await get(url, { accept })
        const named = exportFormats.filter(({ byNameOnly }) => byNameOnly !== true)

        expect([url, reply.status]).toEqual([url, 406])
        const types = ['application/rdf+xml', ...named.flatMap(({ mediaTypes }) => mediaTypes)]
        for (const type of types) {
          expect(reply.bytes.toString().replaceAll('\\"', '"')).toContain(type)
        }
      }
    },
  )
})
