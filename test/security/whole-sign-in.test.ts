import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { startDeposit } from '../support/deposit-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const passphrase = 'correct horse battery'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
})

describe('a colleague who was given an address and a link', () => {
  it('signs the command line in with a browser, deposits, and signs out', async () => {
    await using daemon = await startDaemon()
    await using user = await temporaryFolder()
    const deposit = commandLine(daemon, user.path)
    const page = await (await browser.newContext()).newPage()
    await choosePassphrase(page, daemon)

    using login = deposit('login')
    const [, address = ''] = await login.told(/Open (\S+)/)
    const [, code = ''] = await login.told(/code (\S+)/)
    await approve(page, address, code)

    expect(await login.ended).toMatchObject({ status: 0, stdout: '' })
    const who = await deposit('whoami').ended
    expect(who.stdout).toContain(`ada@example.org at ${daemon.url}\n`)
    expect(who.stdout).toContain('Scopes: deposit:write deposit:actions\n')
    const created = await deposit('create', '--title', 'Sea level', '--quiet').ended
    expect(await deposit('publish', created.stdout.trim()).ended).toMatchObject({ status: 0 })
    expect(await page.context().cookies()).toEqual([])
    expect(await deposit('logout').ended).toMatchObject({ status: 0 })
    expect(await deposit('whoami').ended).toMatchObject({ status: 4 })
  }, 180_000)

  it('ends with what was decided, where the sign-in is denied', async () => {
    await using daemon = await startDaemon()
    await using user = await temporaryFolder()
    const page = await browser.newPage()

    using login = commandLine(daemon, user.path)('login')
    const [, address = ''] = await login.told(/Open (\S+)/)
    const [, code = ''] = await login.told(/code (\S+)/)
    await enterCode(page, address, code)
    await page.getByRole('button', { name: 'Deny' }).click()

    const { status, stderr } = await login.ended
    expect(status).toBe(4)
    expect(stderr).toContain('the sign-in was denied')
  }, 180_000)
})

/** `deposit` of somebody who knows the address of the daemon, and nothing of its home. */
function commandLine({ url }: DaemonProcess, folder: string) {
  const environment = {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    DEPOSIT_HOME: join(folder, 'data'),
    DEPOSIT_URL: url,
  }
  return (...args: readonly string[]) => startDeposit(args, environment)
}

async function choosePassphrase(page: Page, daemon: DaemonProcess): Promise<void> {
  const printed = await daemon.operate(['user', 'add', 'ada@example.org'])
  await page.goto(printed.trim().split('\n').at(-1) ?? '')
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: 'Set the passphrase' }).click()
  expect(await page.getByRole('heading').textContent()).toBe('The passphrase is set')
}

async function enterCode(page: Page, address: string, code: string): Promise<void> {
  await page.goto(address)
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
  expect(await page.getByText(code).isVisible()).toBe(true)
}

async function approve(page: Page, address: string, code: string): Promise<void> {
  await enterCode(page, address, code)
  await page.getByLabel('E-mail address').fill('ada@example.org')
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: 'Approve' }).click()
  expect(await page.getByRole('heading').textContent()).toBe('Signed in')
}
