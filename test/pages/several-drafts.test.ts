import { expect, it } from 'vitest'
import { tabTo } from './keyboard.ts'
import { hasBrowser, patience, visit } from './visit.ts'

it.skipIf(!hasBrowser)(
  'several drafts of the list are deleted at once, by keyboard, and drafts without a title have a day',
  { timeout: patience },
  async () => {
    await using v = await visit()
    const { page, api } = v
    for (const title of ['Tides', 'Waves', 'Winds']) await api('POST', '/deposits/', { title })
    await api('POST', '/deposits/', {})
    const published = await api('POST', '/deposits/', { title: 'Ice' })
    await api('POST', `/deposits/${published.id}/actions/publish`)
    await page.goto('/deposit')
    await page.getByRole('link', { name: /^Untitled draft of \d+ \w+ \d{4}$/ }).waitFor()
    await page.getByLabel('Select Tides').waitFor()
    expect(await page.getByLabel('Select Ice').count()).toBe(0)

    await tabTo(page, 'Select Waves')
    await page.keyboard.press('Space')
    await page.getByText('1 draft selected').waitFor()
    await page.getByLabel(/^Select Untitled/).check()
    await page.getByText('2 drafts selected').waitFor()
    // Another program was faster.
    const { hits } = (await api('GET', '/deposits/?q=Waves')) as unknown as {
      readonly hits: { readonly hits: readonly { readonly id: string }[] }
    }
    await api('DELETE', `/deposits/${hits.hits[0]?.id}`)
    await page.getByRole('button', { name: 'Delete drafts…' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Waves').waitFor()
    await dialog.getByRole('button', { name: 'Delete drafts' }).click()
    await page.getByText('Deleted 2 drafts.').waitFor()

    await expect
      .poll(async () => (await page.locator('.row-link').allInnerTexts()).toSorted())
      .toEqual(['Ice', 'Tides', 'Winds'])
    expect(await page.getByText('selected').count()).toBe(0)
    expect(v.complaints).toEqual([])
  },
)
