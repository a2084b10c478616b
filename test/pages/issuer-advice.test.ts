import { initiateDeviceAuthorization } from 'openid-client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { passphraseLength } from '../../daemon/sign-in/identity/passphrase.ts'
import { advice } from '../../daemon/issuer-advice.ts'
import { unless } from '../faults/obstacle.ts'
import { desktopBrowser, launchBrowser } from '../support/browser.ts'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { startDeposit } from '../support/deposit-process.ts'
import { send } from '../support/http.ts'
import { runCli } from '../support/run-cli.ts'
import { noSetTime, setTime, type SetTime } from '../support/set-time.ts'
import { cliClient, cliScope, collectTokens } from '../support/sign-in.ts'
import { hasBrowser, patience } from './visit.ts'

let time: SetTime
let daemon: DaemonProcess
let browser: Browser
const email = 'ada@example.org'
const passphrase = 'correct horse battery'
const minute = 60
const { min, max } = passphraseLength

type Row = (page: Page) => Promise<void>

const needsTime: ReadonlySet<string> = new Set<keyof typeof advice>([
  'tryLater',
  'beginAgain',
  'renewLink',
])

/** A row for each text with advice: a text without a row does not compile. */
const rows: Readonly<Record<keyof typeof advice, Row>> = {
  typeCode: async (page) => {
    const { code, tokens } = await beginDevice()
    await page.goto('/device')
    await shows(page, advice.typeCode())
    await typesCode(page, code)
    await signsIn(page, 'Approve')
    await tokens()
  },
  checkCode: async (page) => {
    const { code } = await beginDevice()
    await page.goto('/device')
    await typesCode(page, 'BBBB-BBBB')
    await shows(page, advice.checkCode())
    await typesCode(page, code)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.goto('/device')
    await typesCode(page, code)
    await shows(page, advice.checkCode())
    const again = await beginDevice()
    await typesCode(page, again.code)
    await signsIn(page, 'Approve')
    await again.tokens()
  },
  compareCode: async (page) => {
    const { code, tokens } = await beginDevice()
    await page.goto(`/device?user_code=${code}`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await shows(page, advice.compareCode())
    expect(await page.locator('.code-shown').textContent()).toBe(code)
    expect(await page.locator('strong').textContent()).toBe('you')
    await signsIn(page, 'Approve')
    await tokens()
  },
  goBack: async (page) => {
    const environment = { DEPOSIT_URL: daemon.url, DEPOSIT_HOME: `${daemon.home}/elsewhere` }
    using login = startDeposit(['login'], environment)
    const [, code = ''] = await login.told(/code (\S+)/)
    await page.goto('/device')
    await typesCode(page, code)
    await signsIn(page, 'Approve')
    await shows(page, advice.goBack())
    await page.close()
    expect(await login.ended).toMatchObject({ status: 0 })
    const { status, stdout } = await runCli(['whoami'], { environment })
    expect(status).toBe(0)
    expect(stdout).toContain(email)
    await runCli(['logout'], { environment })
  },
  closePage: async (page) => {
    const { code, tokens } = await beginDevice()
    await page.goto(`/device?user_code=${code}`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await shows(page, advice.closePage())
    await page.close()
    await expect(tokens()).rejects.toMatchObject({ error: 'access_denied' })
  },
  askForLink: async (page) => {
    await asksToSignIn(page)
    await shows(page, advice.askForLink())
    await choosesPassphrase(page, await newLink())
    await asksToSignIn(page)
    await arrives(page)
  },
  openFromTerminal: async (page) => {
    await asksToSignIn(page)
    await shows(page, advice.openFromTerminal())
    const [open = '', list = ''] = await page.locator('.hint code').allTextContents()
    await using desktop = await desktopBrowser()
    const environment = { DEPOSIT_HOME: daemon.home, DISPLAY: ':0' }
    await runCli(['create', '--title', 'Tides'], { environment })
    const listed = await runCli(list.split(' ').slice(1), { environment })
    const [id = ''] = listed.stdout.split('\t')
    const words = open.replace('ID', id).split(' ').slice(1)
    expect(await runCli(words, { environment, terminal: 80 })).toMatchObject({ status: 0 })
    await page.goto(await desktop.opened())
    await page.getByLabel('Title').waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('Tides')
  },
  chooseWords: async (page) => {
    await page.goto(await newLink())
    await shows(page, advice.chooseWords(min))
    await choosesPassphrase(page)
  },
  keepLength: async (page) => {
    await page.goto(await newLink())
    const wanted = page.getByLabel('Passphrase')
    // Like a browser that does not check the length.
    await setAttribute(page, '#passphrase', 'minlength', '0')
    await wanted.fill('x'.repeat(min - 1))
    await page.getByRole('button', { name: 'Set the passphrase' }).click()
    await shows(page, advice.keepLength(min, max))
    await choosesPassphrase(page)
  },
  signInNow: async (page) => {
    await choosesPassphrase(page, await newLink())
    await shows(page, advice.signInNow())
    await page.getByRole('link', { name: advice.toSignIn() }).click()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await arrives(page)
    await page.getByRole('link', { name: email }).click()
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    await page.getByRole('heading', { name: 'Access tokens' }).waitFor()
  },
  useOtherLink: async (page) => {
    const link = await newLink()
    await choosesPassphrase(page, link)
    // A change of the fragment alone loads no page.
    await page.goto('about:blank')
    await page.goto(link)
    await shows(page, advice.useOtherLink())
    await page.getByRole('link', { name: advice.toSignIn() }).click()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await arrives(page)
    await choosesPassphrase(page, await newLink())
  },
  useNewestLink: async (page) => {
    const [first, newest] = [await newLink(), await newLink()]
    await page.goto(first)
    await shows(page, advice.useNewestLink())
    await page.goto('about:blank')
    await choosesPassphrase(page, newest)
  },
  renewLink: async (page) => {
    const link = await newLink()
    const week = 7 * 24 * 60 * minute
    const end = new Date(Date.now() + (passed + week) * 1000).toISOString().slice(0, 10)
    await passes(week + minute)
    await page.goto(link)
    await shows(page, advice.renewLink(end))
    await page.goto('about:blank')
    await choosesPassphrase(page, await newLink())
  },
  toCode: async (page) => {
    const { code, tokens } = await beginDevice()
    await page.goto(`/device?user_code=${code}`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await setAttribute(page, '[name=ticket]', 'value', 'other')
    await signsIn(page, 'Approve')
    await shows(page, advice.beginAgain())
    await page.getByRole('link', { name: advice.toCode() }).click()
    await typesCode(page, code)
    await signsIn(page, 'Approve')
    await tokens()
  },
  toSignIn: async (page) => {
    await page.goto('/oauth/auth?client_id=nobody&response_type=code')
    await page.getByRole('link', { name: advice.toSignIn() }).click()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await arrives(page)
  },
  // From here on, no guesses are left.
  signInWithCode: async (page) => {
    const { code, tokens } = await beginDevice()
    while ((await guess({ user_code: 'BBBB-BBBB' })) === 404);
    await page.goto('/device')
    await typesCode(page, code)
    await shows(page, advice.signInWithCode())
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Passphrase').fill(passphrase)
    await typesCode(page, code)
    await signsIn(page, 'Approve')
    await tokens()
  },
  tryLater: async (page) => {
    await asksToSignIn(page)
    while ((await guess({ email, passphrase: 'wrong', user_code: 'BBBB-BBBB' })) === 403);
    await signsIn(page, 'Sign in')
    const said = await page.getByText('Too many attempts').textContent()
    const minutes = Number(/\d+/.exec(said ?? ''))
    expect(said).toBe(advice.tryLater(minutes))
    await passes(minutes * minute)
    await page.getByRole('link', { name: advice.toSignIn() }).click()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await arrives(page)
  },
  beginAgain: async (page) => {
    await asksToSignIn(page)
    await passes(11 * minute)
    await signsIn(page, 'Sign in')
    await shows(page, advice.beginAgain())
    await page.getByRole('link', { name: advice.toSignIn() }).click()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await arrives(page)
  },
}

describe.skipIf(!hasBrowser)(
  'the advice of the issuer’s pages works when it is followed',
  { timeout: patience },
  () => {
    beforeAll(async () => {
      time = await setTime()
      daemon = await startDaemon(noSetTime === undefined ? time.env : {})
      browser = await launchBrowser()
      const link = await newLink('add')
      const body = new URLSearchParams({ link: new URL(link).hash, passphrase })
      expect((await send('POST', `${daemon.url}/oauth/passphrase`, { body })).status).toBe(200)
    }, patience)
    afterAll(async () => {
      await browser.close()
      await daemon[Symbol.asyncDispose]()
      await time[Symbol.asyncDispose]()
    })
    afterEach(() => {
      vi.unstubAllEnvs()
    })

    it.for(Object.entries(rows))('%s', async ([name, row], { skip }) => {
      skip(needsTime.has(name) && unless('setting the clock of the daemon', noSetTime))
      const context = await browser.newContext({ baseURL: daemon.url })
      await row(await context.newPage())
      await context.close()
    })
  },
)

let passed = 0

/** Sets the clock of the daemon ahead. */
async function passes(seconds: number): Promise<void> {
  passed += seconds
  await time.setAhead(passed)
}

/** The address that an operator gives to a user who needs a passphrase. */
async function newLink(command = 'link'): Promise<string> {
  return (await daemon.operate(['user', command, email])).trim().split('\n').at(-1) ?? ''
}

/** Waits for a text on the page, without its marks. */
async function shows(page: Page, text: string): Promise<void> {
  const plain = text.replaceAll(/[`*]/g, '')
  await page.getByText(plain).first().waitFor()
}

async function setAttribute(page: Page, of: string, name: string, value: string): Promise<void> {
  const call = `setAttribute(${JSON.stringify(name)}, ${JSON.stringify(value)})`
  await page.evaluate(`document.querySelector(${JSON.stringify(of)}).${call}`)
}

/** Begins the sign-in of a program; returns the code it shows, and its tokens later. */
async function beginDevice() {
  const client = await cliClient({ origin: daemon.url })
  const device = await initiateDeviceAuthorization(client, { scope: cliScope })
  return { code: device.user_code, tokens: () => collectTokens(client, device) }
}

async function typesCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Sends a guess to the form for codes; returns the status. */
async function guess(fields: Readonly<Record<string, string>>): Promise<number> {
  const body = new URLSearchParams(fields)
  return (await send('POST', `${daemon.url}/device`, { body })).status
}

async function signsIn(page: Page, button: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: button }).click()
}

/** Opens the sign-in of our own pages. */
async function asksToSignIn(page: Page): Promise<void> {
  await page.goto('/deposit')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Passphrase').waitFor()
}

/** Signs in to our own pages, and waits for the deposits. */
async function arrives(page: Page): Promise<void> {
  await signsIn(page, 'Sign in')
  await page.getByRole('searchbox').waitFor()
}

/** @param link of the operator, if the page is not open yet */
async function choosesPassphrase(page: Page, link?: string): Promise<void> {
  if (link !== undefined) await page.goto(link)
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: 'Set the passphrase' }).click()
  await page.getByRole('heading', { name: 'The passphrase is set' }).waitFor()
}
