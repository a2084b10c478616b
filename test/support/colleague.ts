import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { startDeposit, type DepositProcess } from './deposit-process.ts'

export const passphrase = 'correct horse battery'

/** `deposit` for a user who knows only the address of the daemon, not its home. */
export function commandLine(
  url: string,
  folder: string,
  trusted: Readonly<Record<string, string>> = {},
): (...args: readonly string[]) => DepositProcess {
  const environment = {
    ...trusted,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    DEPOSIT_HOME: join(folder, 'data'),
    DEPOSIT_URL: url,
  }
  return (...args) => startDeposit(args, environment)
}

/** The instructions of `deposit login` to a person. */
export async function told(login: DepositProcess): Promise<{ address: string; code: string }> {
  const [, address = ''] = await login.told(/Open (\S+)/)
  const [, code = ''] = await login.told(/code (\S+)/)
  return { address, code }
}

/** @param printed by `depositd user add` or `user link` */
export async function choosePassphrase(page: Page, printed: string): Promise<void> {
  await page.goto(printed.trim().split('\n').at(-1) ?? '')
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: 'Set the passphrase' }).click()
  await page.getByRole('heading', { name: 'The passphrase is set' }).waitFor()
}

export async function enterCode(page: Page, address: string, code: string): Promise<void> {
  await page.goto(address)
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
  expect(await page.getByText(code).isVisible()).toBe(true)
}

/** Signs in as `ada@example.org` on the page that {@link enterCode} led to. */
export async function approve(page: Page): Promise<void> {
  await page.getByLabel('E-mail address').fill('ada@example.org')
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('heading', { name: 'Signed in' }).waitFor()
}

/** Signs in at the list of deposits with that passphrase. */
export async function signInWith(page: Page, origin: string, email: string): Promise<void> {
  await page.goto(`${origin}/deposit`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
