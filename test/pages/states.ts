import { toPicture } from './picture.ts'
import type { ApiAnswer, Visit } from './visit.ts'

/** What there is to be shown. */
export interface Scene {
  readonly draft: ApiAnswer
  readonly edited: ApiAnswer
  readonly published: ApiAnswer
  readonly deleted: string
}

/** A page in one of its states. */
export interface State {
  readonly name: string
  readonly open: (visit: Visit, scene: Scene) => Promise<void>
}

const metadata = {
  title: 'Sea surface temperature at Helgoland Roads, 1962–2025',
  creators: [
    {
      name: 'Brandt, Mareike',
      orcid: '0000-0002-1825-0097',
      affiliation: ['Institute for Polar and Marine Research'],
    },
    { name: 'Okafor, Chidi', affiliation: ['University of Bergen'] },
  ],
  description:
    'Daily readings of the water temperature at the cable buoy of Helgoland Roads, brought together from paper logs, loggers and the ferry box.\n\nGaps of less than two days are filled by linear interpolation and flagged; everything else is left as it was measured.',
  publication_date: '2026-11-20',
  resource_type: 'dataset',
  license: 'CC-BY-4.0',
  keywords: ['oceanography', 'time series', 'North Sea'],
  language: 'en',
  version: '2.1',
  related_identifiers: [
    { identifier: '10.5194/essd-11-1-2026', relation: 'IsSupplementTo', scheme: 'doi' },
  ],
  funding: [{ funder: 'German Research Foundation', award: 'BR 4711/2-1' }],
}

const titles = [
  'Tide gauge readings of the north pier',
  'Interviews with lighthouse keepers',
  'Sediment cores of the outer Ems',
  'A model of driftwood',
  'Bird counts, autumn 2026',
  'Phytoplankton images',
  'Notes on the storm surge of 1962',
  'Wave buoy calibration',
  'Fishing logs 1890–1914',
]

const table = ['date,depth_m,temperature_c,flag', ...Array.from({ length: 60 }, toRow)].join('\n')

function toRow(_: unknown, index: number): string {
  const day = String((index % 28) + 1).padStart(2, '0')
  return `2025-01-${day},${index % 5},${(6 + Math.sin(index / 9) * 3).toFixed(2)},${index % 17 ? '' : 'i'}`
}

/** Fills a daemon with deposits in every status. */
export async function makeScene({ api, upload }: Visit): Promise<Scene> {
  for (const title of titles) await api('POST', '/deposits/', { title })
  const make = async (body: object): Promise<ApiAnswer> => {
    const draft = await api('POST', '/deposits/', body)
    await upload(draft, 'temperature.csv', table)
    await upload(draft, 'README.md', '# Helgoland Roads\n\nColumns are described in the paper.\n')
    await upload(draft, 'figures/trend.png', toPicture(480, 200))
    return draft
  }
  const doomed = await api('POST', '/deposits/', { title: 'A mistake' })
  await api('DELETE', `/deposits/${doomed.id}`)
  const edited = await make(metadata)
  await api('POST', `/deposits/${edited.id}/actions/publish`)
  await api('POST', `/deposits/${edited.id}/actions/edit`)
  const published = await make(metadata)
  await api('POST', `/deposits/${published.id}/actions/publish`)
  await api('POST', `/deposits/${published.id}/actions/edit`)
  await api('PATCH', `/deposits/${published.id}`, [
    { op: 'replace', path: '/version', value: '2.2' },
  ])
  const again = await api('POST', `/deposits/${published.id}/actions/publish`)
  const draft = await make({ ...metadata, title: 'Sea surface temperature at Helgoland Roads' })
  return { draft, edited, published: again, deleted: doomed.id }
}

const strict = 'deposits/dataset-v1.0.0.json'

/** Every page in every state worth a look. */
export const states: readonly State[] = [
  {
    name: 'the list',
    open: async ({ page }) => {
      await page.goto('/deposit')
      await page.locator('.deposit-row').first().waitFor()
    },
  },
  {
    name: 'a search',
    open: async ({ page }) => {
      await page.goto('/deposit?q=helgo&status=draft')
      await page.locator('.deposit-row').first().waitFor()
    },
  },
  {
    name: 'a search without results',
    open: async ({ page }) => {
      await page.goto('/deposit?q=submarine')
      await page.getByText('Nothing found').waitFor()
    },
  },
  {
    name: 'a new deposit',
    open: async ({ page }) => {
      await page.goto('/deposit/new')
      await page.getByRole('button', { name: 'Create draft' }).waitFor()
    },
  },
  {
    name: 'a draft',
    open: async ({ page }, { draft }) => {
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Preview temperature.csv' }).waitFor()
    },
  },
  {
    name: 'a preview of a table',
    open: async ({ page }, { draft }) => {
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Preview temperature.csv' }).click()
      await page.getByRole('cell').first().waitFor()
    },
  },
  {
    name: 'a preview of an image',
    open: async ({ page }, { draft }) => {
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Preview figures/trend.png' }).click()
      await page.locator('.preview img').waitFor()
    },
  },
  {
    name: 'a file being renamed',
    open: async ({ page }, { draft }) => {
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Rename README.md' }).click()
      await page.getByLabel('New name of README.md').waitFor()
    },
  },
  {
    name: 'the question before publishing',
    open: async ({ page, api }) => {
      const bare = await api('POST', '/deposits/', { title: 'Barely described' })
      await page.goto(`/deposit/${bare.id}`)
      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'what stands in the way of publishing',
    open: async ({ page, api }) => {
      const title = 'A data set with holes'
      const creators = [{ name: 'Nobody', orcid: '1234' }]
      const draft = await api('POST', '/deposits/', { $schema: strict, title, creators })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByText('in the way of publishing').waitFor()
    },
  },
  {
    name: 'a choice of what to keep',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'Before', notes: 'Same' })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByLabel('Title').waitFor()
      await api('PATCH', `/deposits/${draft.id}`, [
        { op: 'replace', path: '/title', value: 'The title of somebody else' },
      ])
      await page.getByLabel('Title').fill('The title of mine')
      await page.getByRole('heading', { name: 'Somebody else saved meanwhile' }).waitFor()
    },
  },
  {
    name: 'a draft of a published deposit',
    open: async ({ page }, { edited }) => {
      await page.goto(`/deposit/${edited.id}`)
      await page.getByRole('button', { name: 'Preview temperature.csv' }).waitFor()
    },
  },
  {
    name: 'a published deposit',
    open: async ({ page }, { published }) => {
      await page.goto(`/deposit/${published.id}`)
      await page.getByRole('button', { name: 'Preview temperature.csv' }).waitFor()
    },
  },
  {
    name: 'a record',
    open: async ({ page }, { published }) => {
      await page.goto(`/records/${published.metadata._deposit.value}`)
      await page.getByRole('button', { name: 'Preview temperature.csv' }).waitFor()
    },
  },
  {
    name: 'a deposit that never was',
    open: async ({ page }) => {
      await page.goto('/deposit/nothing')
      await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
    },
  },
  {
    name: 'a tombstone',
    open: async ({ page }, { deleted }) => {
      await page.goto(`/deposit/${deleted}`)
      await page.getByRole('heading', { name: 'This deposit was deleted' }).waitFor()
    },
  },
  {
    name: 'the invitation to sign in',
    open: async ({ page }) => {
      await page.goto('/deposit')
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
      await page.evaluate(() => sessionStorage.setItem('deposit.session', 'null'))
      await page.reload()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      await page.evaluate(() => sessionStorage.clear())
    },
  },
]
