import { describe, expect, it } from 'vitest'
import { hasBrowser, patience, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('an owner of a draft', { timeout: patience }, () => {
  it('gives people roles and takes them, with the keyboard alone', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Tide of 1962' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByRole('heading', { name: 'People' }).waitFor()
    const people = page.getByRole('list', { name: 'People with access' })

    await page.getByLabel('E-mail address').focus()
    await page.keyboard.type('bob@example.org')
    await page.keyboard.press('Tab')
    await page.keyboard.type('editor')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('bob@example.org is now an editor.').waitFor()
    expect(await people.getByRole('listitem').count()).toBe(2)

    await page.getByRole('button', { name: 'Remove bob@example.org' }).focus()
    await page.keyboard.press('Enter')
    const asked = page.getByRole('dialog', { name: 'Remove bob@example.org?' })
    await asked.getByRole('button', { name: 'Cancel' }).click()
    expect(await people.getByRole('listitem').count()).toBe(2)
    await page.getByRole('button', { name: 'Remove bob@example.org' }).click()
    await asked.getByRole('button', { name: 'Remove' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('bob@example.org no longer has access.').waitFor()
    expect(await people.getByRole('listitem').count()).toBe(1)
  })

  it('makes a link, by which a browser without an account edits the draft', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Tide of 1962' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel('For whom').fill('Reviewer 2')
    const form = page.locator('form', { hasText: 'Make a link' })
    await form.getByLabel('Role').selectOption('editor')
    await form.getByLabel('Last day').fill('2030-12-26')
    await page.getByRole('button', { name: 'Make a link' }).click()
    await page.getByText('editor, valid until the end of 26 December 2030 (UTC)').waitFor()
    await page.locator('.notice.good').getByRole('button', { name: 'Copy' }).waitFor()
    const url = await page.getByLabel('Address of the new link').inputValue()
    await page.getByRole('button', { name: 'Revoke Reviewer 2' }).waitFor()

    const context = await page.context().browser()?.newContext()
    const other = await context?.newPage()
    if (!context || !other) throw new Error('the browser opens another window')
    await other.goto(url)
    expect(new URL(other.url()).pathname).toBe(`/deposit/${draft.id}`)
    expect(other.url()).not.toContain('dep_sl_')
    await other.getByRole('textbox', { name: /^Title/ }).fill('Tide of 1953')
    await expect
      .poll(async () => (await api('GET', `/deposits/${draft.id}`)).metadata['title'], {
        timeout: patience / 2,
      })
      .toBe('Tide of 1953')
    expect(await other.getByRole('button', { name: /^Publish/ }).count()).toBe(0)
    expect(await other.getByRole('heading', { name: 'People' }).count()).toBe(0)

    await page.getByRole('button', { name: 'Revoke Reviewer 2' }).click()
    const asked = page.getByRole('dialog', { name: 'Revoke the link Reviewer 2?' })
    await asked.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('The link is revoked.').waitFor()
    await other.reload()
    await other.getByText('This link cannot be used any more').waitFor()
    await context.close()
  })
})

describe.skipIf(!hasBrowser)('a person with a role', { timeout: patience }, () => {
  it('sees in the list which deposits are shared with them', async () => {
    await using v = await visit()
    const bob = await v.as('bob@example.org')
    const draft = await v.api('POST', '/deposits/', { title: 'Tide of 1962' })
    await v.api('POST', `/deposits/${draft.id}/people`, { user: 'bob@example.org', role: 'reader' })
    await bob.api('POST', '/deposits/', { title: 'Tide of 1953' })
    await bob.page.goto('/deposit')
    const row = (title: string) => bob.page.getByRole('listitem').filter({ hasText: title })
    await row('Tide of 1962').getByText('shared with you (reader)').waitFor()
    expect(await row('Tide of 1953').getByText('shared with you').count()).toBe(0)
    expect(bob.complaints).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('an editor', { timeout: patience }, () => {
  it('is not offered to delete a draft, which only its owners may do', async () => {
    await using v = await visit()
    const edda = await v.as('edda@example.org')
    const draft = await v.api('POST', '/deposits/', { title: 'Tide of 1962' })
    const share = { user: 'edda@example.org', role: 'editor' }
    await v.api('POST', `/deposits/${draft.id}/people`, share)
    const offered = async (page: typeof v.page): Promise<number> => {
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Publish…' }).waitFor()
      return page.getByRole('button', { name: 'Delete draft…' }).count()
    }
    expect(await offered(v.page)).toBe(1)
    expect(await offered(edda.page)).toBe(0)
  })
})
