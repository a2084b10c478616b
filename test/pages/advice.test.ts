import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatFields } from '../../core/contract/uploads.ts'
import { advice } from '../../daemon/pages/text/advice.ts'
import { desktopBrowser } from '../support/browser.ts'
import { choosePassphrase, passphrase } from '../support/colleague.ts'
import { runCli } from '../support/run-cli.ts'
import { choose, files } from './upload-steps.ts'
import { hasBrowser, patience, visit, type ApiAnswer, type Visit } from './visit.ts'

const program = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url))
const half = { bytes: 'x'.repeat(450_000), size: 900_000 }
const whole = { name: 'a.bin', mimeType: 'text/plain', buffer: Buffer.alloc(900_000, 'x') }

const reference = {
  name: 'tides.bib',
  mimeType: 'text/plain',
  buffer: Buffer.from('@dataset{t, title = {Tides}}'),
}

type Row = (v: Visit) => Promise<void>

/** A row for each text with advice: a text without a row does not compile. */
const rows: Readonly<Record<keyof typeof advice, Row>> = {
  'list.nothingHint': async ({ page, api }) => {
    await api('POST', '/deposits/', { title: 'Tides of the coast' })
    const search = page.getByRole('searchbox')
    const found = page.getByRole('link', { name: 'Tides of the coast' })
    await page.goto('/deposit?q=coast+zebra')
    await shows(page, 'list.nothingHint')
    await search.fill('coast')
    await found.waitFor()
    await page.goto('/deposit?q=coast&status=published')
    await shows(page, 'list.nothingHint')
    await page.locator('label.segment', { hasText: 'All' }).click()
    await found.waitFor()
  },
  'form.otherHint': async ({ page, api, daemon, token }) => {
    const draft = await api('POST', '/deposits/', { title: 'Others', station: 'north' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('Other fields').click()
    await shows(page, 'form.otherHint')
    const patch = JSON.stringify([{ op: 'replace', path: '/station', value: 'south' }])
    const env = { ...process.env, DEPOSIT_URL: daemon.url, DEPOSIT_TOKEN: token }
    const options = { encoding: 'utf8', env, input: patch } as const
    const ended = spawnSync(process.execPath, [program, 'patch', draft.id, '-'], options)
    expect([ended.status, ended.stderr]).toEqual([0, ended.stderr])
    expect((await api('GET', `/deposits/${draft.id}`)).metadata['station']).toBe('south')
  },
  'import.unknown': async ({ page, api }) => {
    await opened({ page, api }, 'Before')
    await page.getByRole('button', { name: 'Import metadata…' }).click()
    const pasted = page.getByLabel('Paste the text')
    await pasted.fill('title = {Tides}}')
    await shows(page, 'import.unknown')
    await page.getByLabel('Choose a file').setInputFiles(reference)
    await page.getByText('Found in BibTeX').waitFor()
    await pasted.fill('Tides')
    await shows(page, 'import.unknown')
    await pasted.fill(reference.buffer.toString())
    await page.getByText('Found in BibTeX').waitFor()
  },
  'import.tooLarge': async ({ page, api }) => {
    await opened({ page, api }, 'Before')
    await page.getByRole('button', { name: 'Import metadata…' }).click()
    const buffer = Buffer.alloc(2_100_000, 'x')
    await page.getByLabel('Choose a file').setInputFiles({ ...reference, buffer })
    await shows(page, 'import.tooLarge', { most: '2.0 MB' })
    await page.getByLabel('Choose a file').setInputFiles(reference)
    await page.getByText('Found in BibTeX').waitFor()
  },
  'save.copyAdvice': async ({ page, api }) => {
    const draft = await opened({ page, api }, 'Before')
    await api('DELETE', `/deposits/${draft.id}`)
    await page.getByLabel('Title').fill('Not lost')
    await shows(page, 'save.copyAdvice')
    await page.getByRole('button', { name: 'Copy into a new draft' }).click()
    await page.waitForURL((url) => !url.pathname.endsWith(draft.id))
    await page.locator('.save-status.saved').waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('Not lost')
  },
  'upload.chooseAgain': async (v) => {
    const { page } = v
    const draft = await stopped(v)
    await shows(page, 'upload.chooseAgain')
    await page.getByLabel('Choose the file to finish uploading a.bin').setInputFiles(whole)
    await page.getByRole('button', { name: 'Remove a.bin' }).waitFor()
    expect(await files(v, draft)).toMatchObject([{ filename: 'a.bin', filesize: 900_000 }])
    await stopped(v)
    await deletesIt(page)
  },
  'upload.otherFile': async (v) => {
    const { page } = v
    await stopped(v)
    const rest = page.getByLabel('Choose the file to finish uploading a.bin')
    await rest.setInputFiles({ ...whole, buffer: Buffer.from('other') })
    const sizes = { name: 'a.bin', size: '5 B', wanted: '900 kB' }
    await shows(page, 'upload.otherFile', sizes)
    await rest.setInputFiles(whole)
    await page.getByRole('button', { name: 'Remove a.bin' }).waitFor()
  },
  'upload.beside': async (v) => {
    const { page } = v
    await stopped(v)
    await choose(page, [{ name: 'a.bin', buffer: Buffer.from('another') }])
    await shows(page, 'upload.beside', { name: 'a.bin' })
    await page.getByRole('button', { name: 'Remove a.bin' }).waitFor()
    await deletesIt(page)
  },
  'upload.unfinished': async (v) => {
    const { page } = v
    const draft = await stopped(v)
    const publish = page.getByRole('button', { name: 'Publish' })
    await publish.click()
    await shows(page, 'upload.unfinished')
    await page.getByRole('button', { name: 'a.bin', exact: true }).click()
    await page.locator('.file.unfinished:focus').waitFor()
    await page.getByLabel('Choose the file to finish uploading a.bin').setInputFiles(whole)
    await page.getByRole('button', { name: 'Remove a.bin' }).waitFor()
    await v.api('POST', `/deposits/${draft.id}/actions/publish`)
  },
  'upload.stream': (v) => finishesElsewhere(v, 'upload.stream', { 'upload-defer-length': '1' }),
  'upload.part': (v) =>
    finishesElsewhere(v, 'upload.part', { 'upload-length': '6', 'upload-concat': 'partial' }),
  'signIn.local': async ({ api, daemon, page }) => {
    const draft = await api('POST', '/deposits/', { title: 'Mine' })
    const stranger = await page.context().browser()?.newPage({ baseURL: daemon.url })
    if (!stranger) throw new Error('there is no browser')
    await stranger.goto(`/deposit/${draft.id}`)
    await shows(stranger, 'signIn.local', { id: draft.id })
    await using desktop = await desktopBrowser()
    const environment = { DEPOSIT_HOME: daemon.home, DISPLAY: ':0' }
    await runCli(['create', '--title', 'Of the owner'], { environment })
    const [id = ''] = (await runCli(['list'], { environment })).stdout.split('\t')
    expect(await runCli(['open', id], { environment, terminal: 80 })).toMatchObject({ status: 0 })
    await stranger.goto(await desktop.opened())
    await stranger.getByLabel('Title').waitFor()
    expect(await stranger.getByLabel('Title').inputValue()).toBe('Of the owner')
    await stranger.close()
  },
  'signIn.localList': async ({ daemon, page }) => {
    const stranger = await page.context().browser()?.newPage({ baseURL: daemon.url })
    if (!stranger) throw new Error('there is no browser')
    await stranger.goto('/deposit')
    await shows(stranger, 'signIn.localList')
    await using desktop = await desktopBrowser()
    const environment = { DEPOSIT_HOME: daemon.home, DISPLAY: ':0' }
    expect(await runCli(['open'], { environment, terminal: 80 })).toMatchObject({ status: 0 })
    await stranger.goto(await desktop.opened())
    await stranger.getByRole('heading', { name: 'Your deposits' }).waitFor()
    await stranger.close()
  },
  // This row is last because it ends the sign-in of the others.
  'signIn.kept': async ({ page, api, daemon }) => {
    const draft = await opened({ page, api }, 'Before')
    const [link = ''] = await daemon.operate('user link', { email: 'ada@example.org' })
    const [listed = ''] = await daemon.operate('token list')
    await daemon.operate('token revoke', { id: listed.split('\t', 1)[0] ?? '' })
    await page.getByLabel('Title').fill('Kept')
    await shows(page, 'signIn.kept')
    const other = await page.context().newPage()
    await choosePassphrase(other, link)
    await other.close()
    const [beside] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Sign in' }).click(),
    ])
    await beside.getByLabel('E-mail address').fill('ada@example.org')
    await beside.getByLabel('Passphrase').fill(passphrase)
    await beside.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('.save-status.saved').waitFor()
    expect(page.url()).toContain(draft.id)
    expect(await page.getByLabel('Title').inputValue()).toBe('Kept')
  },
}

