import { describe, expect, it } from 'vitest'
import { focused, pressEnterOn, tabTo } from './keyboard.ts'
import { choose, files, openDraft, slowDown } from './upload-steps.ts'
import { hasBrowser, patience, visit, type ApiAnswer, type Visit } from './visit.ts'

describe.skipIf(!hasBrowser)('the files of a draft', { timeout: patience }, () => {
  it('stand in path order once they have arrived together', async () => {
    await using v = await visit()
    const draft = await openDraft(v)
    const names = [
      'big.csv',
      'data-01.txt',
      'data-02.txt',
      'data-03.txt',
      'data-04.txt',
      'photo.jpg',
    ]
    await v.upload(draft, 'z.txt', 'there before')
    await choose(
      v.page,
      names
        .toReversed()
        .map((name) => ({ name, buffer: Buffer.alloc(name === 'big.csv' ? 4e6 : 9, 1) })),
    )

    await expect
      .poll(async () => (await files(v, draft)).map(({ filename }) => filename))
      .toEqual(['z.txt', ...names])
    const shown = v.page.locator('.files ol .file-name')
    await expect.poll(async () => (await shown.allInnerTexts()).at(-1)).toContain('photo.jpg')
  })

  it('are found by folder and name, page by page, and make no longer page by being many', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await manyFiles(v)
    await page.goto(`/deposit/${draft.id}`)
    const folders = page.locator('.folders .file-name')
    await folders.first().waitFor()
    expect((await folders.allInnerTexts()).map((name) => name.trim())).toEqual(['a/', 'raw/'])
    expect(await page.locator('.files ol .file').count()).toBe(1)
    expect(await height(page)).toBeLessThan(5_000)

    await page.getByRole('button', { name: 'raw/', exact: true }).click()
    await page.getByText('1–25 of 40').waitFor()
    await page.getByRole('button', { name: 'Preview raw/data-07.csv' }).waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('26–40 of 40').waitFor()
    expect(await page.locator('.files ol .file').count()).toBe(15)
    await page.getByRole('searchbox', { name: 'Filter files by name' }).fill('data 3')
    await page.getByText('13 files found').waitFor()
    await page.getByRole('searchbox', { name: 'Filter files by name' }).fill('')
    await page.getByRole('button', { name: 'All files' }).click()
    await folders.first().waitFor()
    expect(v.complaints).toEqual([])
  })

  it('are moved, sorted and removed several at a time, with the keyboard as well', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'Several' })
    for (const key of ['c.txt', 'b.txt', 'a.txt']) await v.upload(draft, key, key)
    await page.goto(`/deposit/${draft.id}`)
    const names = async () => (await files(v, draft)).map(({ filename }) => filename)
    await page.getByRole('button', { name: 'Sort by name' }).click()
    await expect.poll(names).toEqual(['a.txt', 'b.txt', 'c.txt'])

    await tabTo(page, 'Rename b.txt')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('New name of b.txt')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('Rename b.txt')
    await tabTo(page, 'Select a.txt')
    await page.keyboard.press('Space')
    await tabTo(page, 'Select c.txt')
    await page.keyboard.press('Space')
    await page.getByText('2 files selected, 10 B').waitFor()
    await page.getByRole('button', { name: 'Move to folder…' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel(/^Folder/).fill('x'.repeat(300))
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
    await page.locator('.field-error', { hasText: /\S/ }).waitFor()
    await page.getByLabel(/^Folder/).fill('data/raw/')
    await pressEnterOn(page, /^Move$/)
    await page.getByText('Moved 2 files.').waitFor()
    await expect.poll(names).toEqual(['data/raw/a.txt', 'b.txt', 'data/raw/c.txt'])

    await page.getByLabel('Select all').check()
    await page.getByRole('button', { name: 'Remove selected' }).click()
    const removed = page.locator('.toast', { hasText: 'Removed 3 files.' })
    await removed.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Remove b.txt' }).waitFor()
    await page.getByLabel('Select data/raw/a.txt').check()
    await page.getByRole('button', { name: 'Remove selected' }).click()
    // While that can be undone, the others can be moved.
    await page.getByRole('button', { name: 'Move down: b.txt' }).click()
    await expect.poll(names).toEqual(['data/raw/c.txt', 'b.txt'])
    expect(v.complaints).toEqual([])
  })

  it('get the order that was chosen while one of them went', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'At once' })
    for (const key of ['a.txt', 'b.txt', 'c.txt']) await v.upload(draft, key, key)
    await page.goto(`/deposit/${draft.id}`)
    await page.getByRole('button', { name: 'Remove a.txt' }).waitFor()
    const isMoved = Promise.withResolvers<undefined>()
    await page.route(/\/files$/, async (route) => {
      if (route.request().method() === 'GET') await isMoved.promise
      await route.continue()
    })
    const isRemoved = page.waitForResponse((response) => response.request().method() === 'DELETE')
    await page.getByRole('button', { name: 'Remove a.txt' }).click()
    await isRemoved
    await page.getByRole('button', { name: 'Move down: b.txt' }).click()
    isMoved.resolve(undefined)

    const names = async () => (await files(v, draft)).map(({ filename }) => filename)
    await expect.poll(names).toEqual(['c.txt', 'b.txt'])
    expect(await page.locator('.toast.bad').count()).toBe(0)
    expect(v.complaints).toEqual([])
  })

  it('are added to the folder that is open, and take the place of those of their names there', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'In a folder' })
    for (let each = 0; each < 22; each += 1) await v.upload(draft, `data/raw/${each}.csv`, 'x')
    await v.upload(draft, 'data/README.txt', 'old')
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('Drop files or folders anywhere on this page', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'data/', exact: true }).click()
    await page.getByText('to add them to data/').waitFor()
    const buffer = Buffer.from('corrected')
    await choose(page, [
      { name: 'README.txt', buffer },
      { name: '.env', buffer },
    ])
    await page.getByRole('button', { name: 'Replace it data/README.txt' }).click()
    await page.getByRole('button', { name: 'Upload them too' }).click()
    const there = async () =>
      (await files(v, draft))
        .filter(({ filename }) => !filename.endsWith('.csv'))
        .map(({ filename, filesize }) => `${filename} ${filesize}`)
        // They are sent at the same time, and arrive in any order.
        .toSorted()
    await expect.poll(there).toEqual(['data/.env 9', 'data/README.txt 9'])
    expect(v.complaints).toEqual([])
  })

  it('keep the folders that are moved with them, and are moved back by an undo', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Stations' })
    for (const station of ['1', '2', '3'])
      for (let day = 1; day <= 8; day += 1)
        await v.upload(draft, `data/station ${station}/raw/day-${day}.csv`, `${station} ${day}`)
    await page.goto(`/deposit/${draft.id}`)
    const names = async () => (await files(v, draft)).map(({ filename }) => filename).toSorted()
    const before = await names()
    await page.getByRole('button', { name: 'data/', exact: true }).click()
    await page.getByLabel('Select station 1/').check()
    await page.getByLabel('Select station 2/').check()
    await page.getByRole('button', { name: 'Move to folder…' }).click()
    await page.getByLabel('Folder, such as data/raw; empty for no folder').fill('old')
    await page
      .getByText('data/station 1/raw/day-1.csv becomes old/station 1/raw/day-1.csv.')
      .waitFor()
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText('Moved 16 files.').waitFor()
    const moved = before.map((name) => name.replace(/^data\/(?=station [12])/, 'old/')).toSorted()
    expect(await names()).toEqual(moved)

    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect.poll(names).toEqual(before)
    expect(v.complaints).toEqual([])
  })

  it('are moved several at a time, and those that cannot be are told and stay', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Moved' })
    for (let each = 10; each < 40; each += 1) await v.upload(draft, `${each}.txt`, 'x')
    await v.upload(draft, 'data/15.txt', 'in the way')
    await page.goto(`/deposit/${draft.id}`)
    let [now, most] = [0, 0]
    await page.route('**/files/*', async (route) => {
      most = Math.max(most, (now += 1))
      await new Promise((resolve) => setTimeout(resolve, 100))
      await route.continue()
      now -= 1
    })
    await page.getByLabel('Select all').check()
    await page.getByRole('button', { name: 'Move to folder…' }).click()
    await page.getByLabel('Folder, such as data/raw; empty for no folder').fill('data')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText(/^Moving files: \d+ of 30$/).waitFor()
    await page.getByText('1 file was not moved: 15.txt').waitFor()
    await page.getByText('Moved 29 files.').waitFor()
    expect(most).toBe(6)
    const { length } = (
      (await api('GET', `/deposits/${draft.id}/files`)) as unknown as {
        filename: string
      }[]
    ).filter(({ filename }) => filename.startsWith('data/'))
    expect(length).toBe(30)
  })

  it('are uploaded with one progress for all, which stops, goes on and ends', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    // None ends before all are paused, however slow the browser is.
    await slowDown(page, 300_000)
    const some = Array.from({ length: 6 }, (_, at) => ({
      name: `f${at}.bin`,
      buffer: Buffer.alloc(2_000_000, at),
    }))
    await choose(page, some)
    const all = page.getByRole('group', { name: 'All uploads' })
    await all.getByText(/\/s · \d+ s left/).waitFor()
    await all.getByText('of 12.0 MB').waitFor()
    const nav = page.getByRole('navigation', { name: 'Parts of this page' })
    await nav.getByText('0 of 6 uploaded').waitFor()
    await all.getByRole('button', { name: 'Pause all' }).click()
    await expect.poll(() => page.getByText(/Paused at/).count()).toBe(6)
    await all.getByRole('button', { name: 'Resume all' }).click()
    await nav.getByText(/[1-5] of 6 uploaded/).waitFor()
    const asked = page.waitForEvent('dialog')
    await Promise.all([asked, page.getByRole('link', { name: 'Deposits' }).click()])
    expect((await asked).type()).toBe('beforeunload')
    await page.goto(`/deposit/${draft.id}`)
    await page
      .getByText(/Stopped at/)
      .first()
      .waitFor()
    await page.goto('/deposit')
    await page.goto(`/deposit/${draft.id}`)
    await page.getByRole('button', { name: 'Choose files' }).waitFor()
    await slowDown(page, 100_000)
    await choose(
      page,
      some.map(({ buffer }, at) => ({ name: `g${at}.bin`, buffer })),
    )
    await page.getByText('0 of 6 uploaded').first().waitFor()
    await all.getByRole('button', { name: 'Cancel all' }).click()
    await expect.poll(() => page.getByText(/^g\d/).count()).toBe(0)
    const begun = async () =>
      (await v.api('GET', `/deposits/${draft.id}/uploads`)) as unknown as { filename: string }[]
    await expect
      .poll(async () => (await begun()).filter(({ filename }) => filename.startsWith('g')))
      .toEqual([])
    expect((await files(v, draft)).filter(({ filename }) => filename.startsWith('g'))).toEqual([])
  })
})

async function manyFiles(v: Visit): Promise<ApiAnswer> {
  const draft = await v.api('POST', '/deposits/', { title: 'Many files' })
  const numbers = Array.from({ length: 40 }, (_, at) => String(at).padStart(2, '0'))
  for (const number of numbers) await v.upload(draft, `raw/data-${number}.csv`, 'a,b\n1,2\n')
  await v.upload(draft, 'a/b/deep.txt', 'deep')
  await v.upload(draft, 'README.md', '# Many')
  return draft
}

function height(page: Visit['page']): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollHeight')
}
