import { expect, it } from 'vitest'
import { hasBrowser, patience, visit } from './visit.ts'

it.skipIf(!hasBrowser)(
  'a preview of a record has an address, which opens it again, in a folded folder too',
  { timeout: patience },
  async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Many files' })
    for (let number = 0; number < 21; number += 1)
      await v.upload(draft, `raw data/level ${number}.csv`, `a,b\n${number},b`)
    await v.upload(draft, 'README.md', '# Many')
    await v.upload(draft, 'empty.txt', '')
    const { metadata } = await api('POST', `/deposits/${draft.id}/actions/publish`)
    const record = `/records/${metadata._deposit.value}`

    await page.goto(record)
    await page.getByRole('button', { name: 'Preview README.md' }).click()
    await page.getByRole('dialog', { name: 'README.md' }).waitFor()
    expect(new URL(page.url()).hash).toBe('#preview/README.md')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).hash).toBe('')

    await page.goto(`${record}#preview/raw%20data/level%207.csv`)
    await page.getByRole('dialog', { name: 'raw data/level 7.csv' }).waitFor()
    await page.getByRole('cell', { name: '7' }).waitFor()
    await page.goto(`${record}#preview/empty.txt`)
    await page.getByRole('dialog').getByText('This file is empty.').waitFor()
    await page.goto(`${record}#preview/README.md`)
    await page.getByRole('dialog', { name: 'README.md' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(1)
    await page.goto(`${record}#preview/nothing.csv`)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(v.complaints).toEqual([])
  },
)
