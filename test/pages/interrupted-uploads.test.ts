import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { choosePassphrase, passphrase } from '../support/colleague.ts'
import { lastingDaemon, type LastingDaemon } from '../support/lasting-daemon.ts'
import { operateAsOwner } from '../support/owner.ts'
import { User } from '../support/user.ts'
import { choose, slowDown } from './upload-steps.ts'
import { hasBrowser, patience } from './visit.ts'

type Browser = Awaited<ReturnType<typeof launchBrowser>>

const size = 6_000_000

describe.skipIf(!hasBrowser)('an upload whose sign-in ends', { timeout: patience }, () => {
  let daemon: LastingDaemon
  let browser: Browser
  beforeAll(async () => {
    daemon = await lastingDaemon()
    browser = await launchBrowser()
    const page = await browser.newPage()
    await choosePassphrase(page, await operate('user add', { email: 'ada@example.org' }))
    await page.close()
  }, patience)
  afterAll(async () => {
    await browser.close()
    await daemon[Symbol.asyncDispose]()
  })

  it.for(['in the same tab', 'in another tab'] as const)(
    'while the line is cut resumes after a sign-in %s, and sends no byte twice',
    async (where) => {
      await using tab = await openDraft(where)
      const { page, id } = tab
      const sent = listen(page)
      await slowDown(page, 400_000)
      await choose(page, [{ name: 'large.bin', buffer: Buffer.alloc(size, 7) }])
      await page.getByText(/^[2-9]\d % · 6\.0 MB/).waitFor()
      await endSignIn(page)
      await daemon.kill()
      await page.getByText(/^No connection, at \d+ %/).waitFor()
      await slowDown(page, -1)
      await daemon.start()
      await page.getByText(/^Waits until you are signed in again, at [1-9]/).waitFor()
      const arrived = await tab.offset()
      expect(arrived).toBeGreaterThan(0)

      if (where === 'in the same tab') {
        const [beside] = await Promise.all([
          page.waitForEvent('popup'),
          page.getByRole('button', { name: 'Sign in' }).click(),
        ])
        await Promise.all([beside.waitForEvent('close'), fillIn(beside)])
      } else {
        const other = await page.context().newPage()
        await other.goto('/deposit')
        await other.getByRole('button', { name: 'Sign in' }).click()
        await fillIn(other)
        await other.getByRole('searchbox').waitFor()
      }
      await page.getByRole('button', { name: 'Remove large.bin' }).waitFor()

      expect(sent).toEqual(['POST', 'PATCH 0', `PATCH ${arrived}`])
      expect((await tab.get(`/deposits/${id}/files`)).body).toMatchObject([{ filesize: size }])
      expect((await tab.get(`/deposits/${id}/uploads`)).body).toEqual([])
    },
  )

  it('is renewed and goes on where the line was cut, and nothing is asked of the person', async () => {
    await using tab = await openDraft('renewed')
    const { page, id } = tab
    const sent = listen(page)
    await slowDown(page, 400_000)
    await choose(page, [{ name: 'large.bin', buffer: Buffer.alloc(size, 7) }])
    await page.getByText(/^[2-9]\d % · 6\.0 MB/).waitFor()
    // As after an hour, on a computer that slept.
    const before = await kept(page)
    const past = JSON.stringify({ ...before, token: 'ended' })
    await page.evaluate(`sessionStorage.setItem('deposit.session', ${JSON.stringify(past)})`)
    await daemon.kill()
    await page.getByText(/^No connection, at \d+ %/).waitFor()
    await slowDown(page, -1)
    await daemon.start()
    await page.getByRole('button', { name: 'Remove large.bin' }).waitFor()

    expect(sent).toEqual(['POST', 'PATCH 0', expect.stringMatching(/^PATCH [1-9]/)])
    expect(await page.getByText('Your sign-in has ended').count()).toBe(0)
    expect((await tab.get(`/deposits/${id}/files`)).body).toMatchObject([{ filesize: size }])
  })

  /** A draft in a browser of its own. */
  async function openDraft(title: string) {
    const context = await browser.newContext({ baseURL: daemon.origin })
    const page = await context.newPage()
    await page.goto('/deposit')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await fillIn(page)
    await page.getByRole('searchbox').waitFor()
    const scope = 'deposit:write deposit:actions'
    const token = await operate('token create', { user: 'ada@example.org', scope })
    const closing = { connection: 'close' }
    const user = new User(`${daemon.origin}/api`, async () => token, closing)
    const { body } = await user.post('/deposits/', { json: { title } })
    const { id } = body as { readonly id: string }
    await page.goto(`/deposit/${id}`)
    await page.getByRole('button', { name: 'Choose files' }).waitFor()
    return {
      page,
      id,
      get: (path: string) => user.get(path),
      /** Bytes that the daemon has of the only upload. */
      offset: async () =>
        ((await user.get(`/deposits/${id}/uploads`)).body as { offset: number }[])[0]?.offset ?? 0,
      [Symbol.asyncDispose]: () => context.close(),
    }
  }

  async function operate(command: string, options: Readonly<Record<string, string>>) {
    const lines = await operateAsOwner(daemon.origin, daemon.home, command, options)
    return lines.at(-1) ?? ''
  }

  /** Revokes the sign-in at the issuer, as an operator or the end of its time would. */
  async function endSignIn(page: Page): Promise<void> {
    const { token } = await kept(page)
    const body = new URLSearchParams({ token, client_id: 'deposit-pages' })
    const reply = await fetch(`${daemon.origin}/oauth/revocation`, { method: 'POST', body })
    expect(reply.status).toBe(200)
  }
})

