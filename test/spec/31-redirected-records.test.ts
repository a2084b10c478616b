import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { faultsOfAnswers, hasSchemas } from '../support/harvest-schemas.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const document = { title: 'Tide', resource_type: 'poster' }

let daemon: TestDaemon
/** Values of the record that was redirected, and of the one it leads to. */
let old = ''
let target = ''
/** Before the redirect, and after both were published; in whole seconds, as OAI-PMH has it. */
let since = ''

beforeAll(async () => {
  daemon = await testDaemon()
  const ada = daemon.as('ada')
  const valueOf = ({ metadata }: DepositBody): string => metadata._deposit?.value ?? ''
  old = valueOf(await ada.createPublished(document))
  target = valueOf(await ada.createPublished(document))
  const published = now()
  await vi.waitUntil(() => now() !== published, { timeout: 10_000 })
  since = now()
  await daemon.operate('pid redirect', { type: 'recid', value: old, target })
})
afterAll(() => daemon[Symbol.asyncDispose]())

const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`

describe('A record that was redirected', () => {
  it('is deleted for harvesters, also for those who come back later', async () => {
    const ask = async (query: string): Promise<string> => {
      const { bytes } = await daemon.visitor.get(`${daemon.origin}/oai?${query}`)
      return bytes.toString()
    }
    const name = `oai:127.0.0.1:${old}`
    const gone = `<header status="deleted">\n<identifier>${name}</identifier>`
    const later = await ask(`verb=ListRecords&metadataPrefix=oai_dc&set=Poster&from=${since}`)
    const one = await ask(`verb=GetRecord&metadataPrefix=oai_dc&identifier=${name}`)
    const names = await ask('verb=ListIdentifiers&metadataPrefix=oai_dc')
    const formats = await ask(`verb=ListMetadataFormats&identifier=${name}`)

    expect(later).toContain(gone)
    expect(later).toContain('<setSpec>Poster</setSpec>')
    expect(later).not.toContain('<metadata>')
    expect(one).toContain(gone)
    expect(names).toContain(gone)
    expect(names).toContain(`<header>\n<identifier>oai:127.0.0.1:${target}</identifier>`)
    expect(formats).toContain('oai_dc')
    if (hasSchemas) expect(await faultsOfAnswers([later, one, names, formats])).toEqual([])
  })

  it('is in no sitemap and no feed', async () => {
    for (const path of ['/sitemaps/1.xml', '/records.atom', '/records']) {
      const { bytes } = await daemon.visitor.get(daemon.origin + path)
      expect(bytes.toString()).toContain(target)
      expect(bytes.toString()).not.toContain(old)
    }
  })

  it.for([undefined, '*/*', 'text/html', 'application/x-bibtex'])(
    'leads with Accept: %s to the same representation of the other record',
    async (accept) => {
      const headers = accept === undefined ? {} : { accept }
      const page = `${daemon.origin}/records/`
      const api = `${daemon.url}/records/`
      const ofFormat = ['/export', '/export/datacite-xml', '/packages', '/packages/zip']
      const addresses = [
        ...['', '/export/bibtex', '/export/citation?style=ieee'].map((rest) => [page, rest]),
        ...(accept === 'text/html' ? [] : [[api, '']]),
        ...ofFormat.map((rest) => [api, rest]),
      ] as const
      for (const [base = '', rest = ''] of addresses) {
        const reply = await daemon.visitor.get(`${base}${old}${rest}`, headers)
        expect([rest, reply.status]).toEqual([rest, 301])
        expect(reply.headers.get('location')).toBe(`${base}${target}${rest}`)
      }
      const citation = `${page}${old}/export/citation?revision=0&style=ieee`
      const reply = await daemon.visitor.get(citation, headers)
      // Revision 0 of the other record is another document.
      expect(reply.headers.get('location')).toBe(`${page}${target}/export/citation?style=ieee`)
    },
  )
})
