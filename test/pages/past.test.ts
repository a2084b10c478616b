import { describe, expect, it } from 'vitest'
import { pressEnterOn } from './keyboard.ts'
import { hasBrowser, patience, visit, type ApiAnswer, type Visit } from './visit.ts'

describe.skipIf(!hasBrowser)('the history of a draft', { timeout: patience }, () => {
  it('says who changed what, and undoes one change or goes back behind several', async () => {
    await using v = await visit()
    const { page, api } = v
    const editor = await v.as('edda@example.org')
    const draft = await api('POST', '/deposits/', { title: 'First', keywords: ['tide'] })
    const share = { user: 'edda@example.org', role: 'editor' }
    await api('POST', `/deposits/${draft.id}/people`, share)
    await editor.api('PATCH', `/deposits/${draft.id}`, [
      { op: 'replace', path: '/title', value: 'Second' },
    ])
    await api('PATCH', `/deposits/${draft.id}`, [
      { op: 'replace', path: '/title', value: 'Third' },
      { op: 'add', path: '/language', value: 'en' },
      { op: 'remove', path: '/keywords' },
    ])
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('History', { exact: true }).click()
    const changes = page.getByRole('list', { name: 'Changes, newest first' })
    await changes.getByText('Added Language. Removed Keywords. Changed Title').waitFor()
    const texts = await changes.locator('.change').allInnerTexts()
    expect(texts[0]).toContain('by you')
    expect(texts[1]).toContain('Changed Title')
    expect(texts[1]).toContain('by edda@example.org')
    await changes.getByText('Show the change').last().click()
    await changes.locator('del', { hasText: 'First' }).waitFor()
    await changes.locator('ins', { hasText: 'Second' }).waitFor()

    await page.getByRole('button', { name: 'Undo this change' }).click()
    await page.getByText('The change is undone.').waitFor()
    expect(await titleOf(v, draft)).toBe('Second')
    expect(await page.getByLabel(/^Title/).inputValue()).toBe('Second')
    await changes.getByText(/^Undid a change/).waitFor()

    await page.getByRole('button', { name: 'Go back to before this change' }).last().click()
    await page.getByText('The metadata are as they were before that change.').waitFor()
    expect(await titleOf(v, draft)).toBe('First')
    // It contradicts nothing: the way back is in the message and in the history.
    expect(await page.getByRole('button', { name: 'Undo change' }).isDisabled()).toBe(true)
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).last().click()
    await page.getByText('The metadata are as they were before.', { exact: true }).waitFor()
    expect(await titleOf(v, draft)).toBe('Second')
    expect(v.complaints).toEqual([])
  })

  it('keeps what is typed: it is saved before the undo', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'First' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel(/^Title/).fill('Typed')
    await page.locator('.save-status.saved').waitFor()
    await page.getByText('History', { exact: true }).click()
    const undo = page.getByRole('button', { name: 'Undo this change' })
    await undo.waitFor()
    await page.getByLabel(/^Title/).fill('Typed again')
    await undo.click()
    await page.getByText('The change is undone.').waitFor()
    expect(await titleOf(v, draft)).toBe('Typed')
  })
})

