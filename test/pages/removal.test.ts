import { describe, expect, it } from 'vitest'
import { choose, draftWithFiles, files } from './upload-steps.ts'
import { hasBrowser, patience, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('the removal of a file', { timeout: patience }, () => {
  it('happens at once, and an undo brings the file back to its place', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await draftWithFiles(v)
    await page.getByRole('button', { name: 'Remove a.txt' }).click()
    await page.getByText('Removed a.txt.').waitFor()
    expect(await files(v, draft)).toMatchObject([{ filename: 'b.txt' }])
    await page.getByText('Deleted files (1)').waitFor()
    await page.getByRole('heading', { name: 'Files 1 file, 5 B' }).waitFor()

    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByRole('button', { name: 'Remove a.txt' }).waitFor()
    expect(await files(v, draft)).toMatchObject([{ filename: 'a.txt' }, { filename: 'b.txt' }])
    await expect.poll(() => page.getByText(/^Deleted files/).count()).toBe(0)
    expect(v.complaints).toEqual([])
  })

  it('leaves a file alone that another tab has replaced', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await draftWithFiles(v)
    await page.getByRole('button', { name: 'Remove a.txt' }).waitFor()
    await api('DELETE', `/deposits/${draft.id}/files/a.txt`)
    await v.upload(draft, 'a.txt', 'the corrected one')
    await page.getByRole('button', { name: 'Remove a.txt' }).click()
    await page.getByText('a.txt was replaced meanwhile.').waitFor()
    await page.getByRole('heading', { name: 'Files 2 files, 22 B' }).waitFor()
    expect(await files(v, draft)).toMatchObject([{ filename: 'b.txt' }, { filesize: 17 }])
    await page.getByRole('button', { name: 'Remove a.txt' }).click()
    await page.getByText('Removed a.txt.').waitFor()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect
      .poll(() => files(v, draft))
      .toMatchObject([{ filename: 'b.txt' }, { filename: 'a.txt', filesize: 17 }])
  })

  it('leaves a file alone that is replaced in another tab while the request is on its way', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await draftWithFiles(v)
    const other = await page.context().newPage()
    await other.goto(`/deposit/${draft.id}`)
    await other.getByRole('button', { name: 'Remove a.txt' }).waitFor()
    await page.route('**/files/a.txt', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue()
      await choose(other, [{ name: 'a.txt', buffer: Buffer.from('the corrected one') }])
      await other.getByRole('button', { name: 'Replace it a.txt' }).click()
      await expect
        .poll(() => files(v, draft))
        .toContainEqual(expect.objectContaining({ filesize: 17 }))
      return route.continue()
    })
    await page.getByRole('button', { name: 'Remove a.txt' }).click()
    await page.getByText('a.txt was replaced meanwhile.').waitFor()
    expect(await files(v, draft)).toContainEqual(expect.objectContaining({ filesize: 17 }))
  })

  it('is done before the draft is published: what the list shows becomes public', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await draftWithFiles(v)
    await page.route('**/files/a.txt', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      await route.continue()
    })
    await page.getByRole('button', { name: 'Remove a.txt' }).click()
    await page.getByRole('button', { name: 'Publish…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 file, 5 B').waitFor()
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.locator('#just-published').waitFor()
    expect(await files(v, draft)).toMatchObject([{ filename: 'b.txt' }])
  })

  it('leaves a corrected file of the same name alone, and the undo asks for another name', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await draftWithFiles(v)
    await page.route('**/files/a.txt', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      await route.continue()
    })
    await page.getByRole('button', { name: 'Remove a.txt' }).click()
    await choose(page, [{ name: 'a.txt', buffer: Buffer.from('corrected') }])
    await page.getByRole('button', { name: 'Remove a.txt' }).waitFor()
    await expect
      .poll(() => files(v, draft))
      .toMatchObject([{ filename: 'b.txt' }, { filename: 'a.txt', filesize: 9 }])

    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'There is another file a.txt now' })
    await dialog.getByRole('button', { name: 'Bring back' }).click()
    await page.getByRole('button', { name: 'Remove a-restored.txt' }).waitFor()
    expect(await files(v, draft)).toHaveLength(3)
    expect(v.complaints).toEqual([])
  })

  it('of several is undone for all of them', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await draftWithFiles(v)
    await page.getByLabel('Select all').check()
    await page.getByRole('button', { name: 'Remove selected' }).click()
    await page.getByText('Removed 2 files.').waitFor()
    expect(await files(v, draft)).toEqual([])
    await page.getByText('Deleted files (2)').waitFor()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByRole('button', { name: 'Remove b.txt' }).waitFor()
    expect(await files(v, draft)).toMatchObject([{ filename: 'a.txt' }, { filename: 'b.txt' }])
  })

  it('says so where the draft is closed to it meanwhile, and shows the file again', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await draftWithFiles(v)
    await v.api('POST', `/deposits/${draft.id}/actions/publish`)
    await page.getByRole('button', { name: 'Remove a.txt' }).click()
    await page.locator('.toast.bad').waitFor()
    await page.getByRole('button', { name: 'Download a.txt' }).waitFor()
    expect(await files(v, draft)).toHaveLength(2)
  })

  it('happens at once when the page is left', async () => {
    await using v = await visit()
    const draft = await draftWithFiles(v)
    await v.page.getByRole('button', { name: 'Remove a.txt' }).click()
    await v.page.getByText('Removed a.txt.').waitFor()
    await v.page.goto('/deposit/new')

    await expect.poll(() => files(v, draft)).toHaveLength(1)
  })

  it('of several is done for those that wait, too, when the page is left', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Several' })
    for (let each = 0; each < 12; each += 1) await v.upload(draft, `${each}.txt`, 'x')
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel('Select all').check()
    // The first are under way, and no answer comes before the page is left.
    let asked = 0
    await page.route('**/files/*', (route) => {
      asked += 1
      return asked > 4 ? route.continue() : undefined
    })
    await page.getByRole('button', { name: 'Remove selected' }).click()
    await expect.poll(() => asked).toBe(4)
    await page.goto('/deposit/new')

    await expect.poll(async () => (await files(v, draft)).length).toBeLessThanOrEqual(4)
  })
})
