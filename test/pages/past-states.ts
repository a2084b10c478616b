import type { State } from './sharing-states.ts'

/** Pages that show what a draft was, or that are read and not changed. */
export const pastStates: readonly State[] = [
  {
    name: 'the history of a draft',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'Storm surge', keywords: ['tide'] })
      await api('PATCH', `/deposits/${draft.id}`, [
        { op: 'replace', path: '/title', value: 'Storm surge of 1953' },
        { op: 'remove', path: '/keywords' },
      ])
      await page.goto(`/deposit/${draft.id}`)
      await page.getByText('History', { exact: true }).click()
      await page.getByText('Show the change').click()
      await page.locator('ins').first().waitFor()
    },
  },
  {
    name: 'the deleted files of a draft',
    open: async ({ page, api, upload }) => {
      const draft = await api('POST', '/deposits/', { title: 'One file too many' })
      await upload(draft, 'tide-gauges/wrong-file-of-Cuxhaven-1962.txt', 'wrong')
      await api('DELETE', `/deposits/${draft.id}/files/tide-gauges/wrong-file-of-Cuxhaven-1962.txt`)
      await page.goto(`/deposit/${draft.id}`)
      await page.getByText('Deleted files (1)').click()
      await page.getByRole('button', { name: 'Bring back' }).waitFor()
    },
  },
  {
    name: 'the question before a file is deleted for good',
    open: async ({ page, api, upload }) => {
      const draft = await api('POST', '/deposits/', { title: 'One file too many' })
      await upload(draft, 'wrong.txt', 'wrong')
      await api('DELETE', `/deposits/${draft.id}/files/wrong.txt`)
      await page.goto(`/deposit/${draft.id}`)
      await page.getByText('Deleted files (1)').click()
      await page.getByRole('button', { name: 'Delete for good wrong.txt' }).press('Enter')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'a deleted file whose name was taken since',
    open: async ({ page, api, upload }) => {
      const draft = await api('POST', '/deposits/', { title: 'One file too many' })
      await upload(draft, 'levels.txt', 'older')
      await api('DELETE', `/deposits/${draft.id}/files/levels.txt`)
      await upload(draft, 'levels.txt', 'newer')
      await page.goto(`/deposit/${draft.id}`)
      await page.getByText('Deleted files (1)').click()
      await page.getByRole('button', { name: 'Bring back levels.txt' }).click()
      await page.getByRole('dialog').getByLabel('Name of the deleted file').waitFor()
    },
  },
]

/** The pages for administrators. */
export const adminStates: readonly State[] = [
  {
    name: 'what waits',
    open: async ({ page }) => {
      await page.goto('/admin/work')
      await page.getByRole('row', { name: /Deleted files/ }).waitFor()
    },
  },
  {
    name: 'the open invitations',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'Shared' })
      const zoe = { user: 'zoe@example.org', role: 'reader' }
      await api('POST', `/deposits/${draft.id}/people`, zoe)
      await page.goto('/admin/invitations')
      await page.getByRole('row', { name: /zoe@example.org/ }).waitFor()
    },
  },
  {
    name: 'the users',
    open: async ({ page }) => {
      await page.goto('/admin')
      await page.getByRole('row', { name: /ada@example.org/ }).waitFor()
    },
  },
  {
    name: 'a user that is changed',
    open: async ({ page }) => {
      await page.goto('/admin?q=ada')
      await page.getByRole('button', { name: 'Change… ada@example.org' }).click()
      await page.getByLabel('Quota in GB').fill('much')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Write a number above 0').waitFor()
    },
  },
  {
    name: 'the deposits of all users',
    open: async ({ page }) => {
      await page.goto('/admin/deposits?status=published')
      await page
        .getByRole('button', { name: /^Withdraw…/ })
        .first()
        .waitFor()
    },
  },
  {
    name: 'the withdrawn records',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'Published twice' })
      await api('POST', `/deposits/${draft.id}/actions/publish`)
      await api('POST', `/deposits/${draft.id}/actions/withdraw`, {
        reason: 'duplicate',
        note: 'Twice.',
      })
      await page.goto('/admin/withdrawals')
      await page
        .getByRole('button', { name: /^Restore/ })
        .first()
        .waitFor()
    },
  },
  {
    name: 'the refused identifiers',
    open: async ({ page }) => {
      await page.goto('/admin/identifiers')
      await page.getByText('No identifier is refused.').waitFor()
    },
  },
  {
    name: 'the audit trail',
    open: async ({ page }) => {
      await page.goto('/admin/audit?user=ada@example.org')
      await page.getByRole('link', { name: 'ada@example.org' }).first().waitFor()
    },
  },
  {
    name: 'an audit trail of an unknown user',
    open: async ({ page }) => {
      await page.goto('/admin/audit?user=eve@example.org&since=2026-01-01')
      await page.getByText('There is no user with this e-mail address.').waitFor()
    },
  },
]
