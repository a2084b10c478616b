import { expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import type { Page } from 'playwright-core'
import { choosePassphrase, signInWith } from '../support/colleague.ts'
import { bodyOf, send } from '../support/http.ts'
import { asOwner } from '../support/owner.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'

const email = 'ada@example.org'

/** A user of the token that a page holds, which is good. */
async function holderOf(page: Page, { url }: TestDaemon): Promise<User> {
  const kept = await page.evaluate<string>("sessionStorage.getItem('deposit.session')")
  const { token } = JSON.parse(kept) as { readonly token: string }
  const holder = new User(url, async () => token)
  expect((await holder.get('/deposits/')).status).toBe(200)
  return holder
}

it('signing out of a sign-in by a ticket revokes its token', async () => {
  await using daemon = await testDaemon()
  await using browser = await launchBrowser()
  const page = await browser.newPage()
  const path = '/local/ticket'
  const headers = await asOwner(daemon.origin, daemon.home, path)
  const { ticket } = bodyOf<{ readonly ticket: string }>(
    await send('POST', daemon.origin + path, { headers }),
    201,
  )
  await page.goto(`${daemon.origin}/deposit#ticket=${ticket}`)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  const holder = await holderOf(page, daemon)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()

  await expect.poll(async () => (await holder.get('/deposits/')).status).toBe(401)
})

it('signing out revokes the token at the service', async () => {
  await using daemon = await testDaemon()
  await using browser = await launchBrowser()
  const page = await browser.newPage()
  await choosePassphrase(page, await daemon.operate('user add', { email }))
  await signInWith(page, daemon.origin, email)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  const holder = await holderOf(page, daemon)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()

  await expect.poll(async () => (await holder.get('/deposits/')).status).toBe(401)
})

it('the account lists where one is signed in, and signs out everywhere', async () => {
  await using daemon = await testDaemon()
  await using browser = await launchBrowser()
  const page = await browser.newPage()
  await choosePassphrase(page, await daemon.operate('user add', { email }))
  await signInWith(page, daemon.origin, email)
  await page.getByRole('link', { name: email }).click()
  const list = page.getByRole('list', { name: 'Where you are signed in' })
  await list.getByText('A browser').waitFor()
  const holder = await holderOf(page, daemon)

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()

  await expect.poll(async () => (await holder.get('/deposits/')).status).toBe(401)
})

it('the account ends one sign-in, by keyboard, and stays signed in here', async () => {
  await using daemon = await testDaemon()
  await using browser = await launchBrowser()
  const page = await browser.newPage()
  await choosePassphrase(page, await daemon.operate('user add', { email }))
  const lost = await (await browser.newContext()).newPage()
  await signInWith(lost, daemon.origin, email)
  await lost.getByRole('button', { name: 'Sign out' }).waitFor()
  const holder = await holderOf(lost, daemon)
  await signInWith(page, daemon.origin, email)
  await page.getByRole('link', { name: email }).click()
  const list = page.getByRole('list', { name: 'Where you are signed in' })
  await list.getByText('here').waitFor()
  expect(await list.getByRole('listitem').count()).toBe(2)

  await list.getByRole('button', { name: /^Sign out A browser/ }).press('Enter')
  await page.getByText('A browser is signed out.').waitFor()

  expect(await list.getByRole('listitem').count()).toBe(1)
  expect((await holder.get('/deposits/')).status).toBe(401)
  expect((await (await holderOf(page, daemon)).get('/deposits/')).status).toBe(200)
})