describe.skipIf(!hasBrowser)(
  'the advice of pages works when it is followed',
  { timeout: patience },
  () => {
    let shared: Visit
    beforeAll(async () => {
      shared = await visit()
    }, patience)
    afterAll(() => shared[Symbol.asyncDispose]())

    it.for(Object.entries(rows))('%s', ([, row]) => row(shared))
  },
)

async function shows(
  page: Page,
  key: keyof typeof advice,
  values: Readonly<Record<string, string>> = {},
): Promise<void> {
  const text = advice[key].replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  await page.getByText(text).first().waitFor()
}

async function opened({ page, api }: Pick<Visit, 'page' | 'api'>, title: string) {
  const draft = await api('POST', '/deposits/', { title })
  await page.goto(`/deposit/${draft.id}`)
  await page.getByLabel('Title').waitFor()
  return draft
}

/** The page of a draft with an upload that stopped half-way. */
async function stopped(v: Visit): Promise<ApiAnswer> {
  const draft = await v.api('POST', '/deposits/', { title: 'Stopped' })
  await v.beginUpload(draft, { key: 'a.bin', ...half })
  await v.page.goto(`/deposit/${draft.id}`)
  await v.page.getByText('Stopped at 50 %').waitFor()
  return draft
}

async function deletesIt(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Delete a.bin' }).click()
  await page.getByText('Deleted the unfinished upload of a.bin.').waitFor()
}

