import { expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { choosePassphrase, passphrase } from '../support/colleague.ts'
import { bodyOf, send } from '../support/http.ts'
import { asOwner } from '../support/owner.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'

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
  const kept = await page.evaluate<string>("sessionStorage.getItem('deposit.session')")
  const { token } = JSON.parse(kept) as { readonly token: string }
  const holder = new User(daemon.url, async () => token)
  expect((await holder.get('/deposits/')).status).toBe(200)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()

  await expect.poll(async () => (await holder.get('/deposits/')).status).toBe(401)
})

it('signing out revokes the token at the service', async () => {
  await using daemon = await testDaemon()
  await using browser = await launchBrowser()
  const page = await browser.newPage()
  await choosePassphrase(page, await daemon.operate('user add', { email: 'ada@example.org' }))
  await page.goto(`${daemon.origin}/deposit`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('E-mail address').fill('ada@example.org')
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  const kept = await page.evaluate<string>("sessionStorage.getItem('deposit.session')")
  const { token } = JSON.parse(kept) as { readonly token: string }
  const holder = new User(daemon.url, async () => token)
  expect((await holder.get('/deposits/')).status).toBe(200)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()

  await expect.poll(async () => (await holder.get('/deposits/')).status).toBe(401)
})

it('the account lists where one is signed in, and signs out everywhere', async () => {
  await using daemon = await testDaemon()
  await using browser = await launchBrowser()
  const page = await browser.newPage()
  await choosePassphrase(page, await daemon.operate('user add', { email: 'ada@example.org' }))
  await page.goto(`${daemon.origin}/deposit`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('E-mail address').fill('ada@example.org')
  await page.getByLabel('Passphrase').fill(passphrase)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'ada@example.org' }).click()
  const list = page.getByRole('list', { name: 'Where you are signed in' })
  await list.getByText('A browser').waitFor()
  const kept = await page.evaluate<string>("sessionStorage.getItem('deposit.session')")
  const { token } = JSON.parse(kept) as { readonly token: string }
  const holder = new User(daemon.url, async () => token)
  expect((await holder.get('/deposits/')).status).toBe(200)

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()

  await expect.poll(async () => (await holder.get('/deposits/')).status).toBe(401)
})
