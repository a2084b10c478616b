import { describe, expect, it } from 'vitest'
import { hasBrowser, patience, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('the review of a draft', { timeout: patience }, () => {
  it('goes from submission to acceptance, with a mouse', async () => {
    await using v = await visit({}, { DEPOSIT_REVIEW: 'required' })
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Tide of 1962' })
    await page.goto(`/deposit/${draft.id}`)
    const title = page.getByLabel('Title', { exact: true })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const confirm = (name: string) =>
      page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
    const submit = async () => {
      await button('Submit…').click()
      await confirm('Submit')
      await page.getByText('This draft waits for review.').waitFor()
    }

    await submit()
    expect(await button('Publish…').count()).toBe(0)
    expect(await title.isDisabled()).toBe(true)
    expect(await button('Choose files').count()).toBe(0)
    await button('Return…').click()
    await confirm('Return')
    await page.getByText('Write what has to be changed.').waitFor()
    await page.getByRole('dialog').getByLabel('What has to be changed').fill('Name the gauge.')
    await confirm('Return')
    await page.getByText('Name the gauge.').waitFor()

    await submit()
    await button('Take back').click()
    await title.fill('Tide of 1953')
    await page.locator('.save-status.saved').waitFor()

    await submit()
    await button('Accept…').click()
    await confirm('Accept and publish')
    await page.getByText('Published as').waitFor()
    const { metadata } = await api('GET', `/deposits/${draft.id}`)
    expect(metadata).toMatchObject({ title: 'Tide of 1953', _deposit: { status: 'published' } })
    expect(v.complaints).toEqual([])
  })
})
