import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, describe, it } from 'vitest'
import { runDepositd } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { hasBrowser, patience, visit, type Visit } from './visit.ts'

describe.skipIf(!hasBrowser)('the form of a draft', { timeout: patience }, () => {
  it('finds a license by its name and writes its identifier', async () => {
    await using v = await visit()
    const { page, metadata } = await openDraft(v, {})
    const license = page.getByRole('combobox', { name: 'License' })
    await license.fill('cc by 4')
    const best = page.locator('.terms [role=option]').first()
    await expect.poll(() => best.innerText()).toContain('Attribution 4.0 International')
    await license.press('ArrowDown')
    await license.press('Enter')

    await expect.poll(metadata).toMatchObject({ license: 'CC-BY-4.0' })
    await page.getByText('Creative Commons Attribution 4.0 International').waitFor()
    expect(await license.inputValue()).toBe('CC-BY-4.0')
    expect(v.complaints).toEqual([])
  })

  it('says below the field that a license is none that programs know', async () => {
    await using v = await visit()
    const { page } = await openDraft(v, { license: 'Gemeinfrei' })
    const said = page.getByText('This is not an SPDX identifier, such as CC-BY-4.0.')
    await said.waitFor()
    const license = page.getByRole('combobox', { name: 'License' })
    for (const known of ['CC0-1.0', 'MIT OR Apache-2.0']) {
      await license.fill(known)
      await license.blur()
      await said.waitFor({ state: 'detached' })
    }
    await license.fill('Gemeinfrei')
    await license.blur()
    await said.waitFor()
    expect(v.complaints).toEqual([])
  })

  it('says who can have the files, also while nothing is chosen', async () => {
    await using v = await visit()
    const { page, metadata } = await openDraft(v, {})
    await page.locator('.object-head').getByText('Access to the files').waitFor()
    const files = page.getByRole('group', { name: 'Access to the files' }).getByLabel('Files')
    expect(await files.locator('option').allInnerTexts()).toEqual([
      'Public, as nothing else is chosen',
      'Public: everybody can download them',
      'Restricted: only you and those you share with',
    ])
    await files.selectOption({ label: 'Restricted: only you and those you share with' })
    await expect.poll(metadata).toMatchObject({ access: { files: 'restricted' } })
    expect(v.complaints).toEqual([])
  })

  it('closes the suggestions with Escape and keeps what was typed', async () => {
    await using v = await visit()
    const { page, metadata } = await openDraft(v, {})
    const license = page.getByRole('combobox', { name: 'License' })
    await license.fill('mit')
    await page.locator('.terms [role=option]').first().waitFor()
    await license.press('Escape')

    await expect.poll(() => page.locator('.terms [role=option]').count()).toBe(0)
    await expect.poll(metadata).toMatchObject({ license: 'mit' })
  })

  it('shows types and relations by their names', async () => {
    await using v = await visit()
    const { page, metadata } = await openDraft(v, {
      related_identifiers: [{ identifier: '10.1234/a', relation: 'cites' }],
    })
    const type = page.getByRole('combobox', { name: 'Resource type' }).first()
    await type.selectOption({ label: 'Computational notebook' })
    const types = (await type.locator('option').allInnerTexts()).slice(1)
    expect(types).toEqual(types.toSorted((a, b) => a.localeCompare(b, 'en')))
    const relation = page.getByRole('combobox', { name: /^Relation/ })
    await expect.poll(() => relation.inputValue()).toBe('Cites')
    await relation.selectOption({ label: 'Is supplement to' })

    await expect.poll(metadata).toMatchObject({
      resource_type: 'computationalnotebook',
      related_identifiers: [{ identifier: '10.1234/a', relation: 'IsSupplementTo' }],
    })
  })

  it('takes keywords by Enter and by comma, and several that are pasted', async () => {
    await using v = await visit()
    const { page, metadata } = await openDraft(v, { keywords: ['tides'] })
    const add = page.getByLabel('Add a keyword')
    await add.fill('sea level')
    await add.press('Enter')
    await add.pressSequentially('storms,')
    await page.evaluate(`(() => {
      const input = document.activeElement
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', 'North Sea; Elbe\\ntides')
      input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
    })()`)
    const keywords = ['tides', 'sea level', 'storms', 'North Sea', 'Elbe']
    await expect.poll(metadata).toMatchObject({ keywords })
    await page.getByRole('button', { name: 'Remove keyword: storms' }).click()
    await add.press('Backspace')

    const left = ['tides', 'sea level', 'North Sea']
    await expect.poll(metadata).toMatchObject({ keywords: left })
  })

  it('asks for one name, and drops the parts of an earlier one', async () => {
    await using v = await visit()
    const { page, metadata } = await openDraft(v, {
      creators: [
        { name: 'Carberry, J.', given_name: 'J.', family_name: 'Carberry' },
        { name: 'Okafor, Chidi', given_name: 'Chidi', family_name: 'Okafor' },
      ],
    })
    expect(await page.getByLabel('Given name').count()).toBe(0)
    await page.getByLabel(/^Name/).first().fill('Carberry, Josiah')

    await expect.poll(metadata).toMatchObject({
      creators: [
        { name: 'Carberry, Josiah' },
        { name: 'Okafor, Chidi', given_name: 'Chidi', family_name: 'Okafor' },
      ],
    })
    expect(JSON.stringify(await metadata())).not.toContain('"J."')
  })

  it('leads from a valid ORCID iD to its person, and from none other', async () => {
    await using v = await visit()
    const { page } = await openDraft(v, {
      creators: [{ name: 'Carberry, Josiah', orcid: '0000-0002-1825-0097' }],
    })
    const link = page.getByRole('link', { name: 'See who 0000-0002-1825-0097 is at orcid.org' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe('https://orcid.org/0000-0002-1825-0097')
    await page.getByLabel(/^ORCID/).fill('0000-0002-1825-0098')
    await page.getByText('This is not a valid ORCID iD').waitFor()
    expect(await page.getByRole('link', { name: /at orcid\.org/ }).count()).toBe(0)
    expect(v.complaints).toEqual([])
  })

  it('finds an organization of ROR by its name, with its identifier', async () => {
    await using v = await visit()
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'ror.json')
    const names = [{ value: 'University of Bergen', types: ['ror_display'] }]
    await writeFile(path, JSON.stringify([{ id: 'https://ror.org/03zga2b32', names }]))
    expect((await runDepositd(v.daemon.home, ['vocabulary', 'load', path])).status).toBe(0)
    const { page, metadata } = await openDraft(v, {
      creators: [{ name: 'Okafor, Chidi', affiliation: ['Bergen'] }],
    })
    const place = page.getByRole('combobox', { name: /^Organi[sz]ation/ })
    expect(await place.inputValue()).toBe('Bergen')
    await place.fill('berg')
    await page.locator('.terms [role=option]', { hasText: 'University of Bergen' }).click()

    const affiliation = [{ name: 'University of Bergen', ror: 'https://ror.org/03zga2b32' }]
    await expect.poll(metadata).toMatchObject({ creators: [{ affiliation }] })
    await place.fill('Somewhere else')
    await expect.poll(metadata).toMatchObject({ creators: [{ affiliation: ['Somewhere else'] }] })
  })
})

async function openDraft({ page, api }: Visit, document: object) {
  const { id } = await api('POST', '/deposits/', { title: 'Tide of 1962', ...document })
  await page.goto(`/deposit/${id}`)
  await page.getByLabel('Title').first().waitFor()
  const folded = page.locator('details.form-section:not([open]) > summary')
  while ((await folded.count()) > 0) await folded.first().click()
  const metadata = async () => (await api('GET', `/deposits/${id}`)).metadata
  return { page, metadata }
}