/** Begins an upload like another program, deletes it on the page, and finishes another one. */
async function finishesElsewhere(
  v: Visit,
  key: keyof typeof advice,
  kind: Readonly<Record<string, string>>,
): Promise<void> {
  const { page, token } = v
  const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' }
  const bytes = { ...headers, 'content-type': 'application/offset+octet-stream' }
  const begin = async (draft: ApiAnswer): Promise<string> => {
    const named = { ...bytes, ...kind, 'upload-metadata': formatFields({ filename: 'a.bin' }) }
    const url = draft.links['uploads'] ?? ''
    const answer = await fetch(url, { method: 'POST', headers: named, body: 'abc' })
    expect(answer.status).toBe(201)
    return answer.headers.get('location') ?? ''
  }
  const draft = await v.api('POST', '/deposits/', { title: 'Elsewhere' })
  await begin(draft)
  await page.goto(`/deposit/${draft.id}`)
  await shows(page, key)
  await page.getByRole('button', { name: /^Delete .*(a\.bin|\.part)$/ }).click()
  await page.getByText('Deleted the unfinished upload').waitFor()

  const url = await begin(draft)
  const rest = { ...bytes, 'upload-offset': '3', 'upload-length': '6' }
  const { 'upload-length': _, ...known } = rest
  const finished = await fetch(url, {
    method: 'PATCH',
    headers: 'upload-defer-length' in kind ? rest : known,
    body: 'def',
  })
  expect(finished.status).toBe(204)
  if ('upload-concat' in kind) {
    const final = { 'upload-concat': `final;${url}` }
    const metadata = { 'upload-metadata': formatFields({ filename: 'a.bin' }) }
    const made = { ...headers, ...final, ...metadata }
    const list = draft.links['uploads'] ?? ''
    expect((await fetch(list, { method: 'POST', headers: made })).status).toBe(201)
  }
  await page.reload()
  await page.getByRole('button', { name: 'Remove a.bin' }).waitFor()
}
