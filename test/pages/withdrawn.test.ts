import axe, { type AxeResults } from 'axe-core'
import { describe, expect, it } from 'vitest'
import { desktop, hasBrowser, patience, phone, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('an owner who withdraws a record', { timeout: patience }, () => {
  it.for([
    ['a desk', desktop],
    ['a phone', phone],
  ] as const)('says why, and restores it later, at %s', async ([, viewport]) => {
    await using v = await visit({ viewport })
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Tide of 1962' })
    await v.upload(draft, 'levels.csv', '1,2\n')
    const published = await api('POST', `/deposits/${draft.id}/actions/publish`)
    const record = `/records/${published.metadata._deposit.value}`
    const action = (name: string) => page.getByRole('button', { name, exact: true })
    const dialog = page.getByRole('dialog')
    // The browser has seen it, and could show it again for an hour.
    await page.goto(record)
    await page.getByRole('heading', { level: 1, name: 'Tide of 1962' }).waitFor()

    await page.goto(`/deposit/${draft.id}`)
    await action('Withdraw…').click()
    await dialog.getByRole('button', { name: 'Withdraw' }).click()
    await dialog.getByText('Choose a reason.').waitFor()
    await dialog.getByLabel('Reason').selectOption('It is published twice')
    await dialog.getByLabel('Note').fill('Published <twice>.')
    await dialog.getByLabel('Replaced by').fill('https://doi.org/10.5072/other')
    await dialog.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText('only its owners can read it').waitFor()
    expect(await action('Edit').count()).toBe(0)
    const badge = page.locator('.badge')
    expect(await badge.innerText()).toBe('Withdrawn')
    await page.goto('/deposit')
    expect(await page.locator('.deposit-row .badge').innerText()).toBe('Withdrawn')

    await page.goto(record)
    await page.getByRole('heading', { level: 1, name: 'This record was withdrawn' }).waitFor()
    const said = await page.getByRole('main').innerText()
    for (const part of [
      'Tide of 1962',
      'an administrator',
      'It is published twice',
      'Published <twice>.',
    ])
      expect(said).toContain(part)
    expect(await page.locator('time').innerText()).toMatch(/^\d{1,2} [A-Z][a-z]+ \d{4}$/)
    const other = page.getByRole('link', { name: '10.5072/other' })
    expect(await other.getAttribute('href')).toBe('https://doi.org/10.5072/other')
    // The answer stands beside its question, or below it.
    const [question, answer] = await Promise.all([
      page.getByText('Reason', { exact: true }).boundingBox(),
      page.getByText('It is published twice').boundingBox(),
    ])
    expect((answer?.y ?? 0) - (question?.y ?? 0)).toBeGreaterThanOrEqual(0)
    expect((answer?.y ?? 9999) - (question?.y ?? 0)).toBeLessThan(50)
    const { scrollWidth, clientWidth } = await page.evaluate<Widths>(
      '(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)',
    )
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth)
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate<AxeResults>('axe.run()')
    expect(violations.map(({ id }) => id)).toEqual([])

    await page.goto(`/deposit/${draft.id}`)
    await action('Restore the record…').click()
    await page.getByRole('dialog').getByText('Everybody can read and download it again').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore the record' }).click()
    await action('Withdraw…').waitFor()
    await page.goto(record)
    await page.getByRole('heading', { level: 1, name: 'Tide of 1962' }).waitFor()

    // For good, the files go as well.
    await page.goto(`/deposit/${draft.id}`)
    await action('Withdraw…').click()
    await dialog
      .getByLabel('Reason')
      .selectOption('It contains personal data that must not be public')
    await dialog.getByLabel('Also remove the files for good').check()
    await dialog.getByRole('button', { name: 'Withdraw and remove the files' }).click()
    await page.getByText('its files are gone for good').waitFor()
    expect(await action('Restore the record…').count()).toBe(0)
    expect(v.complaints.filter((complaint) => !complaint.includes('410'))).toEqual([])
  })
})

describe.skipIf(!hasBrowser)(
  'a version after one that was withdrawn',
  { timeout: patience },
  () => {
    it('is published only after its owner was told why that one was withdrawn', async () => {
      await using v = await visit()
      const { page, api } = v
      const first = await api('POST', '/deposits/', { title: 'Interviews of 1962' })
      await v.upload(first, 'names.csv', '1,2\n')
      const published = await api('POST', `/deposits/${first.id}/actions/publish`)
      const reason = 'personal-data'
      await api('POST', `/deposits/${first.id}/actions/withdraw`, { reason })
      const next = await api('POST', `/deposits/${first.id}/actions/newversion`)
      await page.goto(`/deposit/${next.id}`)
      await page.getByRole('button', { name: 'Publish…' }).click()
      const dialog = page.getByRole('dialog')
      const notice = dialog.getByText('The version before this one was withdrawn on')
      await notice.waitFor()
      expect(await notice.innerText()).toContain(
        'It contains personal data that must not be public',
      )
      const link = dialog.getByRole('link', { name: 'What is said of the withdrawal' })
      expect(await link.getAttribute('href')).toMatch(
        new RegExp(`/records/${published.metadata._deposit.value}$`),
      )
    })
  },
)

interface Widths {
  readonly scrollWidth: number
  readonly clientWidth: number
}
