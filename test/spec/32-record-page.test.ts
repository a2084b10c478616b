import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { JsonObject } from '../../core/index.ts'
import { bodyOf } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await testDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

/** The page of a record with this document. */
async function pageOf(document: JsonObject): Promise<string> {
  const { metadata } = await daemon.as('ada').createPublished({ title: 'Tide', ...document })
  const address = `${daemon.origin}/records/${metadata._deposit?.value}`
  return (await daemon.visitor.get(address, { accept: 'text/html' })).bytes.toString()
}

/** The lines of a field, links as `text <address>`. */
async function linesOf(label: string, document: JsonObject): Promise<readonly string[]> {
  const html = await pageOf(document)
  const [, lines = ''] =
    new RegExp(`<dt>${label}</dt>((?:\\s*<dd>.*?</dd>)+)`, 's').exec(html) ?? []
  return [...lines.matchAll(/<dd>(.*?)<\/dd>/gs)].map(([, line = '']) =>
    line
      .replaceAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g, '$2 <$1>')
      .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
  )
}

describe('The page of a record', () => {
  it.for([
    [
      'Access to the files',
      { access: { files: 'restricted', until: '2999-05-01', reason: 'A paper is in review.' } },
      ['Files open on 1 May 2999. · A paper is in review.'],
    ],
    ['Access to the files', { access: { files: 'restricted' } }, ['The files are restricted.']],
    ['Access to the files', { access: { files: 'public' } }, ['Everybody can download the files.']],
    [
      'Contributors',
      {
        contributors: [
          { name: 'Okafor, Chidi', role: 'DataCollector', orcid: '0000-0002-1825-0097' },
          {
            name: 'Brandt, Mareike',
            affiliation: [{ name: 'Institute of the Sea', ror: '04wxnsj81' }, 'Harbour Office'],
          },
        ],
      },
      [
        'Okafor, Chidi · ORCID <https://orcid.org/0000-0002-1825-0097> · Data collector',
        'Brandt, Mareike · Institute of the Sea <https://ror.org/04wxnsj81> · Harbour Office',
      ],
    ],
    [
      'Locations',
      {
        locations: [
          { place: 'Cuxhaven', point: { latitude: 53.87, longitude: -8.7 } },
          { box: { west: 0, east: 9.5, south: -1, north: 54 } },
        ],
      },
      ['Cuxhaven · 53.87° N, 8.7° W', '1° S to 54° N, 0° to 9.5° E'],
    ],
    [
      'Funding',
      {
        funding: [
          {
            award_title: 'Tides',
            award_uri: 'https://example.org/g/7',
            award: '7',
            funder_id: 'https://ror.org/018mejw64',
            funder: 'DFG',
          },
          { funder: 'Town of Cuxhaven' },
          { funder: 'Society', award_title: 'Waves', funder_id: 'no address' },
        ],
      },
      [
        'DFG <https://ror.org/018mejw64> · grant 7 <https://example.org/g/7> · Tides',
        'Town of Cuxhaven',
        'Society · no address · Waves',
      ],
    ],
    [
      'Related works',
      {
        related_identifiers: [
          { identifier: '10.1234/a<b', relation: 'issupplementto', resource_type: 'dataset' },
          { identifier: 'arXiv:2101.00001', relation: 'Cites' },
          { identifier: '2101.00001', relation: 'Cites', scheme: 'arXiv' },
          { identifier: 'https://example.org/x', relation: 'IsPartOf' },
          { identifier: 'javascript:alert(1)', relation: 'Cites', scheme: 'URL' },
          { identifier: 'urn:nbn:de:1', relation: 'References' },
        ],
      },
      [
        'Is supplement to · 10.1234/a<b <https://doi.org/10.1234/a%3Cb> · Data set',
        'Cites · arXiv:2101.00001 <https://arxiv.org/abs/2101.00001>',
        'Cites · 2101.00001 <https://arxiv.org/abs/2101.00001>',
        'Is part of · https://example.org/x <https://example.org/x>',
        'Cites · javascript:alert(1)',
        'References · urn:nbn:de:1',
      ],
    ],
    [
      'Dates',
      { dates: [{ date: '2024-03-01/2025-02', type: 'collected', description: 'by boat' }] },
      ['Collected · 1 March 2024 to February 2025 · by boat'],
    ],
    [
      'Subjects',
      { subjects: ['Tides', { subject: 'Sea', scheme: 'GND', identifier: 'https://d-nb.info/1' }] },
      ['Tides', 'Sea <https://d-nb.info/1> · GND'],
    ],
    [
      'Publisher',
      { publisher: { name: 'Institute of the Sea', ror: 'https://ror.org/04wxnsj81' } },
      ['Institute of the Sea <https://ror.org/04wxnsj81>'],
    ],
  ] as const)('tells %s in words, with links', async ([label, document, lines]) => {
    expect(await linesOf(label, document)).toEqual(lines)
  })

  it('shows fields that it does not know whole', async () => {
    expect(await linesOf('ours', { ours: { a: 1, b: { c: ['x', true], d: null } } })).toEqual([
      'a: 1 · b: c: x; true, d: ',
    ])
    const located = { locations: [{ place: 'Cuxhaven', depth: 12, unit: 'm' }] }
    expect(await linesOf('Locations', located)).toEqual(['Cuxhaven · depth: 12 · unit: m'])
  })

  it('names the license, and leads to it', async () => {
    const html = await pageOf({ license: 'CC-BY-4.0' })
    const url = 'https://spdx.org/licenses/CC-BY-4.0.html'
    expect(html).toContain(
      `<a href="${url}" rel="license">Creative Commons Attribution 4.0 International</a> (CC-BY-4.0)`,
    )
    expect(await pageOf({ license: 'As agreed' })).toContain('<dd>As agreed</dd>')
  })

  it('leads from an affiliation of a creator to its entry in the registry', async () => {
    const affiliation = [{ name: 'Institute', ror: '04wxnsj81' }, 'Office']
    const html = await pageOf({ creators: [{ name: 'Ada', affiliation }] })
    expect(html).toContain('<a href="https://ror.org/04wxnsj81" rel="external">Institute</a>')
    expect(html).toContain('</span>; <span class="affiliation">Office</span>')
  })

  it('folds a long list of creators, and names each of them', async () => {
    const creators = Array.from({ length: 60 }, (_, at) => ({ name: `Family${at}, Given` }))
    const html = await pageOf({ creators })
    const [shown = '', folded = ''] = html.split('<summary>and 40 more</summary>')
    expect(shown).toContain('<li>Family19, Given</li>')
    expect(shown).not.toContain('<li>Family20, Given</li>')
    expect(folded).toContain('<li>Family20, Given</li>')
    expect(folded).toContain('<li>Family59, Given</li>')
    expect(await pageOf({ creators: creators.slice(0, 25) })).not.toContain('more</summary>')
  })

  it('says what kind of thing it is, and what is missing, in words', async () => {
    expect(await pageOf({ resource_type: 'computationalnotebook' })).toContain(
      '<span class="chip">Computational notebook</span>',
    )
    const empty = await pageOf({})
    expect(empty).toContain('This record has no files.')
    expect(empty).not.toContain('0 files')
  })

  it('has the metadata for machines in it, and sends them by Accept', async () => {
    const { links } = await daemon.as('ada').createPublished({ title: 'Tide' })
    const page = links['record_html'] ?? ''
    const get = (url: string, accept: string) => daemon.visitor.get(url, { accept })
    const { bytes, headers } = await get(page, 'text/html')
    const inPage = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(bytes.toString())
    // F-UJI: FsF-F4-01M, FsF-I1-01M, FsF-A1-02MD, FsF-A1.1-01MD, FsF-A1.2-01MD.
    expect(JSON.parse(inPage?.[1] ?? '')).toMatchObject({ name: 'Tide' })
    const asked = 'text/turtle, application/turtle, application/rdf+xml;q=0.9, */*;q=0.1'
    expect((await get(page, asked)).headers.get('content-type')).toContain('text/turtle')
    expect((await get(page, 'application/ld+json')).body).toMatchObject({ name: 'Tide' })
    const described = [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="describedby"/g)]
    expect(described.length).toBeGreaterThan(0)
    for (const [, url = ''] of described) expect((await get(url, '*/*')).status).toBe(200)
  })

  it('leads to each earlier state, and to what stands for all versions', async () => {
    const ada = daemon.as('ada')
    const first = await ada.createPublished({ title: 'Tide' })
    const open = await ada.edit(first)
    await ada.put(`/deposits/${open.id}`, { ...open.metadata, title: 'Tides' })
    await ada.publish(open)
    const page = first.links['record_html'] ?? ''
    const read = async (url: string): Promise<string> =>
      String((await daemon.visitor.get(url, { accept: 'text/html' })).bytes)

    const alone = await read(page)
    const [, earlier = ''] = /<a href="([^"]+\?revision=0)" rel="nofollow"><time/.exec(alone) ?? []
    const next = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
    const second = await ada.publish(next)

    expect(alone).not.toContain('revision=1"')
    expect(await read(earlier)).toContain('<h1 dir="auto">Tide</h1>')
    const { concept } = second.pids ?? {}
    const newest = await read(second.links['record_html'] ?? '')
    expect(newest).toMatch(
      new RegExp(`To cite all versions: <a href="[^"]*/records/${concept?.value}">`),
    )
    expect(alone).not.toContain('To cite all versions')
  })

  it('says on the page of a problem what is wrong', async () => {
    const missing = await daemon.visitor.get(`${daemon.origin}/records/none`, {
      accept: 'text/html',
    })
    expect([missing.status, missing.bytes.toString()]).toEqual([
      404,
      expect.stringContaining('There is nothing here'),
    ])
    expect(missing.bytes.toString()).not.toContain('PID')
    const { links } = await daemon.as('ada').createPublished({ title: 'Tide' })
    const wrong = await daemon.visitor.get(`${links['record_html']}?revision=x`, {
      accept: 'text/html',
    })
    expect([wrong.status, wrong.bytes.toString()]).toEqual([
      400,
      expect.stringContaining('This page cannot be shown'),
    ])
  })

  it.for([
    ['2026-11-20', '20 November 2026'],
    ['2026-11', 'November 2026'],
    ['2026', '2026'],
  ] as const)('writes the date %s as %s', async ([date, written]) => {
    const html = await pageOf({ publication_date: date })
    expect(html).toContain(`<time datetime="${date}">${written}</time>`)
  })
})
