import { uploads } from '../../daemon/pages/text/uploads.ts'
import { describe, expect, it } from 'vitest'
import { desktop, hasBrowser, patience, phone, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('the life of a deposit, with a mouse', { timeout: patience }, () => {
  it.for([
    ['a desk', desktop],
    ['a phone', phone],
  ] as const)(
    'goes from an empty list to a record and its next version on %s',
    async ([, viewport]) => {
      await using v = await visit({ viewport })
      const { page } = v

      // The list is empty at first.
      await page.goto('/deposit')
      await page.getByText('Nothing here yet').waitFor()
      await page.getByRole('link', { name: 'New deposit' }).first().click()
      await page.getByLabel('Title').fill('Tide gauge of the north pier')
      await page.getByRole('button', { name: 'Create draft' }).click()
      await page.getByRole('heading', { level: 1, name: 'Tide gauge of the north pier' }).waitFor()

      // Files are uploaded, moved, renamed, removed and restored.
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Choose files' }).click(),
      ])
      await chooser.setFiles([
        { name: 'levels.csv', mimeType: 'text/csv', buffer: Buffer.from('time,level\n1,2.5\n') },
        { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Calibrated in May.\n') },
      ])
      await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor()
      await page.getByRole('button', { name: 'Remove levels.csv' }).waitFor()
      const [first] = await names(page)
      await page.getByRole('button', { name: `Move down: ${first}` }).click()
      await expect.poll(async () => (await names(page)).at(-1)).toBe(first)
      await page.getByRole('button', { name: 'Rename notes.txt' }).click()
      await page.getByLabel('New name of notes.txt').fill('README.txt')
      await page.getByRole('button', { name: 'Rename', exact: true }).click()
      await page.getByRole('button', { name: 'Remove README.txt' }).click()
      await page.getByRole('button', { name: 'Undo', exact: true }).click()
      await page.getByRole('button', { name: 'Preview levels.csv' }).click()
      await page.getByRole('cell', { name: '2.5' }).waitFor()
      await page.getByRole('button', { name: 'Close' }).click()

      // The form has a place for every field, and saves while the user types.
      await page.getByLabel(/^Description/).fill('Hourly readings.')
      const sections = await page.locator('.form-section h2').allTextContents()
      expect(sections).toEqual(['Basics', 'More details', 'Related works and funding'])
      const labels = await page.locator('.form-section label').allTextContents()
      expect(labels.filter((label) => /_|^[a-z]/.test(label.trim()))).toEqual([])
      await page
        .locator('option', { hasText: /option \d/ })
        .first()
        .waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Add person or organisation' }).first().click()
      await page.getByLabel(/^Name/).first().fill('Lovelace, Ada')
      await page
        .getByLabel(/^ORCID/)
        .first()
        .fill('0000-0002-1825-0098')
      await page.getByText('This is not a valid ORCID iD').waitFor()
      await page
        .getByLabel(/^ORCID/)
        .first()
        .fill('0000-0002-1825-0097')
      await expect.poll(() => page.getByText('This is not a valid ORCID iD').count()).toBe(0)
      await page.locator('.save-status.saved').waitFor()

      // The draft is published.
      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
      await page.getByText('Published as').waitFor()
      const id = page.url().split('/').at(-1) ?? ''
      const published = await v.api('GET', `/deposits/${id}`)
      expect(published.metadata).toMatchObject({
        title: 'Tide gauge of the north pier',
        description: 'Hourly readings.',
        creators: [{ name: 'Lovelace, Ada', orcid: '0000-0002-1825-0097' }],
        _deposit: { status: 'published' },
      })

      // Its files are frozen during an edit; the advice of the page leads to a new version.
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await page.getByText(uploads['files.frozen']).waitFor()
      await page.getByRole('button', { name: 'Discard changes…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click()
      await page.getByRole('button', { name: 'New version' }).waitFor()

      // It is edited and published again, then sealed.
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await page.getByLabel('Title').fill('Tide gauge of the north pier, corrected')
      await page.getByRole('button', { name: 'Publish changes…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
      await page.getByRole('button', { name: 'New version' }).waitFor()
      await page.getByRole('button', { name: 'Lock for good…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Lock for good' }).click()
      await page.getByText('The record is locked for good.').waitFor()

      // The record shows the change, and the next version starts with its files.
      await page.locator('.where a').first().click()
      await page
        .getByRole('heading', { level: 1, name: 'Tide gauge of the north pier, corrected' })
        .waitFor()
      await page.getByText('Changed: title').waitFor()
      await page.goBack()
      await page.getByRole('button', { name: 'New version' }).click()
      await page.getByText('Previous version').waitFor()
      await page.getByRole('button', { name: 'Remove README.txt' }).waitFor()

      // The draft of the new version is deleted, and leaves a tombstone.
      const draft = page.url()
      await page.getByRole('button', { name: 'Delete draft…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete draft' }).click()
      await page.waitForURL('**/deposit')
      const gone = await page.goto(draft)
      expect(gone?.status()).toBe(410)
      await page.getByRole('heading', { name: 'This deposit was deleted' }).waitFor()

      expect(v.complaints).toEqual([])
    },
  )
})

async function names(page: Awaited<ReturnType<typeof visit>>['page']): Promise<string[]> {
  const found = await page.locator('.files ol .file-name').allInnerTexts()
  return found.map((name) => name.replace('⠿', '').trim())
}
