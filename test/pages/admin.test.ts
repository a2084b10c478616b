import { describe, expect, it } from 'vitest'
import { pressEnterOn, tabTo } from './keyboard.ts'
import { hasBrowser, patience, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('the pages for administrators', { timeout: patience }, () => {
  it('find a user, and change their roles, quota and state', async () => {
    await using v = await visit()
    const { page } = v
    const olga = await v.as('olga@example.org')
    await v.as('rolf@example.org')
    await page.goto('/deposit')
    await page.getByRole('link', { name: 'Administration' }).click()
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    await page.getByLabel('E-mail address or name').fill('olga')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL('**/admin?q=olga')
    await page.getByText('1 user', { exact: true }).waitFor()
    expect(await page.getByText('rolf@example.org').count()).toBe(0)

    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Change… olga@example.org' }).click()
    await dialog.getByRole('checkbox', { name: 'reviewer' }).check()
    await dialog.getByLabel('Quota in GB').fill('much')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Write a number above 0').waitFor()
    await dialog.getByLabel('Quota in GB').fill('2.5')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('olga@example.org is changed.').waitFor()
    const row = page.getByRole('row', { name: /olga/ })
    await row.getByText('reviewer').waitFor()
    await row.getByText('2.5 GB').waitFor()
    expect(await olga.api('GET', '/me')).toMatchObject({
      roles: ['reviewer'],
      quota: 2_500_000_000,
    })

    await page.getByRole('button', { name: 'Change… olga@example.org' }).click()
    await dialog.getByRole('checkbox', { name: /^Disabled/ }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('disabled').waitFor()
    await expect(olga.api('GET', '/me')).rejects.toThrow(/40[13]/)
    await page.goBack()
    await page.getByText('3 users').waitFor()
    expect(v.complaints).toEqual([])
  })

  it('withdraw and restore the record of another user', async () => {
    await using v = await visit()
    const { page } = v
    const olga = await v.as('olga@example.org')
    const draft = await olga.api('POST', '/deposits/', { title: 'Tide of 1962' })
    const { metadata } = await olga.api('POST', `/deposits/${draft.id}/actions/publish`)
    const { value } = metadata._deposit
    await page.goto('/admin/deposits?q=tide')
    await page.getByRole('row', { name: /Tide of 1962.*olga@example\.org/ }).waitFor()
    await page.getByRole('button', { name: 'Withdraw… Tide of 1962' }).click()
    await page.getByRole('dialog').getByRole('combobox').selectOption('personal-data')
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw', exact: true }).click()
    await page.getByText(`The record ${value} is withdrawn.`).waitFor()
    expect((await fetch(`${v.daemon.url}/records/${value}`)).status).toBe(410)

    await page.getByRole('link', { name: 'Withdrawn records' }).click()
    await page.getByRole('row', { name: new RegExp(`${value}.*administrator`) }).waitFor()
    await page.getByRole('button', { name: `Restore ${value}` }).click()
    await page.getByText('No record is withdrawn.').waitFor()
    expect((await fetch(`${v.daemon.url}/records/${value}`)).status).toBe(200)
    expect(v.complaints).toEqual([])
  })

  it('show the audit trail of a user, of a deposit and since a day', async () => {
    await using v = await visit()
    const { page, api } = v
    const olga = await v.as('olga@example.org')
    const hers = await olga.api('POST', '/deposits/', { title: 'Hers' })
    const mine = await api('POST', '/deposits/', { title: 'Mine' })
    await page.goto('/admin/audit')
    await page.getByLabel('User (e-mail address)').fill('olga@example.org')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL('**user=olga*')
    const rows = page.locator('tbody tr')
    await rows.first().waitFor()
    expect(await rows.count()).toBe(1)
    expect(await rows.first().innerText()).toMatch(/POST \/api\/deposits/)
    await page.getByRole('link', { name: hers.id.slice(0, 8) }).waitFor()

    await page.getByRole('link', { name: 'Remove filters' }).click()
    await page.getByLabel('Deposit (identifier)').fill(mine.id)
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL('**deposit=*')
    await rows.first().waitFor()
    for (const text of await rows.allInnerTexts()) expect(text).toContain('ada@example.org')

    await page.goto('/admin/audit?since=2999-01-01')
    await page.getByText('Nothing found').waitFor()
    await page.goto('/admin/audit?user=somebody@example.org')
    await page.getByText('There is no user with this e-mail address.').waitFor()
    await page.getByRole('link', { name: 'Refused identifiers' }).click()
    await page.getByText('No identifier is refused.').waitFor()
    expect(v.complaints).toEqual([])
  })

  it('say what waits, and lead to reviews, invitations and refused identifiers', async () => {
    await using v = await visit({}, { DEPOSIT_REVIEW: 'optional' })
    const { page } = v
    const olga = await v.as('olga@example.org')
    const draft = await olga.api('POST', '/deposits/', { title: 'Tide of 1962' })
    const zoe = { user: 'zoe@example.org', role: 'reader' }
    await olga.api('POST', `/deposits/${draft.id}/people`, zoe)
    await olga.api('POST', `/deposits/${draft.id}/actions/submit`)
    await page.goto('/admin')
    await page.getByRole('link', { name: 'What waits' }).click()
    await page.getByRole('row', { name: /Invitations that nobody has taken yet.*1/ }).waitFor()
    await page.getByRole('link', { name: 'Drafts waiting for review' }).click()
    await page.getByRole('row', { name: /Tide of 1962.*olga@example\.org/ }).waitFor()
    await page.getByRole('link', { name: 'Tide of 1962' }).click()
    await page.getByRole('button', { name: 'Accept…' }).waitFor()

    await page.goto('/admin/work')
    await page.getByRole('link', { name: 'Invitations that nobody has taken yet' }).click()
    await page.getByRole('row', { name: /zoe@example\.org.*olga@example\.org/ }).waitFor()
    await page.goto('/admin/work')
    await page.getByRole('link', { name: 'Identifiers that their provider refuses' }).click()
    await page.getByText('No identifier is refused.').waitFor()
    expect(v.complaints).toEqual([])
  })

  it('turn pages by links, so that Back leads to the page before', async () => {
    await using v = await visit()
    const { page, api } = v
    const titles = Array.from({ length: 30 }, (_, number) => `Deposit ${number}`)
    for (const title of titles) await api('POST', '/deposits/', { title })
    await page.goto('/admin/deposits')
    await page.getByText('1–25 of 30').waitFor()
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('26–30 of 30').waitFor()
    expect(await page.locator('tbody tr').count()).toBe(5)
    await page.goBack()
    await page.getByText('1–25 of 30').waitFor()
  })

  it('are used with the keyboard alone', async () => {
    await using v = await visit()
    const { page } = v
    await v.as('olga@example.org')
    await page.goto('/admin')
    await page.getByText('2 users').waitFor()
    await tabTo(page, 'E-mail address or name')
    await page.keyboard.type('olga')
    await page.keyboard.press('Enter')
    await page.getByText('1 user', { exact: true }).waitFor()
    await pressEnterOn(page, 'Change…')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, 'curator')
    await page.keyboard.press('Space')
    await pressEnterOn(page, 'Save')
    await page.getByText('olga@example.org is changed.').waitFor()
    await page.getByRole('cell', { name: 'curator' }).waitFor()
    await pressEnterOn(page, /^Audit trail olga/)
    await page.getByRole('heading', { name: 'Audit trail' }).waitFor()
    expect(v.complaints).toEqual([])
  })

  it('are closed to all others, who find no link to them', async () => {
    await using v = await visit()
    const curator = await v.as('carla@example.org', 'curator')
    const { page } = curator
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
    await page.goto('/deposit')
    await page.getByText('Nothing here yet').waitFor()
    expect(await page.locator('a[href*="admin"]').count()).toBe(0)
    await page.goto('/admin/audit')
    await page.getByRole('heading', { name: 'This page is for administrators' }).waitFor()
    expect(loaded.filter((path) => /admin-page|\/api\/admin/.test(path))).toEqual([])
    for (const path of ['users', 'work', 'invitations', 'withdrawals', 'refused-identifiers'])
      await expect(curator.api('GET', `/admin/${path}`)).rejects.toThrow(/403/)
    expect((await fetch(`${v.daemon.url}/admin/nothing`)).status).toBe(404)
    expect(curator.complaints).toEqual([])
  })
})
