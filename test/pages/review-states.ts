import type { State } from './sharing-states.ts'
import type { ApiAnswer, Visit } from './visit.ts'

async function submitted({ api, upload }: Visit): Promise<ApiAnswer> {
  const draft = await api('POST', '/deposits/', {
    title: 'Storm surge of 1953',
    creators: [{ name: 'Brandt, Mareike', orcid: '0000-0002-1825-0097', affiliation: ['Bergen'] }],
    description: 'Levels at the gauge.\n\nIn metres.',
    related_identifiers: [{ identifier: '10.5194/essd-11-1-2026', relation: 'IsSupplementTo' }],
    unknown_field: { unit: 'm' },
  })
  await upload(draft, 'levels.csv', 'a,b')
  const message = { message: 'The files are those of the paper.' }
  await api('POST', `/deposits/${draft.id}/actions/submit`, message)
  return draft
}

/** Pages of a service where a draft is published by reviewers. */
export const reviewStates: readonly State[] = [
  {
    name: 'a draft that can be submitted',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'Storm surge of 1953' })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Submit for review…' }).click()
      await page.getByRole('dialog').getByLabel('Message').waitFor()
    },
  },
  {
    name: 'a draft that waits for review',
    open: async (v) => {
      const draft = await submitted(v)
      await v.api('POST', `/deposits/${draft.id}/comments`, { text: 'Is the time in UTC?' })
      await v.page.goto(`/deposit/${draft.id}`)
      await v.page.getByText('Is the time in UTC?').waitFor()
      await v.page.getByRole('button', { name: 'Download levels.csv' }).waitFor()
    },
  },
  {
    name: 'a return without a message',
    open: async (v) => {
      const draft = await submitted(v)
      await v.page.goto(`/deposit/${draft.id}`)
      await v.page.getByRole('button', { name: 'Return…' }).click()
      await v.page.getByRole('dialog').getByRole('button', { name: 'Return', exact: true }).click()
      await v.page.getByText('Write what has to be changed.').waitFor()
    },
  },
  {
    name: 'a draft that was returned',
    open: async (v) => {
      const draft = await submitted(v)
      const message = { message: 'Please name the instrument.' }
      await v.api('POST', `/deposits/${draft.id}/actions/return`, message)
      await v.page.goto(`/deposit/${draft.id}`)
      await v.page.getByText('The reviewers returned this draft.').waitFor()
    },
  },
  {
    name: 'the drafts that wait for review',
    open: async (v) => {
      await submitted(v)
      await v.page.goto('/deposit?review=submitted')
      await v.page.locator('.deposit-row').first().waitFor()
    },
  },
  {
    name: 'the list of a service with reviews',
    open: async (v) => {
      await submitted(v)
      await v.page.goto('/deposit')
      await v.page.locator('.badge.submitted').first().waitFor()
      await v.page.locator('.count').waitFor()
    },
  },
  {
    name: 'the correction of a draft that waits for review',
    open: async (v) => {
      const olga = await v.as(`olga${Date.now()}@example.org`)
      const draft = await olga.api('POST', '/deposits/', { title: 'Storm surge of 1935' })
      await olga.api('POST', `/deposits/${draft.id}/actions/submit`)
      await v.page.goto(`/deposit/${draft.id}`)
      await v.page.getByRole('button', { name: 'Correct the metadata' }).click()
      await v.page.getByRole('button', { name: 'Finish the correction' }).waitFor()
      await v.page.getByLabel(/^Title/).waitFor()
    },
  },
  {
    name: 'the reviews as administrators see them',
    open: async (v) => {
      await submitted(v)
      await v.page.goto('/admin/reviews')
      await v.page
        .getByRole('row', { name: /Storm surge of 1953/ })
        .first()
        .waitFor()
    },
  },
]
