import { expect, it } from 'vitest'
import { operateAsOwner } from '../support/owner.ts'
import { hasBrowser, patience, visit } from './visit.ts'

it.skipIf(!hasBrowser)(
  'a new deposit is a data set of today, until somebody says otherwise',
  { timeout: patience },
  async () => {
    await using v = await visit()
    const { page, api } = v
    await page.goto('/deposit/new')
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.getByRole('heading', { level: 1, name: 'Untitled deposit' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1)
    const { metadata } = await api('GET', `/deposits/${id}`)

    const today = await page.evaluate<string>("new Date().toLocaleDateString('sv')")
    expect(metadata).toMatchObject({ publication_date: today, resource_type: 'dataset' })
    expect(await page.getByLabel('Publication date').inputValue()).toBe(today)
    await page.getByLabel('Resource type').first().selectOption({ label: 'Software' })
    await page.locator('.save-status.saved').waitFor()
    expect((await api('GET', `/deposits/${id}`)).metadata['resource_type']).toBe('software')
  },
)

it.skipIf(!hasBrowser)(
  'people add themselves to the creators, by the name of their account, and stay in the form',
  { timeout: patience },
  async () => {
    await using v = await visit()
    const { page, daemon } = v
    const email = 'vera@example.org'
    const operate = (words: string, values: Readonly<Record<string, string>>) =>
      operateAsOwner(daemon.url, daemon.home, words, values)
    await operate('user add', { email, name: 'Vera van der Meer' })
    const scope = 'deposit:write deposit:actions'
    const token = (await operate('token create', { user: email, scope })).at(-1) ?? ''
    await page.goto('/health')
    await page.evaluate(
      `sessionStorage.setItem('deposit.session', ${JSON.stringify(JSON.stringify({ token }))})`,
    )
    await page.goto('/deposit/new')
    await page.getByLabel(/Data set/).check()
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.getByRole('button', { name: 'Publish…' }).click()
    const faults = page.getByRole('region', { name: /problems? to solve/ })
    await faults.getByText('Add at least one creator.').waitFor()
    await faults.getByRole('button', { name: 'Creators' }).press('Enter')
    await expect
      .poll(() => page.evaluate<string>('document.activeElement.textContent'))
      .toBe('Add person or organisation')
    await page.getByRole('button', { name: 'Add me' }).press('Enter')
    // The fault goes with what it was about.
    await faults.getByText('Add at least one creator.').waitFor({ state: 'detached' })

    const name = page.getByLabel(/^Name/).first()
    await expect.poll(() => name.inputValue()).toBe('van der Meer, Vera')
    await expect
      .poll(() => page.evaluate<string>('document.activeElement.id'))
      .toBe('metadata_creators_0_name')
    await page.getByRole('button', { name: 'Add me' }).waitFor({ state: 'detached' })
    await page.locator('.save-status.saved').waitFor()
    expect(v.complaints).toEqual([])
  },
)

it.skipIf(!hasBrowser)(
  'the kind of a draft can be changed, and its fields are kept',
  { timeout: patience },
  async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Tides' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel(/^Description/).fill('Kept')
    await page.getByLabel('Kind of record').selectOption({ label: 'Data set' })
    const isChanged = async (): Promise<boolean> => {
      const { metadata } = await api('GET', `/deposits/${draft.id}`)
      return String(metadata['$schema']).endsWith('/deposits/dataset-v1.0.0.json')
    }
    await expect.poll(isChanged).toBe(true)
    // Of a data set more is demanded.
    await page.getByText('required').first().waitFor()
    expect(await page.getByLabel(/^Description/).inputValue()).toBe('Kept')

    await api('PATCH', `/deposits/${draft.id}`, [
      { op: 'add', path: '/$schema', value: 'deposits/deposit-v1.0.0.json' },
    ])
    await api('POST', `/deposits/${draft.id}/actions/publish`)
    await api('POST', `/deposits/${draft.id}/actions/edit`)
    await page.reload()
    await page.getByLabel(/^Description/).waitFor()
    // A record keeps its own.
    expect(await page.getByLabel('Kind of record').count()).toBe(0)
    expect(v.complaints).toEqual([])
  },
)

it.skipIf(!hasBrowser)(
  'a draft is made once, though its answer was lost and the button is pressed again',
  { timeout: patience },
  async () => {
    await using v = await visit()
    const { page, api } = v
    let isLost = true
    await page.route('**/api/deposits', async (route) => {
      if (route.request().method() !== 'POST' || !isLost) return route.continue()
      isLost = false
      await route.fetch()
      return route.abort()
    })
    await page.goto('/deposit/new')
    await page.getByLabel('Title').fill('Made once')
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.getByText('The service cannot be reached.').waitFor()
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.getByRole('button', { name: 'Publish…' }).waitFor()

    const listed = (await api('GET', '/deposits/')) as unknown as { hits: { total: number } }
    expect(listed.hits.total).toBe(1)
  },
)
