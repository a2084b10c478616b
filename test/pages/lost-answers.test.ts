import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedBrowser } from '../support/browser.ts'
import { lastingDaemon, type LastingDaemon } from '../support/lasting-daemon.ts'
import { hasBrowser, patience } from './visit.ts'

interface Told {
  readonly id: string
  readonly metadata: { readonly title: string; readonly _deposit: { readonly status: string } }
}

describe.skipIf(!hasBrowser)('an action on a slow line', { timeout: patience }, () => {
  let daemon: LastingDaemon
  beforeAll(async () => void (daemon = await lastingDaemon()), patience)
  afterAll(() => daemon[Symbol.asyncDispose]())

  it('says that it is under way, and is sent once however often it is clicked', async () => {
    await using tab = await openDraft()
    const { page, sent } = tab
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
    await page.route('**/actions/publish', async (route) => {
      if (route.request().method() === 'POST') await mayGoOn
      await route.continue()
    })
    await page.getByLabel('Title').fill('Typed just before')
    await page.getByRole('button', { name: 'Publish…' }).dblclick()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Publish', exact: true }).dblclick()
    await page.getByText('Working…').waitFor()
    await page.getByRole('button', { name: 'Publish…' }).click({ force: true })
    // What is typed now would not be published, and would be lost with the form.
    expect(await page.locator('[inert] #metadata_title').count()).toBe(1)
    goOn()
    await page.locator('.just-published').waitFor()

    expect(sent).toEqual(['publish'])
    expect(await page.getByText('Working…').count()).toBe(0)
    expect((await tab.stored()).metadata.title).toBe('Typed just before')
  })

  it('is shown as done where the service was killed after it, and the answer is lost', async () => {
    await using tab = await openDraft()
    const { page, sent } = tab
    await page.route('**/actions/publish', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch()
      await daemon.kill()
      return route.abort()
    })
    await publish(page)
    await page.getByText('The service cannot be reached. This page waits for it').waitFor()
    await daemon.start()
    await page.locator('.just-published').waitFor()
    await page.getByRole('button', { name: 'New version' }).waitFor()

    expect(sent).toEqual(['publish'])
    expect((await tab.stored()).metadata._deposit.status).toBe('published')
  })

  it('can be repeated where the service was killed before it', async () => {
    await using tab = await openDraft()
    const { page, sent } = tab
    const isCut = { once: true }
    await page.route('**/actions/publish', async (route) => {
      if (route.request().method() !== 'POST' || !isCut.once) return route.continue()
      isCut.once = false
      await daemon.kill()
      return route.abort()
    })
    await publish(page)
    await page.getByText('The service cannot be reached. This page waits for it').waitFor()
    await daemon.start()
    await page.getByText('Nothing has changed; try again.').waitFor()
    expect((await tab.stored()).metadata._deposit.status).toBe('draft')
    await publish(page)
    await page.locator('.just-published').waitFor()

    expect(sent).toEqual(['publish', 'publish'])
  })

  it('leads to the list where the draft was deleted and the answer is lost', async () => {
    await using tab = await openDraft()
    const { page } = tab
    await page.route(`**/deposits/${tab.id}`, async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue()
      await route.fetch()
      return route.abort()
    })
    await page.getByRole('button', { name: 'Delete draft…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete draft' }).click()
    await page.waitForURL('**/deposit')
  })

  async function openDraft() {
    const browser = await sharedBrowser()
    const context = await browser.newContext({ baseURL: daemon.origin })
    const { authorization = '' } = await daemon.owner.authorization()
    const session = JSON.stringify({ token: authorization.replace('Bearer ', '') })
    await context.addInitScript(
      `sessionStorage.setItem('deposit.session', ${JSON.stringify(session)})`,
    )
    const page = await context.newPage()
    const made = await daemon.owner.post('/deposits/', { json: { title: 'On a slow line' } })
    const { id } = made.body as Told
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/actions/'))
        sent.push(request.url().split('/').at(-1) ?? '')
    })
    await page.goto(`/deposit/${id}`)
    await page.getByLabel('Title').waitFor()
    return {
      page,
      id,
      sent,
      stored: async () => (await daemon.owner.get(`/deposits/${id}`)).body as Told,
      [Symbol.asyncDispose]: () => context.close(),
    }
  }
})

async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click()
}
