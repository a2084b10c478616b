import type { Page } from 'playwright-core'
import { adminStates, pastStates } from './past-states.ts'
import { sharingStates, type State } from './sharing-states.ts'
import { forgetSession } from './visit.ts'
import { workspaceStates } from './workspace-states.ts'

export type { State }

const strict = 'deposits/dataset-v1.0.0.json'

/** Every page in every state that matters. */
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
  ...sharingStates,
  ...pastStates,
  ...adminStates,
  ...workspaceStates,
  {
    name: 'a draft with an unfinished upload',
    open: async ({ page, api, beginUpload }) => {
      const draft = await api('POST', '/deposits/', { title: 'Storm surge of 1962' })
      const begun = { bytes: 'x'.repeat(550_000), size: 1_000_000, changed: 0 }
      await beginUpload(draft, { ...begun, key: 'tide-gauges/Cuxhaven-1962.csv' })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByText('Stopped at 55 %').waitFor()
      await page.getByRole('button', { name: /^Publish/ }).click()
      await page.getByText('is not uploaded yet').waitFor()
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
    name: 'the problems to solve before publishing',
    open: async ({ page, api }) => {
      const title = 'A data set with holes'
      const creators = [{ name: 'Nobody', orcid: '1234' }]
      const draft = await api('POST', '/deposits/', { $schema: strict, title, creators })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByText('to solve before publishing').waitFor()
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
      await page.getByRole('heading', { name: 'Someone else saved changes' }).waitFor()
    },
  },
  {
    name: 'a conflict that publishing found',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'First', keywords: ['a'] })
      const { metadata: facts } = await api('POST', `/deposits/${draft.id}/actions/publish`)
      await api('POST', `/deposits/${draft.id}/actions/edit`)
      for (const [path, title] of [
        [`/deposits/${draft.id}`, 'The title of mine'],
        [`/records/${facts._deposit.value}`, 'The title of a curator'],
      ] as const) {
        await api('PATCH', path, [
          { op: 'replace', path: '/title', value: title },
          { op: 'replace', path: '/keywords/0', value: title.slice(-5) },
        ])
      }
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Publish changes…' }).click()
      await page.getByRole('dialog').getByRole('group', { name: 'Title' }).waitFor()
    },
  },
  {
    name: 'uploads under way',
    open: async ({ page, api, upload }) => {
      const draft = await api('POST', '/deposits/', { title: 'Large files' })
      await upload(draft, 'there.txt', 'already')
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Remove there.txt' }).waitFor()
      await withoutAnswer(page, '**/uploads/*', async () => {
        await choose(page, ['sent.bin', 'paused.bin', 'there.txt'])
        await page.getByRole('button', { name: 'Pause paused.bin' }).click()
        await page.getByText('A file of this name is there already.').waitFor()
      })
    },
  },
  {
    name: 'an upload without a connection',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'In a tunnel' })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Choose files' }).waitFor()
      await page.route('**/uploads', (route) =>
        route.request().method() === 'POST' ? route.abort() : route.continue(),
      )
      await choose(page, ['large.bin'])
      await page.getByText('Waiting for the service, at 0 %').waitFor()
      await page.unroute('**/uploads')
    },
  },
  {
    name: 'hidden files that were left out',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'A folder with secrets' })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Choose a folder' }).waitFor()
      await page.evaluate(`(() => {
        const names = ['proj/.env', 'proj/.git/config', 'proj/Levels.csv', 'proj/levels.csv']
        const entries = names.map((name) => ({
          isFile: true,
          isDirectory: false,
          fullPath: '/' + name,
          file: (done) => done(new File(['x'], name)),
        }))
        const dataTransfer = new DataTransfer()
        for (const name of names) dataTransfer.items.add(new File(['x'], name))
        let next = 0
        DataTransferItem.prototype.webkitGetAsEntry = () => entries[next++]
        document.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
      })()`)
      await page.getByText('Left out 2 hidden or temporary files').waitFor()
      await page.getByRole('button', { name: 'Remove proj/levels.csv', exact: true }).waitFor()
    },
  },
  {
    name: 'typed text of a draft that was closed meanwhile',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'Before' })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByLabel('Title').waitFor()
      await api('POST', `/deposits/${draft.id}/actions/publish`)
      await page.getByLabel('Title').fill('Typed too late')
      await page.getByText('Not saved: the draft was published meanwhile.').waitFor()
    },
  },
  {
    name: 'a file that was removed',
    open: async ({ page, api, upload }) => {
      const draft = await api('POST', '/deposits/', { title: 'One file too many' })
      await upload(draft, 'wrong.txt', 'wrong')
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Remove wrong.txt' }).click()
      await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
    },
  },
  {
    name: 'a save that failed',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'On a train' })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByLabel('Title').waitFor()
      await page.route('**/api/deposits/*', (route) => route.abort())
      await page.getByLabel('Title').fill('In a tunnel')
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      await page.unroute('**/api/deposits/*')
    },
  },
  {
    name: 'a sealed deposit',
    open: async ({ page }, { sealed }) => {
      await page.goto(`/deposit/${sealed.id}`)
      await page.getByText('The record is locked for good').waitFor()
    },
  },
  {
    name: 'a search that cannot be read',
    open: async ({ page }) => {
      await page.goto('/deposit?q=title%3A(')
      await page.locator('.notice.warn').waitFor()
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
  { name: 'the home page', open: async ({ page }) => void (await page.goto('/')) },
  {
    name: 'a search of records',
    open: async ({ page }) => {
      await page.goto('/records?q=temperature&keyword=oceanography')
      await page.getByRole('link', { name: 'Remove: Keyword: oceanography' }).waitFor()
    },
  },
  {
    name: 'a public search for an unknown field, past the last page',
    open: async ({ page }) => {
      await page.goto('/records?q=titel:x%20OR%20*&more=keyword&page=900')
      await page.getByRole('link', { name: 'Go to the first page' }).waitFor()
    },
  },
  {
    name: 'a search of records without results',
    open: async ({ page }) => {
      await page.goto('/records?q=submarine')
      await page.getByText('No records found').waitFor()
    },
  },
  {
    name: 'a search of records that cannot be read',
    open: async ({ page }) => {
      await page.goto('/records?q=title%3A(')
      await page.getByRole('alert').waitFor()
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
      await forgetSession(page)
      await page.goto('/deposit')
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      await page.evaluate(() => sessionStorage.clear())
    },
  },
  {
    name: 'the sign-in at the issuer',
    open: async ({ page }) => {
      await forgetSession(page)
      await page.goto('/deposit')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('E-mail address').fill('ada@example.org')
      await page.getByLabel('Passphrase').fill('not this one, surely')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').waitFor()
      await page.evaluate(() => sessionStorage.clear())
    },
  },
  {
    name: 'the code of a device',
    open: async ({ page }) => {
      await page.goto('/device')
      await page.getByLabel('Code').fill('BCDF-GHJK')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('No program waits for this code.').waitFor()
    },
  },
]

/** Runs `work` while requests to `pattern` get no answer; they fail when the page is left. */
async function withoutAnswer(
  page: Page,
  pattern: string,
  work: () => Promise<void>,
): Promise<void> {
  await page.route(pattern, () => undefined)
  await work()
  await page.unroute(pattern)
}

async function choose(page: Page, names: readonly string[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ])
  const file = { mimeType: 'application/octet-stream', buffer: Buffer.alloc(3_000_000, 7) }
  await chooser.setFiles(names.map((name) => ({ ...file, name })))
}
