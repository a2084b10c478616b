import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { choosePassphrase, passphrase } from '../support/colleague.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'
import { choose, slowDown } from './upload-steps.ts'
import { hasBrowser, patience } from './visit.ts'

interface Kept {
  readonly token: string
  readonly refresh: string
  readonly expires: number
}

type Browser = Awaited<ReturnType<typeof launchBrowser>>

describe.skipIf(!hasBrowser)('one sign-in', { timeout: patience }, () => {
  let daemon: TestDaemon
  let browser: Browser
  beforeAll(async () => {
    daemon = await testDaemon()
    browser = await launchBrowser()
    const page = await browser.newPage()
    await choosePassphrase(page, await daemon.operate('user add', { email: 'ada@example.org' }))
    await page.close()
  }, patience)
  afterAll(async () => {
    await browser.close()
    await daemon[Symbol.asyncDispose]()
  })

  it('is that of all tabs, and signing out ends it in all', async () => {
    const context = await browser.newContext({ baseURL: daemon.origin })
    const first = await signedIn(await context.newPage())
    const { token } = await kept(first)
    const second = await context.newPage()
    await second.goto('/deposit')
    await second.getByRole('searchbox').waitFor()
    expect((await kept(second)).token).toBe(token)
    // Nothing of it is kept where another browser session finds it.
    expect(await context.cookies()).toEqual([])
    expect(await first.evaluate('localStorage.length')).toBe(0)

    await second.getByRole('button', { name: 'Sign out' }).click()
    await first.getByRole('button', { name: 'Sign in' }).waitFor()
    await expect.poll(async () => (await holder(token).get('/deposits/')).status).toBe(401)
    await context.close()
  })

  it('is renewed by one tab for all, before its hour is over', async () => {
    const context = await browser.newContext({ baseURL: daemon.origin })
    const first = await signedIn(await context.newPage())
    const second = await context.newPage()
    await second.goto('/deposit')
    await second.getByRole('searchbox').waitFor()
    const before = await kept(first)
    const renewals: string[] = []
    context.on('request', (request) => {
      if (request.url().endsWith('/oauth/token')) renewals.push(request.postData() ?? '')
    })
    // As after 58 minutes.
    const late = JSON.stringify({ ...before, expires: Date.now() + 120_000 })
    for (const page of [first, second])
      await page.evaluate(`sessionStorage.setItem('deposit.session', ${JSON.stringify(late)})`)
    await Promise.all([first.reload(), second.reload()])

    await expect.poll(async () => (await kept(first)).token).not.toBe(before.token)
    await expect.poll(async () => (await kept(second)).token).toBe((await kept(first)).token)
    expect(renewals).toHaveLength(1)
    await context.close()
  })

  it('is renewed where the service refuses its token, and nothing is asked of the person', async () => {
    const context = await browser.newContext({ baseURL: daemon.origin })
    const page = await signedIn(await context.newPage())
    const before = await kept(page)
    const past = JSON.stringify({ ...before, token: 'ended' })
    await page.evaluate(`sessionStorage.setItem('deposit.session', ${JSON.stringify(past)})`)
    await page.getByRole('searchbox').fill('tides')
    await expect.poll(async () => (await kept(page)).token).not.toBe('ended')
    await page.getByText('Nothing found').waitFor()
    expect(await page.getByText('Your sign-in has ended').count()).toBe(0)
    await context.close()
  })

  it('begins again beside the page: its uploads go on, and what was typed is saved', async () => {
    const context = await browser.newContext({ baseURL: daemon.origin })
    const page = await signedIn(await context.newPage())
    const { token } = await kept(page)
    const { body } = await holder(token).post('/deposits/', { json: { title: 'Before' } })
    const { id } = body as { readonly id: string }
    await page.goto(`/deposit/${id}`)
    await page.getByRole('button', { name: 'Choose files' }).waitFor()
    await slowDown(page, 400_000)
    await choose(page, [
      { name: 'a.bin', buffer: Buffer.alloc(1_500_000, 1) },
      { name: 'b.bin', buffer: Buffer.alloc(1_500_000, 2) },
      { name: 'c.bin', buffer: Buffer.alloc(1_500_000, 3) },
      { name: 'd.bin', buffer: Buffer.alloc(300_000, 4) },
    ])
    await page
      .getByText(/^[1-9]\d? % · 1\.5 MB/)
      .first()
      .waitFor()
    await endSignIn(page)
    await page.getByLabel('Title').fill('Typed meanwhile')
    await page.getByText('Your sign-in has ended').waitFor()
    await slowDown(page, -1)
    // It began after the end of the sign-in.
    await page.getByText('Waits until you are signed in again').waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('Typed meanwhile')

    const [beside] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Sign in' }).click(),
    ])
    await beside.getByLabel('E-mail address').fill('ada@example.org')
    await beside.getByLabel('Passphrase').fill(passphrase)
    await Promise.all([
      beside.waitForEvent('close'),
      beside.getByRole('button', { name: 'Sign in' }).click(),
    ])
    for (const name of ['a.bin', 'b.bin', 'c.bin', 'd.bin'])
      await page.getByRole('button', { name: `Remove ${name}` }).waitFor()
    await page.locator('.save-status.saved').waitFor()

    const now = holder((await kept(page)).token)
    expect((await now.get(`/deposits/${id}`)).body).toMatchObject({
      metadata: { title: 'Typed meanwhile' },
    })
    // They are put into path order once all are there.
    const names = async () =>
      ((await now.get(`/deposits/${id}/files`)).body as { filename: string }[]).map(
        ({ filename }) => filename,
      )
    await expect.poll(names).toEqual(['a.bin', 'b.bin', 'c.bin', 'd.bin'])
    await context.close()
  })

  function holder(token: string): User {
    return new User(daemon.url, async () => token)
  }

  /** Revokes the sign-in at the issuer, as an operator or the end of its time would. */
  async function endSignIn(page: Page): Promise<void> {
    const { token } = await kept(page)
    const body = new URLSearchParams({ token, client_id: 'deposit-pages' })
    const reply = await fetch(`${daemon.origin}/oauth/revocation`, { method: 'POST', body })
    expect(reply.status).toBe(200)
  }
})

/** Signs in by the page of the list. */
async function signedIn(page: Page): Promise<Page> {
  await page.goto('/deposit')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('E-mail address').fill('ada@example.org')
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('searchbox').waitFor()
  return page
}

async function kept(page: Page): Promise<Kept> {
  return JSON.parse(await page.evaluate("sessionStorage.getItem('deposit.session')")) as Kept
}
