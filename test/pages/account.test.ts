import { expect, it } from 'vitest'
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
