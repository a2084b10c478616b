import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Browser } from 'playwright-core'
import type { FileBody } from '../../core/contract/schemas.ts'
import { hasBrowser } from '../pages/visit.ts'
import { launchBrowser } from '../support/browser.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

const script = '<script>document.title = "it ran"</script>'
const page = `<html><head>${script}</head></html>`
const svg = `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`
const bytes = 'application/octet-stream'

/** Files that a stranger may upload to run code where others are signed in, and their only type. */
const hostile = [
  ['x.html', page, bytes],
  ['x.HTM', page, bytes],
  ['x.xhtml', page, bytes],
  ['x.svg', svg, bytes],
  ['x.xml', svg, bytes],
  ['x.js', 'document.title = "it ran"', bytes],
  ['x.mjs', 'document.title = "it ran"', bytes],
  ['x.swf', 'FWS', bytes],
  ['without-extension', page, bytes],
  ['x.txt', page, 'text/plain; charset=utf-8'],
  ['x.csv', page, 'text/csv; charset=utf-8'],
  ['x.png', svg, 'image/png'],
  ['x.pdf', `%PDF-1.4\n${page}`, 'application/pdf'],
  ['x.zip', 'PK\u0003\u0004', bytes],
  ['x.tar.gz', '\u001f\u008b', bytes],
] as const

const safe = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store',
}

describe('a file of a stranger', () => {
  it.for(hostile)(
    'called %s is sent as a download, never shown or run',
    async ([name, content, type]) => {
      const stored = await daemon.storedBytes()
      const draft = await ada.createDraft()
      const file = await ada.addFile(draft, name, content)
      const { self, download } = file.links

      // Nothing is extracted from it, and no preview is made.
      expect(await daemon.storedBytes()).toHaveLength(stored.length + 1)
      for (const reply of [
        await ada.get(download),
        await ada.send('HEAD', download),
        await ada.get(download, { range: 'bytes=0-1' }),
        await ada.get(download, { accept: 'text/html' }),
        await ada.get(`${download}?versionId=${file.version_id}`),
        await ada.get(`${self}?download`),
        await ada.get(self, { accept: bytes }),
      ]) {
        expect(reply.status).toBeOneOf([200, 206])
        const { 'content-type': sentAs, 'content-disposition': disposition } = headersOf(reply)
        expect(sentAs).toBe(type)
        expect(disposition).toMatch(/^attachment; /)
        expect(headersOf(reply)).toMatchObject(safe)
      }
      await ada.delete(`/deposits/${draft.id}`)
    },
  )
})

describe.skipIf(!hasBrowser)('a browser that follows a link to the file of a record', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  it.for(hostile)('saves %s and runs nothing', async ([name, content]) => {
    const draft = await ada.createDraft()
    await ada.addFile(draft, name, content)
    const { links } = await ada.publish(draft)
    const [file] = (await daemon.visitor.get(links['bucket'] ?? '')).body as readonly FileBody[]
    const tab = await browser.newPage()
    const saving = tab.waitForEvent('download')

    await tab.goto(file?.links.download ?? '').catch(() => {})

    expect((await saving).suggestedFilename()).toBe(name)
    expect(await tab.title()).not.toBe('it ran')
    await tab.close()
  })
})

const headersOf = ({ headers }: { readonly headers: Headers }): Record<string, string> =>
  Object.fromEntries(headers)
