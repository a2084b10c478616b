import { expect, it } from 'vitest'
import { operateAsOwner } from '../support/owner.ts'
import { choosePassphrase, passphrase } from '../support/colleague.ts'
import { hasBrowser, patience, visit } from './visit.ts'

it.skipIf(!hasBrowser)(
  'pages say who is signed in, and lead to the account with its tokens',
  { timeout: patience },
  async () => {
    await using v = await visit()
    const { page } = v
    await page.goto('/deposit')
    await page.getByRole('link', { name: 'ada@example.org' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    await page.getByText(/of .+ used/).waitFor()
    await page.getByText('administrator').waitFor()
    await page.getByLabel('Name of the program').fill('Thermometer')
    await page.getByRole('button', { name: 'Make a token' }).click()
    const value = await page.locator('.new-token').innerText()
    const ask = (method: string) =>
      fetch(`${v.daemon.url}/api/deposits/`, {
        method,
        headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{}' }),
      })
    expect([(await ask('GET')).status, (await ask('POST')).status]).toEqual([200, 403])
    await page.getByRole('button', { name: 'Revoke Thermometer' }).click()
    await page.getByText('The token Thermometer is revoked.').waitFor()
    expect((await ask('GET')).status).toBe(401)
    expect(v.complaints).toEqual([])
  },
)

it.skipIf(!hasBrowser)(
  'people change their passphrase from their account, by keyboard, and sign in with the new one',
  { timeout: patience },
  async () => {
    await using v = await visit()
    const { page, daemon } = v
    const email = 'ada@example.org'
    const printed = await operateAsOwner(daemon.url, daemon.home, 'user link', { email })
    await choosePassphrase(page, printed.join('\n'))
    await page.goto('/deposit/account')
    await page.getByRole('link', { name: 'Change the passphrase' }).press('Enter')
    const changed = 'a horse of another colour'
    await page.getByLabel('E-mail address').fill(email)
    const current = page.getByLabel('Passphrase', { exact: true })
    await current.fill('not this one, surely')
    await page.getByLabel('New passphrase').fill(changed)
    await page.getByLabel('New passphrase').press('Enter')
    await page.getByRole('alert').getByText('is wrong').waitFor()
    await current.fill(passphrase)
    await page.getByLabel('New passphrase').fill(changed)
    await page.getByLabel('New passphrase').press('Enter')
    await page.getByRole('heading', { name: 'The passphrase is set' }).waitFor()

    await page.evaluate("sessionStorage.setItem('deposit.session', 'null')")
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Passphrase').fill(changed)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your deposits' }).waitFor()
  },
)
