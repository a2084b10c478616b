import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { testDaemon } from '../support/test-daemon.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser('MAP evil.test 127.0.0.1 ,')
})

afterAll(async () => {
  await browser.close()
})

describe('a page that has rebound its name to this machine', () => {
  it('sees nothing of the service', async () => {
    await using daemon = await testDaemon()
    const page = await browser.newPage()
    const { port } = new URL(daemon.origin)

    for (const path of ['/', '/deposit', '/device', '/api/records', '/openapi.json']) {
      const answer = await page.goto(`http://evil.test:${port}${path}`)
      expect(answer?.status()).toBe(421)
    }

    expect(await page.content()).toContain('wrong_host')
  })
})

describe('a page of another server on this machine', () => {
  it('changes nothing and reads nothing, whatever it sends', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const draft = await ada.createDraftWith('a')
    const before = await ada.state(draft)
    await using other = await startPage()
    const page = await browser.newPage()
    await page.goto(other.url)

    const answers = await attack(page, daemon.origin, draft.id)

    expect(answers).toEqual(answers.map(() => 'nothing read'))
    expect(await ada.state(draft)).toEqual(before)
  })

  it('can lead a person to the service by a link', async () => {
    await using daemon = await testDaemon()
    await using other = await startPage()
    const page = await browser.newPage()
    await page.goto(`${other.url}?link=${encodeURIComponent(`${daemon.origin}/device`)}`)

    await page.getByRole('link').click()

    await page.waitForURL(`${daemon.origin}/device`)
    await page.getByRole('heading', { name: 'Connect a device' }).waitFor()
  })
})

/** Sends all that a page can send to another origin; returns the text it could read of each. */
async function attack(page: Page, origin: string, id: string): Promise<readonly string[]> {
  return page.evaluate(
    async ([target = '', deposit = '']) => {
      const form = new FormData()
      form.set('file', new Blob(['x']), 'x')
      const item = `${target}/api/deposits/${deposit}`
      const sent: readonly [string, RequestInit][] = [
        [item, {}],
        [item, { mode: 'no-cors', credentials: 'include' }],
        [`${target}/api/deposits`, { method: 'POST', mode: 'no-cors', body: '{}' }],
        [`${item}/files`, { method: 'POST', mode: 'no-cors', body: form }],
        [`${item}/actions/publish`, { method: 'POST', mode: 'no-cors' }],
        [item, { method: 'PUT', body: '{}', headers: { 'content-type': 'application/json' } }],
        [item, { method: 'DELETE' }],
        [`${target}/local/operator`, { method: 'POST', mode: 'no-cors', body: '{}' }],
        [`${target}/oauth/token`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) }],
        [`${target}/.well-known/openid-configuration`, {}],
      ]
      return Promise.all(
        sent.map(async ([url, init]) => {
          const text = await fetch(url, init).then(
            (response) => response.text(),
            () => '',
          )
          return text === '' ? 'nothing read' : text
        }),
      )
    },
    [origin, id],
  )
}

/** Another server: a page with the link that is given in its address. */
async function startPage(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const link = searchParams.get('link')
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(link === null ? '' : `<a href="${link}">go</a>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://localhost:${typeof address === 'object' ? address?.port : 0}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
