import { describe, expect, it } from 'vitest'
import { hasBrowser, patience, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('two at the same draft', { timeout: patience }, () => {
  it('are brought together where they changed different fields', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Before', version: '1' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel('Title').waitFor()
    await api('PATCH', `/deposits/${draft.id}`, [{ op: 'replace', path: '/version', value: '2' }])

    await page.getByLabel('Title').fill('After')
    await page.locator('.save-status.saved').waitFor()

    const { metadata } = await api('GET', `/deposits/${draft.id}`)
    expect(metadata).toMatchObject({ title: 'After', version: '2' })
  })

  it('are asked where they changed the same field, and nothing is lost until then', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Before' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel('Title').waitFor()
    await api('PATCH', `/deposits/${draft.id}`, [{ op: 'replace', path: '/title', value: 'Hers' }])

    await page.getByLabel('Title').fill('His')
    await page.getByRole('heading', { name: 'Somebody else saved meanwhile' }).waitFor()
    expect((await api('GET', `/deposits/${draft.id}`)).metadata['title']).toBe('Hers')
    await page.getByRole('radio', { name: /^Yours/ }).check()
    await page.getByRole('button', { name: 'Go on with this choice' }).click()
    await page.locator('.save-status.saved').waitFor()

    expect((await api('GET', `/deposits/${draft.id}`)).metadata['title']).toBe('His')
  })

  it('find what was typed again when the tab was closed before it was saved', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Before' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel('Title').waitFor()
    await page.route('**/api/deposits/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await page.getByLabel('Title').fill('Typed on a train')
    await page.locator('.save-status.failed').waitFor()
    await page.close()

    const later = await page.context().newPage()
    await later.goto(`/deposit/${draft.id}`)
    await later.locator('.save-status.saved').waitFor()
    await expect
      .poll(async () => (await api('GET', `/deposits/${draft.id}`)).metadata['title'])
      .toBe('Typed on a train')
  })
})

describe.skipIf(!hasBrowser)(
  'a record that was changed during an edit',
  { timeout: patience },
  () => {
    it('is settled side by side, and published as it was settled', async () => {
      await using v = await visit()
      const { page, api } = v
      const draft = await api('POST', '/deposits/', { title: 'First', notes: 'n', version: '1' })
      const published = await api('POST', `/deposits/${draft.id}/actions/publish`)
      const record = `/records/${published.metadata._deposit.value}`
      await api('POST', `/deposits/${draft.id}/actions/edit`)
      await api('PATCH', `/deposits/${draft.id}`, [
        { op: 'replace', path: '/title', value: 'Mine' },
        { op: 'replace', path: '/notes', value: 'my notes' },
      ])
      await api('PATCH', record, [
        { op: 'replace', path: '/title', value: 'Theirs' },
        { op: 'replace', path: '/notes', value: 'their notes' },
        { op: 'replace', path: '/version', value: '2' },
      ])

      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Publish…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog
        .getByRole('group', { name: 'Title' })
        .getByRole('radio', { name: /^Yours/ })
        .check()
      await dialog
        .getByRole('group', { name: 'Notes' })
        .getByRole('radio', { name: /^Theirs/ })
        .check()
      await dialog.getByRole('button', { name: 'Go on with this choice' }).click()
      await dialog.waitFor({ state: 'detached' })
      await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Mine')
      await page.locator('.save-status.saved').waitFor()
      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
      await page.getByRole('button', { name: 'New version' }).waitFor()

      expect((await api('GET', record)).metadata).toMatchObject({
        title: 'Mine',
        notes: 'their notes',
        version: '2',
      })
      expect(v.complaints).toEqual([])
    })
  },
)
