import { initiateDeviceAuthorization } from 'openid-client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { send } from '../support/http.ts'
import { cliClient, cliScope, collectTokens } from '../support/sign-in.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const passphrase = 'correct horse battery'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
})

describe('a user with a browser', () => {
  it('sets a passphrase with the link of the operator, and approves a device with it', async () => {
    await using daemon = await testDaemon()
    const page = await browser.newPage()
    await choosePassphrase(page, await daemon.operate('user add', { email: 'ada@example.org' }))
    const client = await cliClient(daemon)
    const device = await initiateDeviceAuthorization(client, { scope: cliScope })

    await page.goto(device.verification_uri_complete ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    expect(await page.getByText(device.user_code).isVisible()).toBe(true)
    await signIn(page)

    await page.getByRole('heading', { name: 'Signed in' }).waitFor()
    const { access_token: token } = await collectTokens(client, device)
    expect(await whoIs(daemon, token)).toMatchObject({ email: 'ada@example.org' })
    await expect.poll(() => page.context().cookies()).toEqual([])
  })

  it('is told on a page that a link has already been used', async () => {
    await using daemon = await testDaemon()
    const page = await browser.newPage()
    const link = await daemon.operate('user add', { email: 'ada@example.org' })
    await choosePassphrase(page, link)

    // A change of the fragment alone loads no page.
    await page.goto('about:blank')
    const answered = page.waitForResponse((answer) => answer.request().method() === 'POST')
    await page.goto(link)

    const answer = await answered
    expect(answer.status()).toBe(403)
    expect(answer.headers()['content-type']).toBe('text/html; charset=utf-8')
    await page.getByText('already been used').waitFor()
    await page.getByRole('heading', { name: 'This did not work' }).waitFor()
    expect(await page.getByText('ask the operator').isVisible()).toBe(true)
    await page.getByRole('link', { name: 'Sign in' }).click()
    expect(new URL(page.url()).pathname).toBe('/deposit')
  })

  it('opens a passphrase link whose secret is never part of a requested address', async () => {
    await using daemon = await testDaemon()
    const page = await browser.newPage()
    const asked: string[] = []
    page.on('request', (request) => void asked.push(request.url()))
    const link = await daemon.operate('user add', { email: 'ada@example.org' })
    const secret = new URL(link).hash.slice(1)
    await page.goto(link)
    await page.getByLabel('Passphrase').waitFor()
    expect(page.url()).toBe(`${daemon.origin}/oauth/passphrase`)
    expect(asked.some((url) => url.includes(secret) && !url.includes('#'))).toBe(false)
    expect(await page.evaluate<string>('document.referrer')).not.toContain(secret)

    const unscripted = await browser.newContext({ javaScriptEnabled: false })
    const plain = await unscripted.newPage()
    await plain.goto(link)
    await plain.getByLabel('The link you were given').fill(link)
    await plain.getByRole('button', { name: 'Continue' }).click()
    await plain.getByLabel('Passphrase').waitFor()
    await unscripted.close()
  })

  it('is told on a page that a sign-in request is invalid', async () => {
    await using daemon = await testDaemon()
    const page = await browser.newPage()
    const request = '/oauth/auth?client_id=%3Cb%3Enobody&response_type=code'

    const answer = await page.goto(daemon.origin + request)

    expect(answer?.status()).toBe(400)
    expect(answer?.headers()['content-security-policy']).toContain("default-src 'none'")
    await page.getByRole('heading', { name: 'This did not work' }).waitFor()
    expect(await page.locator('b').count()).toBe(0)
  })

  it('can deny a device', async () => {
    await using daemon = await testDaemon()
    const page = await browser.newPage()
    const client = await cliClient(daemon)
    const device = await initiateDeviceAuthorization(client, { scope: cliScope })

    await page.goto(device.verification_uri_complete ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Deny' }).click()

    const tokens = collectTokens(client, device)
    await expect(tokens).rejects.toMatchObject({ error: 'access_denied' })
  })

  it('signs in to the pages with a code that only the page can exchange, and is asked each time', async () => {
    await using daemon = await testDaemon()
    const context = await browser.newContext()
    const page = await context.newPage()
    await choosePassphrase(page, await daemon.operate('user add', { email: 'ada@example.org' }))
    const { verifier, url } = await authorizationRequest(daemon)

    await page.goto(url)
    expect(await page.getByRole('heading').allTextContents()).toEqual(['Sign in'])
    expect(await page.getByText('deposit open').isVisible()).toBe(true)
    expect(await page.evaluate<string>('document.activeElement?.id')).toBe('email')
    const answered = answerOfIssuer(page)
    await signIn(page, passphrase, 'Sign in')

    const answer = await answered
    expect(answer.searchParams.get('state')).toBe('xyz')
    const token = await exchange(daemon, answer.searchParams.get('code') ?? '', verifier)
    expect(await whoIs(daemon, token)).toMatchObject({ scopes: ['deposit:write'] })
    await expect.poll(() => context.cookies()).toEqual([])
    await page.goto((await authorizationRequest(daemon)).url)
    expect(await page.getByLabel('Passphrase').isVisible()).toBe(true)
  })

  it('types the e-mail address once, however often the passphrase is wrong', async () => {
    await using daemon = await testDaemon()
    const page = await browser.newPage()
    await choosePassphrase(page, await daemon.operate('user add', { email: 'ada@example.org' }))
    const client = await cliClient(daemon)
    const device = await initiateDeviceAuthorization(client, { scope: cliScope })

    await page.goto(device.verification_uri_complete ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await signIn(page, 'wrong horse battery')
    await expectEmailKept(page)
    await page.goto((await authorizationRequest(daemon)).url)
    await signIn(page, 'wrong horse battery', 'Sign in')
    await expectEmailKept(page)
    expect(await page.evaluate<string>('document.activeElement?.id')).toBe('passphrase')
    await page.getByLabel('Passphrase').fill(passphrase)
    const answered = answerOfIssuer(page)
    await page.getByRole('button', { name: 'Sign in' }).click()

    expect((await answered).searchParams.get('code')).toBeTruthy()
  })

  it('has only short-lived cookies of the sign-in, and none after cancelling it', async () => {
    await using daemon = await testDaemon()
    const context = await browser.newContext()
    const page = await context.newPage()

    await page.goto((await authorizationRequest(daemon)).url)
    const asked = await context.cookies()
    const tenMinutes = Date.now() / 1000 + 600
    const answered = answerOfIssuer(page)
    await page.getByRole('button', { name: 'Cancel' }).click()

    expect(asked.filter(({ path }) => !/^\/oauth\/(?:interaction|auth)\/./.test(path))).toEqual([])
    expect(asked.filter(({ httpOnly, expires }) => !httpOnly || expires > tenMinutes)).toEqual([])
    expect((await answered).searchParams.get('error')).toBe('access_denied')
    await expect.poll(() => context.cookies()).toEqual([])
  })
})

async function choosePassphrase(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: 'Set the passphrase' }).click()
  await page.getByRole('heading', { name: 'The passphrase is set' }).waitFor()
  expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/deposit')
}

async function expectEmailKept(page: Page): Promise<void> {
  expect(await page.getByLabel('E-mail address').inputValue()).toBe('ada@example.org')
  expect(await page.getByLabel('Passphrase').inputValue()).toBe('')
}

async function signIn(page: Page, typed = passphrase, button = 'Approve'): Promise<void> {
  await page.getByLabel('E-mail address').fill('ada@example.org')
  await page.getByLabel('Passphrase').fill(typed)
  await page.getByRole('button', { name: button }).click()
}

async function authorizationRequest({ origin }: TestDaemon) {
  const verifier = 'a'.repeat(43)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const request = new URLSearchParams({
    client_id: 'deposit-pages',
    redirect_uri: `${origin}/deposit/signed-in`,
    response_type: 'code',
    scope: 'openid deposit:write',
    state: 'xyz',
    code_challenge: Buffer.from(digest).toString('base64url'),
    code_challenge_method: 'S256',
  })
  return { verifier, url: `${origin}/oauth/auth?${request.toString()}` }
}

/** The address the issuer sends the browser back to; the page takes its query out of the history. */
async function answerOfIssuer(page: Page): Promise<URL> {
  const request = await page.waitForRequest(/\/deposit\/signed-in\?/)
  return new URL(request.url())
}

async function exchange({ origin }: TestDaemon, code: string, verifier: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'deposit-pages',
    redirect_uri: `${origin}/deposit/signed-in`,
    code,
    code_verifier: verifier,
  })
  const reply = await send('POST', `${origin}/oauth/token`, { body })
  return (reply.body as { readonly access_token: string }).access_token
}

async function whoIs({ url }: TestDaemon, token: string): Promise<unknown> {
  return (await send('GET', `${url}/me`, { headers: { authorization: `Bearer ${token}` } })).body
}
