import type { State } from './sharing-states.ts'
import { choose } from './upload-steps.ts'

/** Files as a workspace, what follows publishing, the account, and a sign-in that ended. */
export const workspaceStates: readonly State[] = [
  {
    name: 'many files, some of them selected',
    open: async ({ page, api, upload }) => {
      const draft = await api('POST', '/deposits/', { title: 'Many files' })
      for (let number = 0; number < 30; number += 1)
        await upload(draft, `raw/data-${number}.csv`, 'a,b\n')
      await upload(draft, 'README.md', '# Many')
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'raw/', exact: true }).click()
      await page.getByLabel('Select raw/data-3.csv').check()
      await page.getByText('1 file selected').waitFor()
      // The bar at the top of the window hides no part of a button.
      await page.evaluate('scrollTo(0, 0)')
    },
  },
  {
    name: 'a record with many files, a part of which is found',
    open: async ({ page, api, upload }) => {
      const draft = await api('POST', '/deposits/', { title: 'Many files' })
      for (let number = 0; number < 60; number += 1)
        await upload(draft, `raw/${number % 2}/data-${number}.csv`, 'a,b\n')
      await upload(draft, 'README.md', '# Many')
      const { metadata } = await api('POST', `/deposits/${draft.id}/actions/publish`)
      await page.goto(`/records/${metadata._deposit.value}`)
      await page.getByRole('link', { name: 'raw/' }).click()
      await page.getByText('0/ 30 files').waitFor()
      await page.getByRole('searchbox', { name: 'Filter files by name' }).fill('data')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByText('1–50 of 60').waitFor()
      await page.getByRole('button', { name: 'Preview raw/0/data-2.csv' }).waitFor()
    },
  },
  {
    name: 'uploads whose names are taken, and one that another is sending',
    open: async ({ page, api, upload, beginUpload }) => {
      const draft = await api('POST', '/deposits/', { title: 'Twice' })
      for (const key of ['a.txt', 'b.txt', '.env']) await upload(draft, key, key)
      const half = { bytes: 'x'.repeat(450_000), size: 900_000, changed: 0 }
      await beginUpload(draft, { ...half, key: 'large.bin' })
      await page.goto(`/deposit/${draft.id}`)
      const names = ['a.txt', 'b.txt', '.env']
      await choose(
        page,
        names.map((name) => ({ name, buffer: Buffer.from('newer') })),
      )
      await page.getByText('Left out 1 hidden or temporary file: .env').waitFor()
      await page.getByRole('button', { name: 'Replace it b.txt' }).waitFor()
      await page.getByText(/^(?:Being uploaded elsewhere, at|Stopped at) 50 %/).waitFor()
      await page.evaluate('scrollTo(0, 0)')
    },
  },
  {
    name: 'a day of access that has come',
    open: async ({ page, api }) => {
      const access = { files: 'restricted', until: '2020-05-01' }
      const draft = await api('POST', '/deposits/', { title: 'Interviews', access })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByRole('button', { name: 'Closed without a day' }).waitFor()
    },
  },
  {
    name: 'a new version with the publication date of the one before',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', {
        title: 'Tides',
        publication_date: '1962-02-16',
      })
      await api('POST', `/deposits/${draft.id}/actions/publish`)
      const { id } = await api('POST', `/deposits/${draft.id}/actions/newversion`)
      await page.goto(`/deposit/${id}`)
      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByRole('button', { name: 'Make it today' }).waitFor()
    },
  },
  {
    name: 'a preview of Markdown',
    open: async ({ page }, { draft }) => {
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Preview README.md' }).click()
      await page.locator('.preview-prose p').first().waitFor()
    },
  },
  {
    name: 'a preview of a PDF',
    open: async ({ page, api, upload }) => {
      const draft = await api('POST', '/deposits/', { title: 'Papers' })
      await upload(draft, 'paper.pdf', '%PDF-1.4')
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Preview paper.pdf' }).click()
      await page.getByRole('link', { name: 'Open the PDF in a new tab' }).waitFor()
    },
  },
  {
    name: 'a deposit that was just published',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'Tides, *published*' })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click()
      await page.locator('.just-published .citation').waitFor()
    },
  },
  {
    name: 'an action under way',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'On a slow line' })
      await page.goto(`/deposit/${draft.id}`)
      await page.route('**/actions/publish', (route) =>
        route.request().method() === 'POST' ? undefined : route.continue(),
      )
      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click()
      await page.getByText('Working…').waitFor()
      await page.unroute('**/actions/publish')
    },
  },
  {
    name: 'an import of metadata',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'Tides of my own' })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Import metadata…' }).click()
      await page
        .getByLabel('Paste the text')
        .fill(
          '@dataset{t, title = {Tides of Cuxhaven}, author = {Brandt, Mareike and Okafor, Chidi}, year = 2025, keywords = {tides; North Sea}, doi = {10.1234/tides}}',
        )
      await page.getByText('In place of: Tides of my own').waitFor()
    },
  },
  {
    name: 'a change of the passphrase',
    open: async ({ page }) => {
      await page.goto('/oauth/passphrase/change')
      await page.getByLabel('New passphrase').waitFor()
    },
  },
  {
    name: 'the account',
    open: async ({ page }) => {
      await page.goto('/deposit/account')
      await page.getByRole('heading', { name: 'Access tokens' }).waitFor()
    },
  },
  {
    name: 'the account with its sign-ins',
    open: async ({ page }) => {
      const [since, until] = ['2026-11-26T08:00:00Z', '2026-12-26T08:00:00Z']
      await page.route('**/api/sign-ins', (route) =>
        route.fulfill({
          json: ['deposit-pages', 'deposit-cli', 'Thermometer of the harbour'].map((program) => ({
            program,
            since,
            until,
          })),
        }),
      )
      await page.goto('/deposit/account')
      await page.getByText('Thermometer of the harbour').first().waitFor()
      await page.unroute('**/api/sign-ins')
    },
  },
  {
    name: 'several drafts of the list, selected',
    open: async ({ page, api }) => {
      for (const title of ['Tides', 'Waves']) await api('POST', '/deposits/', { title })
      await page.goto('/deposit')
      await page.getByLabel('Select Tides').first().check()
      await page.getByLabel('Select Waves').first().check()
      await page.getByText('2 drafts selected').waitFor()
    },
  },
  {
    name: 'a sign-in that ended',
    open: async ({ page }, { draft }) => {
      await page.goto(`/deposit/${draft.id}`)
      await page.locator('#metadata_title').waitFor()
      await page.route('**/api/deposits/*', (route) =>
        route.fulfill({
          status: 401,
          json: { status: 401, code: 'unauthenticated', message: 'x' },
        }),
      )
      await page.locator('#metadata_title').fill('Typed after it')
      await page.getByRole('heading', { name: 'Your sign-in has ended' }).waitFor()
      await page.unroute('**/api/deposits/*')
      await page.evaluate(() => sessionStorage.clear())
    },
  },
]
