import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf, send } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

let daemon: TestDaemon
/** Address of the record's page, and of its JSON. */
let page: string
let record: string
let file: string

beforeAll(async () => {
  daemon = await testDaemon()
  const ada = daemon.as('ada')
  const { links } = await ada.publish(await ada.createDraftWith('a.txt'))
  record = links['record'] ?? ''
  page = links['record_html'] ?? ''
  const published = bodyOf<DepositBody>(await daemon.visitor.get(record), 200)
  const { body } = await daemon.visitor.get(published.links['files'] ?? '')
  ;[
    {
      links: { download: file },
    },
  ] = body as [{ links: { download: string } }]
})
afterAll(() => daemon[Symbol.asyncDispose]())

const hour = 'public, max-age=3600'
const each = 'public, no-cache'

/** What is public and needs no credentials: its path, how it is asked for, how long it is kept. */
const documents = [
  ['/', 'text/html', each],
  ['/records?q=sea', 'text/html', each],
  ['/records.atom', '*/*', each],
  ['/robots.txt', '*/*', hour],
  ['/sitemap.xml', '*/*', hour],
  ['/sitemaps/1.xml', '*/*', hour],
  ['/.well-known/api-catalog', '*/*', hour],
  ['page', 'text/html', hour],
  ['page', 'application/json', hour],
  ['page', 'application/rdf+xml', hour],
  ['page/export/bibtex', '*/*', hour],
  ['record', 'application/json', hour],
  ['record', 'application/x-bibtex', hour],
  ['record/export', '*/*', hour],
  ['record/export/linkset', '*/*', hour],
  ['record/packages', '*/*', hour],
  ['record/packages/zip', '*/*', hour],
  ['record/packages/bagit', '*/*', hour],
  ['record/revisions/0', '*/*', hour],
  ['file', '*/*', hour],
] as const

function toUrl(path: string): string {
  const [name = '', ...rest] = path.split(/(?=\/)/)
  const known: Readonly<Record<string, string>> = { page, record, file }
  return Object.hasOwn(known, name) ? known[name] + rest.join('') : daemon.origin + path
}

/** Headers that each answer has anew. */
const own = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id'])

const headersOf = (headers: Headers) => [...headers].filter(([name]) => !own.has(name))

describe('Every public document', () => {
  it.for(documents)(
    '%s as %s is shared, and asked for again by its tag',
    async ([path, accept, kept]) => {
      const url = toUrl(path)
      const reply = await send('GET', url, { headers: { accept } })
      const etag = reply.headers.get('etag')

      expect(reply.status).toBe(200)
      expect(etag).not.toBeNull()
      expect(reply.headers.get('cache-control')).toBe(kept)
      expect(reply.headers.get('access-control-allow-origin')).toBe('*')
      expect(reply.headers.get('vary')).toContain('authorization')
      if (['page', 'record'].includes(path)) expect(reply.headers.get('vary')).toMatch(/\baccept\b/)
      const known = { accept, 'if-none-match': etag ?? '' }
      const again = await send('GET', url, { headers: known })
      expect([again.status, again.bytes.length]).toEqual([304, 0])
      expect(again.headers.get('cache-control')).toBe(kept)
    },
  )

  it.for(documents)('%s as %s has the same headers by HEAD', async ([path, accept]) => {
    for (const coding of ['identity', 'gzip']) {
      const headers = { accept, 'accept-encoding': coding }
      const [get, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => send(method, toUrl(path), { headers })),
      )
      expect(head?.status).toBe(200)
      expect(headersOf(head?.headers ?? new Headers())).toEqual(
        headersOf(get?.headers ?? new Headers()),
      )
    }
  })
})
