import { describe, expect, it } from 'vitest'
import { hasBrowser, patience, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('a browser that has seen a record', { timeout: patience }, () => {
  it('shows the new text after publishing again, at once', async () => {
    await using v = await visit()
    const { page, api } = v
    const { id } = await api('POST', '/deposits/', { title: 'Tide of 1962' })
    const published = await api('POST', `/deposits/${id}/actions/publish`)
    const record = `/records/${published.metadata._deposit.value}`
    await page.goto(record)
    await page.getByRole('heading', { level: 1, name: 'Tide of 1962' }).waitFor()

    await page.goto(`/deposit/${id}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Title').fill('Tide of 1963')
    await page.getByRole('button', { name: 'Publish changes…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('button', { name: 'New version' }).waitFor()
    await page.locator('.where a').first().click()

    await page.waitForURL(`**${record}`)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Tide of 1963')
    expect(v.complaints).toEqual([])
  })
})
