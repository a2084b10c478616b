import { expect, it } from 'vitest'
import { hasBrowser, patience, visit } from './visit.ts'

const bibtex = `@dataset{t, title = {Tides of Cuxhaven}, author = {Brandt, Mareike and Okafor, Chidi},
  year = 2025, keywords = {tides; North Sea}, doi = {10.1234/tides}}`

it.skipIf(!hasBrowser)(
  'metadata are taken over from BibTeX, as chosen, and the import can be undone',
  { timeout: patience },
  async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'My own title', notes: 'Mine' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByRole('button', { name: 'Import metadata…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import metadata' })
    await dialog.getByLabel('Paste the text').fill(bibtex)
    await dialog.getByText('Found in BibTeX').waitFor()
    await dialog.getByText('In place of: My own title').waitFor()
    // What is filled in stays, unless it is chosen.
    expect(await dialog.getByRole('checkbox', { name: 'Title' }).isChecked()).toBe(false)
    expect(await dialog.getByRole('checkbox', { name: 'Creators' }).isChecked()).toBe(true)
    // With it, the record would get none of its own.
    expect(await dialog.getByRole('checkbox', { name: 'DOI' }).isChecked()).toBe(false)
    await dialog.getByRole('checkbox', { name: 'DOI' }).check()
    await dialog.getByRole('checkbox', { name: 'Keywords' }).uncheck()
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page.getByText('4 fields imported.').waitFor()
    await page.getByText('Saved', { exact: true }).waitFor()

    const { metadata } = await api('GET', `/deposits/${draft.id}`)
    expect(metadata).toMatchObject({
      title: 'My own title',
      notes: 'Mine',
      creators: [{ name: 'Brandt, Mareike' }, { name: 'Okafor, Chidi' }],
      publication_date: '2025',
      resource_type: 'dataset',
      doi: '10.1234/tides',
    })
    expect(metadata['keywords']).toBeUndefined()

    await page.getByLabel('Notes').fill('Mine, and changed')
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The fields are as they were.').waitFor()
    await page.getByText('Saved', { exact: true }).waitFor()
    const after = (await api('GET', `/deposits/${draft.id}`)).metadata
    expect(after).toMatchObject({ title: 'My own title', notes: 'Mine, and changed' })
    expect(after['creators']).toBeUndefined()
    expect(v.complaints).toEqual([])
  },
)

it.skipIf(!hasBrowser)(
  'metadata are taken over from a file that is chosen or dropped, and other files say why not',
  { timeout: patience },
  async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', {})
    await page.goto(`/deposit/${draft.id}`)
    await page.getByRole('button', { name: 'Import metadata…' }).click()
    const dialog = page.getByRole('dialog')
    const choose = async (name: string, content: string | Buffer): Promise<void> => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        dialog.getByRole('button', { name: 'Choose a file' }).click(),
      ])
      await chooser.setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })
    }
    await choose('table.csv', 'a,b\n1,2')
    await dialog.getByText('No metadata found in this text.').waitFor()
    await choose('large.json', Buffer.alloc(2_100_000, ' '))
    await dialog.getByText('The file is larger than 2.0 MB.').waitFor()
    await choose('CITATION.cff', 'cff-version: 1.2.0\ntitle: Tide model\nabstract: All.\n')
    await dialog.getByText('Found in CITATION.cff').waitFor()
    await dialog.getByText('Tide model', { exact: true }).waitFor()
    await page.evaluate(`
      const transfer = new DataTransfer()
      const zenodo = JSON.stringify({ title: 'Closed', upload_type: 'dataset', access_right: 'closed' })
      transfer.items.add(new File([zenodo], '.zenodo.json'))
      const drop = new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true })
      document.querySelector('dialog textarea').dispatchEvent(drop)
    `)
    await dialog.getByText('Found in .zenodo.json').waitFor()
    await page.keyboard.press('Tab')
    const confirm = dialog.getByRole('button', { name: 'Import' })
    await expect.poll(() => confirm.isEnabled()).toBe(true)
    await confirm.press('Enter')
    await page.getByText('3 fields imported.').waitFor()
    await page.getByText('Saved', { exact: true }).waitFor()

    const { metadata } = await api('GET', `/deposits/${draft.id}`)
    expect(metadata).toMatchObject({ title: 'Closed', access: { files: 'restricted' } })
    // It was not uploaded.
    expect(await api('GET', `/deposits/${draft.id}/files`)).toEqual([])
    expect(v.complaints).toEqual([])
  },
)

it.skipIf(!hasBrowser)(
  'the DOI of an article becomes a related work, and each entry of a bibliography can be chosen',
  { timeout: patience },
  async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Tides' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByRole('button', { name: 'Import metadata…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import metadata' })
    const confirm = dialog.getByRole('button', { name: 'Import' })
    const source = dialog.getByLabel('Paste the text')
    expect(await confirm.isDisabled()).toBe(true)
    await source.fill('this is not a citation')
    await dialog.getByText('No metadata found in this text.').waitFor()
    expect(await confirm.isDisabled()).toBe(true)

    const article = '@article{b, title = {On tides}, year = 2024, doi = {10.1000/xyz123}}'
    await source.fill(`${bibtex}\n${article}\n`)
    await dialog.getByLabel('There are 2 entries.').selectOption('b')
    await dialog.getByText('On tides', { exact: true }).waitFor()
    expect(await dialog.getByRole('checkbox', { name: /^DOI/ }).isChecked()).toBe(false)
    expect(await dialog.getByRole('checkbox', { name: 'Related works' }).isChecked()).toBe(true)
    await confirm.click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { metadata } = await api('GET', `/deposits/${draft.id}`)
    expect(metadata).toMatchObject({
      title: 'Tides',
      related_identifiers: [{ identifier: '10.1000/xyz123', relation: 'IsSupplementTo' }],
    })
    expect(metadata['doi']).toBeUndefined()

    // What is named all the same is told before it is published.
    await page.getByLabel('DOI', { exact: true }).fill('10.1000/xyz123')
    await page.getByRole('button', { name: 'Publish…' }).click()
    const told = page.getByRole('dialog').getByText('10.1000/xyz123, which exists elsewhere')
    await told.waitFor()
    expect(v.complaints).toEqual([])
  },
)
