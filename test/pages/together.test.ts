import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser, patience, visit, type ApiAnswer, type Visit } from './visit.ts'

describe.skipIf(!hasBrowser)('two users of one draft', { timeout: patience }, () => {
  it('have their changes of different fields merged', async () => {
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

  it('are asked about changes of the same field, and lose nothing', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Before' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel('Title').waitFor()
    await api('PATCH', `/deposits/${draft.id}`, [{ op: 'replace', path: '/title', value: 'Hers' }])

    await page.getByLabel('Title').fill('His')
    await page.getByRole('heading', { name: 'Someone else saved changes' }).waitFor()
    // Also where the panel is out of sight, for as long as nothing is saved.
    const said = page.getByText('Until then nothing of yours is saved.')
    await said.waitFor()
    expect((await api('GET', `/deposits/${draft.id}`)).metadata['title']).toBe('Hers')
    await page.getByRole('radio', { name: /^Yours/ }).check()
    await page.getByRole('button', { name: 'Use these versions' }).click()
    await page.locator('.save-status.saved').waitFor()
    await said.waitFor({ state: 'detached' })

    expect((await api('GET', `/deposits/${draft.id}`)).metadata['title']).toBe('His')
  })

  it('find unsaved changes after a publish elsewhere and a new edit', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Before' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel('Title').waitFor()
    await page.route('**/api/deposits/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await page.getByLabel(/^Description/).fill('Typed on a train')
    await page.locator('.save-status.failed').waitFor()
    await page.close()
    await api('POST', `/deposits/${draft.id}/actions/publish`)

    const later = await page.context().newPage()
    await later.goto(`/deposit/${draft.id}`)
    await later.getByRole('button', { name: 'Edit', exact: true }).click()
    await later.getByText('You have unsaved changes from').waitFor()
    await later.getByRole('button', { name: 'Keep my changes' }).click()
    await expect
      .poll(async () => (await api('GET', `/deposits/${draft.id}`)).metadata['description'])
      .toBe('Typed on a train')
  })

  it('are told where what they type is not saved, because the draft is closed meanwhile', async () => {
    await using v = await visit({}, { DEPOSIT_REVIEW: 'optional' })
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Before' })
    const act = (name: string) => api('POST', `/deposits/${draft.id}/actions/${name}`)
    const typeInto = async (title: string) => {
      await page.goto(`/deposit/${draft.id}`)
      await page.getByLabel(/^Title/).waitFor()
      await act(title)
      await page.getByLabel(/^Title/).fill(`Typed before ${title}`)
    }
    await typeInto('submit')
    await page.getByText('Not saved: the draft was submitted for review meanwhile.').waitFor()
    await page.getByText('Typed before submit').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Before' }).waitFor()
    await page.getByRole('button', { name: 'Copy' }).waitFor()

    // Opening the draft again saves nothing that nobody has looked at.
    await act('take-back')
    await page.reload()
    await page.getByText('You have unsaved changes from').waitFor()
    await page.getByRole('button', { name: 'Throw away' }).click()
    expect(await page.getByText('Typed before submit').count()).toBe(0)
    expect(await page.getByLabel(/^Title/).inputValue()).toBe('Before')

    await typeInto('publish')
    await page.getByText('Not saved: the draft was published meanwhile.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Before' }).waitFor()
    await page.getByRole('button', { name: 'Throw away' }).click()
    await act('edit')
    await typeInto('discard')
    await page.getByText('the changes of the draft were discarded meanwhile').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Before' }).waitFor()
    expect((await api('GET', `/deposits/${draft.id}`)).metadata['title']).toBe('Before')
    expect(v.complaints).toEqual([])
  })

  it('have unsaved changes saved once the service is back', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Before' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel('Title').waitFor()
    await page.route('**/api/deposits/*', (route) => route.abort())
    await page.getByLabel('Title').fill('Typed in a tunnel')
    await page.getByText('It will be retried automatically.').waitFor()
    await page.unroute('**/api/deposits/*')

    await page.locator('.save-status.saved').waitFor()
    expect((await api('GET', `/deposits/${draft.id}`)).metadata['title']).toBe('Typed in a tunnel')
  })

  it('copy their changes into a new draft after the other deleted it', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Before', version: '3' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel('Title').waitFor()
    await api('DELETE', `/deposits/${draft.id}`)
    await page.getByLabel('Title').fill('Not lost')
    await page.getByText('This draft was deleted').waitFor()
    await page.getByRole('button', { name: 'Copy into a new draft' }).click()

    await page.waitForURL((url) => !url.pathname.endsWith(draft.id))
    await page.locator('.save-status.saved').waitFor()
    const copy = await api('GET', `/deposits/${page.url().split('/').at(-1)}`)
    expect(copy.metadata).toMatchObject({ title: 'Not lost', version: '3' })
  })

  it('find unsaved changes after the tab was closed', async () => {
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

describe.skipIf(!hasBrowser)('a record that was corrected', { timeout: patience }, () => {
  it('shows on the page of its deposit until an edit takes over the correction', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Before' })
    const published = await api('POST', `/deposits/${draft.id}/actions/publish`)
    const record = `/records/${published.metadata._deposit.value}`
    const remark = page.getByText('The record was corrected later.')
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('Published as').waitFor()
    expect(await remark.count()).toBe(0)
    await api('PATCH', record, [{ op: 'replace', path: '/title', value: 'Corrected' }])

    await page.reload()
    await remark.waitFor()
    await page.getByRole('heading', { name: 'Before', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await remark.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Corrected')

    await api('PATCH', record, [{ op: 'replace', path: '/title', value: 'Once more' }])
    await page.reload()
    await page.getByText('The record was corrected after you started editing.').waitFor()
    expect(v.complaints).toEqual([])
  })
})

describe.skipIf(!hasBrowser)(
  'a record that was changed during an edit',
  { timeout: patience },
  () => {
    it('is merged side by side, and published with the choices', async () => {
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
      await page.getByRole('button', { name: 'Publish changes…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog
        .getByRole('group', { name: 'Title' })
        .getByRole('radio', { name: /^Yours/ })
        .check()
      await dialog
        .getByRole('group', { name: 'Notes' })
        .getByRole('radio', { name: /^Theirs/ })
        .check()
      await dialog.getByRole('button', { name: 'Use these versions' }).click()
      await dialog.waitFor({ state: 'detached' })
      await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Mine')
      await page.locator('.save-status.saved').waitFor()
      await page.getByRole('button', { name: 'Publish changes…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
      await page.getByRole('button', { name: 'New version' }).waitFor()

      expect((await api('GET', record)).metadata).toMatchObject({
        title: 'Mine',
        notes: 'their notes',
        version: '2',
      })
      expect(v.complaints).toEqual([])
    })

    it.for([
      ['saving it', '**/api/deposits/*', 'my notes'],
      ['merging the record', '**/actions/merge', 'their notes'],
    ] as const)(
      'loses nothing when the browser dies before %s and its storage is lost',
      async ([, never, notes]) => {
        await using v = await visit()
        const { page, api } = v
        const draft = await conflicting(v)
        const tab = await page.context().newPage()
        await tab.goto(`/deposit/${draft.id}`)
        await openConflict(tab)
        const asked = tab.waitForRequest(never)
        await tab.route(never, (route) => route.abort())
        await settle(tab)
        await asked
        await tab.evaluate('localStorage.clear()')
        await tab.close()
        const left = await api('GET', `/deposits/${draft.id}`)
        expect(left.metadata).toMatchObject({ title: 'Mine', notes, _deposit: { status: 'draft' } })

        await page.goto(`/deposit/${draft.id}`)
        await openConflict(page)
        await settle(page)
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        await page.getByRole('button', { name: 'Publish changes…' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
        await page.getByRole('button', { name: 'New version' }).waitFor()
        const record = await api('GET', `/records/${draft.metadata._deposit.value}`)
        expect(record.metadata).toMatchObject({ title: 'Mine', notes: 'their notes' })
      },
    )

    it('is merged again after another change of the record', async () => {
      await using v = await visit()
      const { page, api } = v
      const draft = await conflicting(v)
      const record = `/records/${draft.metadata._deposit.value}`
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Publish changes…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Take all of yours' }).click()
      await api('PATCH', record, [{ op: 'replace', path: '/title', value: 'Theirs, again' }])
      await dialog.getByRole('button', { name: 'Use these versions' }).click()

      await dialog.getByText('Theirs, again').waitFor()
      await dialog.getByRole('button', { name: 'Take all of theirs' }).click()
      await dialog.getByRole('button', { name: 'Use these versions' }).click()
      await expect
        .poll(async () => (await api('GET', `/deposits/${draft.id}`)).metadata['title'])
        .toBe('Theirs, again')
    })
  },
)

/** An edited deposit in conflict with its record, which was changed after the edit began. */
async function conflicting({ api }: Visit): Promise<ApiAnswer> {
  const draft = await api('POST', '/deposits/', { title: 'First', notes: 'n' })
  const published = await api('POST', `/deposits/${draft.id}/actions/publish`)
  await api('POST', `/deposits/${draft.id}/actions/edit`)
  const change = (title: string, notes: string) => [
    { op: 'replace', path: '/title', value: title },
    { op: 'replace', path: '/notes', value: notes },
  ]
  await api('PATCH', `/deposits/${draft.id}`, change('Mine', 'my notes'))
  const record = `/records/${published.metadata._deposit.value}`
  await api('PATCH', record, change('Theirs', 'their notes'))
  return published
}

async function openConflict(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish changes…' }).click()
  await page.getByRole('dialog').getByRole('group', { name: 'Title' }).waitFor()
}

/** Takes the title of the draft and the notes of the record. */
async function settle(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  const choose = (group: string, side: RegExp) =>
    dialog.getByRole('group', { name: group }).getByRole('radio', { name: side }).check()
  await choose('Title', /^Yours/)
  const isOpen = (await dialog.getByRole('group', { name: 'Notes' }).count()) > 0
  if (isOpen) await choose('Notes', /^Theirs/)
  await dialog.getByRole('button', { name: 'Use these versions' }).click()
}
