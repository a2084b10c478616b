import { describe, expect, it } from 'vitest'
import { hasBrowser, patience, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('a reader of a draft', { timeout: patience }, () => {
  it('sees a text to read and the files, and no form', async () => {
    await using v = await visit()
    const reader = await v.as('rolf@example.org')
    const draft = await v.api('POST', '/deposits/', {
      title: 'Tide of 1962',
      creators: [{ affiliation: ['University of Bergen'], name: 'Okafor, Chidi' }],
      description: 'Levels at the gauge.\n\n<b>Not markup.</b>',
      language: 'en',
      publication_date: '2026-11',
      made_up: { unit: 'm' },
    })
    await v.upload(draft, 'levels.csv', 'a,b\n1,2')
    await v.api('POST', `/deposits/${draft.id}/people`, {
      user: 'rolf@example.org',
      role: 'reader',
    })
    const { page } = reader
    await page.goto(`/deposit/${draft.id}`)
    const reading = page.getByRole('region', { name: 'Metadata' })

    await page.getByText('You can read this draft and download its files.').waitFor()
    await reading.getByText('Okafor, Chidi · University of Bergen').waitFor()
    await reading.getByText('<b>Not markup.</b>').waitFor()
    await reading.getByText('November 2026').waitFor()
    await reading.getByText('English').waitFor()
    await reading.getByText('unit: m').waitFor()
    await page.getByRole('button', { name: 'Preview levels.csv' }).click()
    await page.getByRole('cell', { name: '2' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Download levels.csv' }).waitFor()

    for (const role of ['textbox', 'combobox', 'checkbox'] as const)
      expect(await page.getByRole(role).count()).toBe(0)
    for (const name of [/Remove/, /Rename/, /Undo/, /Publish/, /Delete/, /Make a link/])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    // Nothing was tried that is refused.
    const noted = await v.daemon.operate('audit', { user: 'rolf@example.org' })
    expect(noted.join('\n')).not.toContain('permission_denied')

    await page.getByRole('button', { name: 'Leave this deposit…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByText('Nothing here yet').waitFor()
    const people = await v.api('GET', `/deposits/${draft.id}/people`)
    expect(people).toMatchObject([{ user: { email: 'ada@example.org' } }])
    expect(reader.complaints).toEqual([])
  })

  it('reads what was published in the same way, also its owner', async () => {
    await using v = await visit()
    const draft = await v.api('POST', '/deposits/', { title: 'Tide of 1962', language: 'en' })
    await v.api('POST', `/deposits/${draft.id}/actions/publish`)
    await v.page.goto(`/deposit/${draft.id}`)
    await v.page.getByRole('region', { name: 'Metadata' }).getByText('English').waitFor()
    expect(await v.page.getByLabel(/^Title/).count()).toBe(0)

    await v.page.getByRole('button', { name: 'Edit', exact: true }).click()
    await v.page.getByLabel(/^Title/).fill('Tide of 1953')
    await v.page.locator('.save-status.saved').waitFor()
    expect(v.complaints).toEqual([])
  })
})
