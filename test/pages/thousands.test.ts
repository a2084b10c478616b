import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { tabTo } from './keyboard.ts'
import { hasBrowser, patience, visit, type ApiAnswer, type Visit } from './visit.ts'

/** Files in the folder `raw/`; a quarter as many are in none. */
const inFolder = 2_000

describe.skipIf(!hasBrowser)('a record with thousands of files', { timeout: patience }, () => {
  it('is a small page that leads to all of them by folder, page and name, without a script', async () => {
    await using v = await visit({ javaScriptEnabled: false })
    const { page } = v
    const draft = await withThousands(v)
    const { metadata } = await v.api('POST', `/deposits/${draft.id}/actions/publish`)
    const answer = await page.goto(`/records/${metadata._deposit.value}`)
    expect((await answer?.body())?.byteLength).toBeLessThan(100_000)
    await page.getByText('2,500 files, 30.0 kB').waitFor()
    await page.getByText('raw/ 2,000 files, 24.0 kB').waitFor()
    await page.getByText('1–50 of 501').waitFor()

    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('51–100 of 501').waitFor()
    await page.getByRole('link', { name: 'Download data-0072.csv' }).waitFor()
    await page.getByRole('link', { name: 'Previous' }).click()
    await page.getByRole('link', { name: 'raw/' }).click()
    await page.getByText('1–50 of 2,000').waitFor()
    await page.getByRole('link', { name: 'Download raw/data-0000.csv' }).waitFor()
    expect(await page.getByRole('link', { name: 'Download data-0000.csv' }).count()).toBe(0)
    await page.getByRole('link', { name: 'All files', exact: true }).click()

    await page.getByRole('searchbox', { name: 'Filter files by name' }).fill('RAW 1999')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('1 file found').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download raw/data-1999.csv' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('data-1999.csv')
    expect(v.complaints).toEqual([])
  })

  it('is read in the same way by a link, before it is published', async () => {
    await using v = await visit({ javaScriptEnabled: false })
    const { page } = v
    const draft = await withThousands(v)
    const path = `/deposits/${draft.id}/links`
    const { url } = (await v.api('POST', path, { role: 'reader' })) as { readonly url?: string }
    await page.goto(url ?? '')
    await page.getByText('2,500 files, 30.0 kB').waitFor()
    await page.getByText('1–50 of 501').waitFor()
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('51–100 of 501').waitFor()
    await page.getByRole('link', { name: 'Previous' }).click()
    await page.getByRole('link', { name: 'raw/' }).click()
    await page.getByText('1–50 of 2,000').waitFor()

    await page.getByRole('searchbox', { name: 'Filter files by name' }).fill('RAW 1999')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('1 file found').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download raw/data-1999.csv' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('data-1999.csv')
    expect(v.complaints).toEqual([])
  })

  it('keeps the page of a folder out of the indexes of search engines', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await withThousands(v)
    const { metadata } = await v.api('POST', `/deposits/${draft.id}/actions/publish`)
    const record = `/records/${metadata._deposit.value}`
    await page.goto(`${record}?folder=raw%2F&page=9999`)
    await page.getByText('1,951–2,000 of 2,000').waitFor()
    await page.getByRole('button', { name: 'Preview raw/data-1999.csv' }).click()
    await page.getByRole('dialog').getByRole('cell', { name: '1999' }).waitFor()
    expect(page.url()).toMatch(/\?folder=raw%2F&page=9999#preview\/raw\/data-1999.csv$/)

    await page.goto('/health')
    await page.goto(`${record}#preview/raw/data-1234.csv`)
    await page.getByRole('dialog').getByRole('cell', { name: '1234' }).waitFor()

    await page.goto(`${record}?folder=raw%2F`)
    const robots = page.locator('meta[name="robots"]')
    expect(await robots.getAttribute('content')).toBe('noindex, follow')
    const canonical = page.locator('link[rel="canonical"]')
    expect(await canonical.getAttribute('href')).toBe(v.daemon.url + record)
    await page.goto(`${record}?folder=%3Cb%3E%2F`)
    await page.getByText('There are no files here.').waitFor()
    expect(v.complaints).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('a draft with thousands of files', { timeout: patience }, () => {
  it('asks for its list of files once, and again only after a change of them', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await withThousands(v)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'GET' && /\/files(\?|$)/.test(request.url()))
        asked.push(request.url().endsWith('?size=200') ? 'beginning' : 'list')
    })
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
    await page.route('**/files', async (route) => (await mayGoOn, route.continue()))
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('Loading the list of files: 200 of 2,500').waitFor()
    await page.getByRole('button', { name: 'raw/', exact: true }).waitFor()
    goOn()
    await page.getByText('2,500 files, 30.0 kB').waitFor()
    await page.getByText('1–25 of 501').waitFor()
    expect(asked.splice(0)).toEqual(['beginning', 'list'])
    expect(await page.locator('*').count()).toBeLessThan(1_500)

    await page.getByLabel('Title').fill('Saved without another look at the files')
    await page.locator('.save-status.saved').waitFor()
    await lookAgain(page)
    expect(asked).toEqual([])
    await v.upload(draft, 'AAA-another.txt', 'from another program')
    await lookAgain(page)
    await page.getByText('2,501 files').waitFor()
    expect(asked).toEqual(['list'])
    await api('PATCH', `/deposits/${draft.id}`, [{ op: 'add', path: '/notes', value: 'n' }])
    await page.getByLabel('Title').fill('Saved after another program')
    await page.locator('.save-status.saved').waitFor()
    expect((await api('GET', `/deposits/${draft.id}`)).metadata).toMatchObject({ notes: 'n' })
    expect(v.complaints).toEqual([])
  })

  it('has them found, selected and removed by keyboard, and says how far it is', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await withThousands(v)
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('2,500 files, 30.0 kB').waitFor()
    await tabTo(page, 'Filter files by name')
    await page.keyboard.type('raw')
    await page.getByText('2,000 files found').waitFor()
    await tabTo(page, 'Select all')
    await page.keyboard.press('Space')
    await page.getByText('2,000 files selected, 24.0 kB').waitFor()
    await tabTo(page, 'Remove selected')
    await page.keyboard.press('Enter')
    await page.getByText('500 files, 6.0 kB').waitFor()
    await page.getByText(/^Removing files: [1-9][\d,]* of 2,000$/).waitFor()
    const asked = page.waitForEvent('dialog')
    await Promise.all([asked, page.getByRole('link', { name: 'Deposits' }).click()])
    expect((await asked).type()).toBe('beforeunload')

    await page.goto(`/deposit/${draft.id}`)
    await page.getByText(/Deleted files/).click()
    const rows = page.getByRole('list', { name: 'Deleted files' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(25)
    await page.getByRole('button', { name: /^Show more/ }).click()
    expect(await rows.count()).toBe(50)
    expect(v.complaints).toEqual([])
  })

  it('keeps files that cannot be removed, and says so once', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await withThousands(v)
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('2,500 files, 30.0 kB').waitFor()
    await page.getByLabel('Select raw/', { exact: true }).check()
    let isCut = false
    await page.route('**/files/**', (route) => {
      if (route.request().method() !== 'DELETE' || !isCut) return route.continue()
      return route.abort()
    })
    await page.getByRole('button', { name: 'Remove selected' }).click()
    await page.getByText(/^Removing files: [1-9]/).waitFor()
    isCut = true
    const failure = page.locator('.toast', { hasText: 'The service cannot be reached.' })
    await failure.waitFor()
    expect(await failure.count()).toBe(1)
    await page.getByRole('button', { name: 'raw/', exact: true }).waitFor()
  })
})

/** Comes back to the page, which asks whether something has changed. */
async function lookAgain(page: Page): Promise<void> {
  const told = page.waitForResponse((response) => response.url().endsWith('/uploads'))
  await page.evaluate("dispatchEvent(new Event('focus'))")
  await told
}

async function withThousands(v: Visit): Promise<ApiAnswer> {
  const draft = await v.api('POST', '/deposits/', { title: 'Thousands' })
  const keys = Array.from({ length: inFolder }, (_, at) => {
    const name = `data-${String(at).padStart(4, '0')}.csv`
    return at < inFolder / 4 ? [`raw/${name}`, name] : [`raw/${name}`]
  }).flat()
  const send = async (): Promise<void> => {
    for (let key = keys.shift(); key !== undefined; key = keys.shift())
      await v.upload(draft, key, `n,value\n${key.slice(-8, -4)}`)
  }
  await Promise.all(Array.from({ length: 16 }, send))
  return draft
}
