import { describe, expect, it } from 'vitest'
import { dataciteSettings } from '../support/doi-daemon.ts'
import { scriptedDatacite } from '../support/scripted-datacite.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
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
    await page.getByRole('button', { name: 'Publish…' }).click()
    const said = page.getByRole('dialog').getByText(`${pids.ark.value}, reserved for this record`)
    await said.waitFor()
    expect(v.complaints).toEqual([])
  })

  it('tells at the field that a DOI from elsewhere keeps it from having another', async () => {
    await using datacite = await scriptedDatacite()
    await using folder = await temporaryFolder()
    await using v = await visit({}, { ...(await dataciteSettings(folder.path, datacite.url)) })
    const { page, api } = v
    const { id } = await api('POST', '/deposits/', {
      title: 'Tide of 1962',
      doi: '10.1234/article',
    })
    await page.goto(`/deposit/${id}`)
    await page.getByRole('button', { name: 'Reserve DOI' }).click()
    const faults = page.getByRole('region', { name: '1 problem' })
    await faults.getByText('The metadata name the DOI 10.1234/article').waitFor()

    // As it says.
    await faults.getByRole('button', { name: 'DOI' }).click()
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    await page.getByRole('button', { name: 'Reserve DOI' }).click()
    await page.getByText('(reserved: it works as a link once you publish)').waitFor()
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
