import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { hasBrowser, patience, visit, type Visit } from './visit.ts'

const example = fileURLToPath(new URL('../../examples/pages/deposit.config.ts', import.meta.url))
const institute = 'Institute of Coastal Research'

describe.skipIf(!hasBrowser)('the example of custom pages', { timeout: patience }, () => {
  it('has the institute’s header and footer on every page', async () => {
    await using v = await visit({}, { DEPOSIT_CONFIG: example })
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Draft' })
    const doomed = await api('POST', '/deposits/', { title: 'Doomed' })
    await api('DELETE', `/deposits/${doomed.id}`)

    for (const path of ['/deposit', '/deposit/new', `/deposit/${draft.id}`, '/deposit/nothing']) {
      await expectOwnLayout(v, path)
    }
    await expectOwnLayout(v, `/deposit/${doomed.id}`)
    await page.getByText('It was withdrawn by its owner').waitFor()
    expect(v.complaints).toEqual([])
  })

  it('has a form in the institute’s order, and thanks the user', async () => {
    await using v = await visit({}, { DEPOSIT_CONFIG: example })
    const { page, api } = v
    const draft = await api('POST', '/deposits/', {
      title: 'Readings',
      creators: [{ name: 'Brandt, Mareike' }],
      description: 'Hourly.',
      publication_date: '2026-11-20',
      resource_type: 'dataset',
      license: 'CC-BY-4.0',
      notes: 'kept, and not shown',
    })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('As it should stand in a list of references.').waitFor()
    const headings = await page.locator('.form-section h2').allInnerTexts()
    expect(headings.slice(0, 3)).toEqual([
      'What it is',
      'Who made it',
      'Who paid for it, and what it belongs to',
    ])
    expect(await page.getByLabel('Notes').isVisible()).toBe(false)

    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Thank you! Our curators will have a look.').waitFor()
    await page.locator('.where a').first().click()
    await page.getByRole('link', { name: 'Edit this record' }).waitFor()
    await page.getByRole('link', { name: institute }).waitFor()
    expect((await api('GET', `/deposits/${draft.id}`)).metadata['notes']).toBe(
      'kept, and not shown',
    )
    expect(v.complaints).toEqual([])
  })
})

async function expectOwnLayout({ page }: Visit, path: string): Promise<void> {
  await page.goto(path)
  await page.getByRole('link', { name: institute }).waitFor()
  await page.getByRole('link', { name: 'data@coast.example' }).waitFor()
  expect(await page.title()).toContain(institute)
}
