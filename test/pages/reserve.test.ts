import { describe, expect, it } from 'vitest'
import { hasBrowser, patience, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('the page of a draft', { timeout: patience }, () => {
  it('reserves the identifier of its record, with what was typed, and shows it', async () => {
    await using v = await visit({}, { DEPOSIT_PID_MINTER: 'ark' })
    const { page, api } = v
    const { id } = await api('POST', '/deposits/', { title: 'Tide of 1962' })
    await page.goto(`/deposit/${id}`)
    await page.getByLabel('Title').fill('Tide of 1963')
    await page.getByRole('button', { name: 'Reserve DOI' }).click()

    const ark = page.locator('.where').getByText(/^ark:99999\//)
    await ark.waitFor()
    await page.getByText('(reserved: it works as a link once you publish)').waitFor()
    expect(await page.getByRole('button', { name: 'Reserve DOI' }).count()).toBe(0)
    expect(await page.getByLabel('Title').inputValue()).toBe('Tide of 1963')
    const { pids } = (await api('GET', `/deposits/${id}`)) as unknown as {
      readonly pids: { readonly ark: { readonly value: string } }
    }
    expect(await ark.innerText()).toBe(pids.ark.value)
    expect(v.complaints).toEqual([])
  })

  it('offers none where the service makes none', async () => {
    await using v = await visit()
    const { page, api } = v
    const { id } = await api('POST', '/deposits/', { title: 'Tide of 1962' })
    await page.goto(`/deposit/${id}`)
    await page.getByRole('button', { name: 'Publish…' }).waitFor()
    expect(await page.getByRole('button', { name: 'Reserve DOI' }).count()).toBe(0)
  })
})
