import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { pressEnterOn, tabTo } from './keyboard.ts'
import { hasBrowser, patience, visit } from './visit.ts'

const rule = { DEPOSIT_REVIEW: 'required' }

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const confirm = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

async function submit(page: Page): Promise<void> {
  await button(page, 'Submit for review…').click()
  await confirm(page, 'Submit for review')
  await page.getByText('This draft is waiting for review.').waitFor()
}

describe.skipIf(!hasBrowser)('the review of a draft', { timeout: patience }, () => {
  it('goes from an owner to a reviewer and back, and ends with the record', async () => {
    await using v = await visit({}, rule)
    const owner = await v.as('olga@example.org')
    const reviewer = await v.as('rita@example.org', 'reviewer')
    const { page } = owner
    const draft = await owner.api('POST', '/deposits/', { title: 'Tide of 1962' })
    await page.goto(`/deposit/${draft.id}`)
    const title = page.getByLabel(/^Title/)

    await title.waitFor()
    expect(await button(page, 'Publish…').count()).toBe(0)
    await submit(page)
    expect(await title.count()).toBe(0)
    expect(await button(page, 'Choose files').count()).toBe(0)

    await reviewer.page.goto('/deposit')
    await reviewer.page.getByRole('link', { name: 'Waiting for review 1' }).click()
    await reviewer.page.getByRole('heading', { name: 'Waiting for review' }).waitFor()
    await reviewer.page.getByRole('link', { name: 'Tide of 1962' }).click()
    await reviewer.page.getByText('You see this draft because it is waiting for review.').waitFor()
    expect(await button(reviewer.page, 'Take back…').count()).toBe(0)
    await reviewer.page.getByRole('textbox', { name: 'Comment' }).fill('Which gauge?')
    await button(reviewer.page, 'Add comment').click()
    await reviewer.page.getByRole('list', { name: 'Comments' }).getByText('Which gauge?').waitFor()
    await button(reviewer.page, 'Return…').click()
    await confirm(reviewer.page, 'Return')
    await reviewer.page.getByText('Write what has to be changed.').waitFor()
    await reviewer.page
      .getByRole('dialog')
      .getByLabel('What has to be changed')
      .fill('Name the gauge.')
    await confirm(reviewer.page, 'Return')
    await reviewer.page.getByText('No draft is waiting for review').waitFor()

    await page.reload()
    await page.getByText('The reviewers returned this draft.').waitFor()
    const comments = page.getByRole('list', { name: 'Comments' })
    await expect
      .poll(() => comments.getByRole('listitem').allInnerTexts())
      .toMatchObject([
        expect.stringContaining('olga@example.org submitted the draft for review'),
        expect.stringContaining('Which gauge?'),
        expect.stringContaining('Name the gauge.'),
      ])
    await submit(page)
    await button(page, 'Take back…').click()
    await confirm(page, 'Take back')
    await title.fill('Tide of 1962 at Cuxhaven')
    await page.locator('.save-status.saved').waitFor()
    await submit(page)

    await reviewer.page.goto(`/deposit/${draft.id}`)
    await button(reviewer.page, 'Accept…').click()
    await confirm(reviewer.page, 'Accept and publish')
    await reviewer.page.waitForURL('**/records/*')
    await reviewer.page.getByRole('heading', { name: 'Tide of 1962 at Cuxhaven' }).waitFor()
    const { metadata } = await owner.api('GET', `/deposits/${draft.id}`)
    expect(metadata._deposit.status).toBe('published')
    expect([...owner.complaints, ...reviewer.complaints]).toEqual([])
  })

  it('never publishes what was not shown: a draft that changed since is shown first', async () => {
    await using v = await visit({}, rule)
    const owner = await v.as('olga@example.org')
    const reviewer = await v.as('rita@example.org', 'reviewer')
    const { page } = reviewer
    const draft = await owner.api('POST', '/deposits/', { title: 'Tide of 1962' })
    const act = (name: string) => owner.api('POST', `/deposits/${draft.id}/actions/${name}`)
    await act('submit')
    await page.goto(`/deposit/${draft.id}`)
    await button(page, 'Accept…').click()
    await act('take-back')
    await owner.api('PATCH', `/deposits/${draft.id}`, [
      { op: 'replace', path: '/title', value: 'Something else' },
    ])
    await act('submit')

    await confirm(page, 'Accept and publish')
    await page.getByText('The draft has changed since this page showed it.').waitFor()
    await page.getByRole('heading', { name: 'Something else' }).waitFor()
    const { metadata } = await owner.api('GET', `/deposits/${draft.id}`)
    expect(metadata._deposit.status).toBe('draft')
  })

  it('is done with the keyboard alone', async () => {
    await using v = await visit({}, rule)
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Tide of 1962' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel(/^Title/).waitFor()
    await pressEnterOn(page, 'Submit for review…')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, 'Message')
    await page.keyboard.type('As in the paper')
    await pressEnterOn(page, /^Submit for review$/)
    await page.getByText('Message: As in the paper').waitFor()
    await tabTo(page, /^Comment/)
    await page.keyboard.type('Which gauge?')
    await pressEnterOn(page, 'Add comment')
    await page.getByText('The comment is added.').waitFor()
    await pressEnterOn(page, 'Waiting for review')
    await page.getByRole('link', { name: 'Tide of 1962' }).waitFor()
    await pressEnterOn(page, 'Tide of 1962')
    await button(page, 'Accept…').waitFor()
    await pressEnterOn(page, 'Accept…')
    await page.getByRole('dialog').waitFor()
    await pressEnterOn(page, /^Accept and publish$/)
    await page.getByText('Published as').waitFor()
    expect(v.complaints).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('a curator', { timeout: patience }, () => {
  it('corrects the metadata of a draft that waits for review, and not its files', async () => {
    await using v = await visit({}, rule)
    const owner = await v.as('olga@example.org')
    const { page, complaints } = await v.as('carla@example.org', 'curator')
    const draft = await owner.api('POST', '/deposits/', { title: 'Tide of 1692' })
    await owner.api('POST', `/deposits/${draft.id}/actions/submit`)
    await page.goto(`/deposit/${draft.id}`)
    const title = page.getByLabel(/^Title/)
    await button(page, 'Correct the metadata').waitFor()
    expect(await title.count()).toBe(0)
    await pressEnterOn(page, 'Correct the metadata')
    await page.getByText('Somebody else has to accept it then.').waitFor()
    await title.fill('Tide of 1962')
    await page.locator('.save-status.saved').waitFor()
    for (const closed of ['Choose files', 'Undo'])
      expect(await button(page, closed).count()).toBe(0)
    await button(page, 'Finish the correction').click()
    await page.getByRole('heading', { name: 'Tide of 1962' }).waitFor()
    await expect.poll(() => title.count()).toBe(0)
    const shown = await owner.api('GET', `/deposits/${draft.id}`)
    expect(shown.metadata['title']).toBe('Tide of 1962')
    expect(shown).toMatchObject({ review: { state: 'submitted' } })

    // Who corrected it does not accept it.
    await button(page, 'Accept…').click()
    await confirm(page, 'Accept and publish')
    await page
      .getByText(/somebody else/i)
      .first()
      .waitFor()
    expect((await owner.api('GET', `/deposits/${draft.id}`)).metadata._deposit.status).toBe('draft')
    expect(complaints.filter((each) => !each.includes('403'))).toEqual([])
  })

  it('is not offered to correct what they submitted, nor is a reviewer', async () => {
    await using v = await visit({}, { DEPOSIT_REVIEW: 'optional' })
    const carla = await v.as('carla@example.org', 'curator')
    const rita = await v.as('rita@example.org', 'reviewer')
    const draft = await carla.api('POST', '/deposits/', { title: 'Tide of 1962' })
    await carla.api('POST', `/deposits/${draft.id}/actions/submit`)
    for (const { page } of [carla, rita]) {
      await page.goto(`/deposit/${draft.id}`)
      await button(page, 'Accept…').waitFor()
      expect(await button(page, 'Correct the metadata').count()).toBe(0)
    }
  })

  it('withdraws what others have published, and is offered nothing else', async () => {
    await using v = await visit()
    const { page, complaints } = await v.as('carla@example.org', 'curator')
    const draft = await v.api('POST', '/deposits/', { title: 'Tide of 1962' })
    await v.api('POST', `/deposits/${draft.id}/actions/publish`)
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('You see this deposit as a curator.').waitFor()
    const actions = page.getByRole('complementary').getByRole('button')
    expect(await actions.allInnerTexts()).toEqual(['Withdraw…'])
    await actions.click()
    await page.getByRole('dialog').getByRole('combobox').selectOption('duplicate')
    await confirm(page, 'Withdraw')
    await page.getByText('The record is withdrawn.').waitFor()
    await button(page, 'Restore the record…').click()
    await confirm(page, 'Restore the record')
    await page.getByText('Everybody can read the record again.').waitFor()
    expect(complaints).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('a page without reviews', { timeout: patience }, () => {
  it('shows none of their words', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Tide of 1962' })
    await page.goto(`/deposit/${draft.id}`)
    await button(page, 'Publish…').waitFor()
    await page.getByRole('link', { name: 'Administration' }).waitFor()
    for (const words of [/Submit for review/, /Waiting for review/, 'Review and comments'])
      expect(await page.getByText(words).count()).toBe(0)
  })
})