describe.skipIf(!hasBrowser)('the trash of a draft', { timeout: patience }, () => {
  it('brings a deleted file back, and deletes for good only when told twice', async () => {
    await using v = await visit()
    const { page, api, upload } = v
    const draft = await api('POST', '/deposits/', { title: 'Levels' })
    for (const name of ['a.txt', 'b.txt', 'c.txt']) {
      await upload(draft, name, name)
      await api('DELETE', `/deposits/${draft.id}/files/${name}`)
    }
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('Deleted files (3)').click()
    const trash = page.getByRole('list', { name: 'Deleted files' })
    expect(await trash.getByRole('listitem').first().innerText()).toMatch(
      /deleted on .*, kept until /,
    )

    await page.getByRole('button', { name: 'Bring back a.txt' }).click()
    await page.getByRole('button', { name: 'Download a.txt' }).waitFor()
    await page.getByText('Deleted files (2)').waitFor()

    await page.getByRole('button', { name: 'Delete for good b.txt' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await trash.getByRole('listitem').count()).toBe(2)
    await page.getByRole('button', { name: 'Delete for good b.txt' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click()
    await page.getByText('b.txt is gone for good.').waitFor()
    await expect
      .poll(() => trash.getByRole('listitem').allInnerTexts())
      .toMatchObject([expect.stringContaining('c.txt')])
    expect(v.complaints).toEqual([])
  })

  it('asks for another name where that of a deleted file was taken since', async () => {
    await using v = await visit()
    const { page, api, upload } = v
    const draft = await api('POST', '/deposits/', { title: 'Levels' })
    await upload(draft, 'a.txt', 'older')
    await api('DELETE', `/deposits/${draft.id}/files/a.txt`)
    for (const name of ['a.txt', 'b.txt']) await upload(draft, name, 'newer')
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('Deleted files (1)').click()
    await pressEnterOn(page, 'Bring back a.txt')

    const dialog = page.getByRole('dialog', { name: 'There is another file a.txt now' })
    const name = dialog.getByLabel('Name of the deleted file')
    await name.waitFor()
    expect(await name.inputValue()).toBe('a-restored.txt')
    await page.keyboard.type('b.txt')
    await page.keyboard.press('Enter')
    await dialog.getByText('There is a file b.txt as well').waitFor()
    await name.fill('a-restored.txt')
    await page.keyboard.press('Enter')
    await page.getByText('a-restored.txt is back.').waitFor()
    await page.getByRole('button', { name: 'Download a-restored.txt' }).waitFor()
    const listed: unknown = await api('GET', `/deposits/${draft.id}/files`)
    const names = (listed as readonly { readonly filename: string }[]).map((file) => file.filename)
    expect(names.toSorted()).toEqual(['a-restored.txt', 'a.txt', 'b.txt'])
    expect(v.complaints).toEqual([])
  })

  it('is used with the keyboard alone', async () => {
    await using v = await visit()
    const { page, api, upload } = v
    const draft = await api('POST', '/deposits/', { title: 'Levels' })
    for (const name of ['a.txt', 'b.txt']) {
      await upload(draft, name, name)
      await api('DELETE', `/deposits/${draft.id}/files/${name}`)
    }
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('Deleted files (2)').waitFor()
    await pressEnterOn(page, 'Deleted files (2)')
    await pressEnterOn(page, 'Bring back a.txt')
    await page.getByRole('button', { name: 'Download a.txt' }).waitFor()
    await pressEnterOn(page, 'Delete all for good…')
    await page.getByRole('dialog').waitFor()
    await pressEnterOn(page, /^Delete all for good$/)
    await page.getByText('The deleted files are gone for good.').waitFor()
    await expect.poll(() => page.getByText(/^Deleted files/).count()).toBe(0)
    await pressEnterOn(page, /^History$/)
    await page.getByText('There are no changes yet.').waitFor()
    expect(v.complaints).toEqual([])
  })
})

async function titleOf({ api }: Visit, { id }: ApiAnswer): Promise<unknown> {
  return (await api('GET', `/deposits/${id}`)).metadata['title']
}

describe.skipIf(!hasBrowser)('the button that undoes a change', { timeout: patience }, () => {
  it('is off on a draft that was never changed, and on once a change is saved', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'First' })
    await page.goto(`/deposit/${draft.id}`)
    const button = page.getByRole('button', { name: 'Undo change' })
    await button.and(page.locator(':disabled')).waitFor()
    await page.getByLabel(/^Title/).fill('Second')
    await button.and(page.locator(':enabled')).waitFor()
    await button.click()
    await page.getByText('The last change is undone.').waitFor()
    await button.and(page.locator(':disabled')).waitFor()
    expect(v.complaints).toEqual([])
  })
})