describe.skipIf(!hasBrowser)('an upload whose daemon is killed', { timeout: patience }, () => {
  it('says that it waits, however long, and goes on after the restart', async () => {
    await using daemon = await lastingDaemon()
    const browser = await launchBrowser()
    const context = await browser.newContext({ baseURL: daemon.origin })
    const { authorization = '' } = await daemon.owner.authorization()
    const session = JSON.stringify({ token: authorization.replace('Bearer ', '') })
    await context.addInitScript(
      `sessionStorage.setItem('deposit.session', ${JSON.stringify(session)})`,
    )
    const page = await context.newPage()
    const { body } = await daemon.owner.post('/deposits/', { json: { title: 'Killed' } })
    const { id } = body as { readonly id: string }
    await page.clock.install()
    await page.goto(`/deposit/${id}`)
    await page.getByRole('button', { name: 'Choose files' }).waitFor()
    await slowDown(page, 400_000)
    await choose(page, [{ name: 'large.bin', buffer: Buffer.alloc(size, 7) }])
    await page.getByText(/^[2-9]\d % · 6\.0 MB/).waitFor()

    const sent = listen(page)
    await daemon.kill()
    await page.getByText(/^No connection, at \d+ %/).waitFor()
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const failed = page.waitForEvent('requestfailed', (request) => isOfUpload(request.url()))
      await page.clock.fastForward(30_000)
      await failed
    }
    expect(await page.getByText(/^No connection, at \d+ %/).count()).toBe(1)
    await slowDown(page, -1)
    await daemon.start()
    await page.clock.fastForward(30_000)
    await page.getByRole('button', { name: 'Remove large.bin' }).waitFor()

    expect(sent).toEqual([expect.stringMatching(/^PATCH [1-9]/)])
    const { body: files } = await daemon.owner.get(`/deposits/${id}/files`)
    expect(files).toMatchObject([{ filesize: size }])
    await browser.close()
  })
})

function isOfUpload(url: string): boolean {
  return /\/uploads\/[^/]+$/.test(url)
}

/** The requests that begin an upload or send bytes of it, with the offset of these. */
function listen(page: Page): readonly string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    const { 'upload-offset': offset, 'tus-resumable': tus } = request.headers()
    if (request.method() === 'POST' && tus !== undefined) sent.push('POST')
    if (request.method() === 'PATCH' && offset !== undefined) sent.push(`PATCH ${offset}`)
  })
  return sent
}

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('E-mail address').fill('ada@example.org')
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function kept(page: Page): Promise<{ readonly token: string }> {
  return JSON.parse(await page.evaluate("sessionStorage.getItem('deposit.session')")) as {
    readonly token: string
  }
}
