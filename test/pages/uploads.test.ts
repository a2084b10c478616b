import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { silentProxy } from '../support/silent-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  choose,
  draftWithFiles,
  files,
  offsetAt,
  openDraft,
  sha256,
  slowDown,
} from './upload-steps.ts'
import { hasBrowser, patience, phone, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('uploads on the page of a draft', { timeout: patience }, () => {
  it('can be paused and resumed', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    await slowDown(page, 1_000_000)

    await choose(page, [{ name: 'large.bin', buffer: Buffer.alloc(6_000_000, 7) }])
    await page.getByText(/^[1-9]\d? % · 6\.0 MB/).waitFor()
    await page.getByRole('button', { name: 'Pause large.bin' }).click()
    await page.getByText(/Paused at/).waitFor()
    await slowDown(page, -1)
    await page.getByRole('button', { name: 'Resume large.bin' }).click()
    await page.getByRole('button', { name: 'Remove large.bin' }).waitFor()

    const [file] = await files(v, draft)
    expect(file).toMatchObject({ filename: 'large.bin', filesize: 6_000_000 })
  })

  it('resume after the tab was closed', async () => {
    await using folder = await temporaryFolder({ 'large.bin': 'x'.repeat(12_000_000) })
    const path = join(folder.path, 'large.bin')
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    // `slowDown` ends before the requests of a tab that is closed: the rest of the file could arrive.
    await using line = await silentProxy(v.daemon.url, 6_000_000)
    await page.route('**/uploads/*', (route) => {
      const { pathname } = new URL(route.request().url())
      return route.continue({ url: line.url + pathname })
    })
    await choose(page, path)
    await expect.poll(() => offsetAt(v, draft)).toBeGreaterThan(0)
    await page.close()

    const later = await page.context().newPage()
    // The first list of uploads is delayed until after the file was chosen.
    const [isAsked, isResumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const hold = async (route: Route) => {
      isAsked.resolve()
      await isResumed.promise
      await route.continue()
    }
    await later.route('**/api/**/uploads*', hold, { times: 1 })
    await later.goto(`/deposit/${draft.id}`)
    await isAsked.promise
    const resumed = later.waitForRequest((request) => request.method() === 'PATCH')
    await choose(later, path)
    const sent = Number((await (await resumed).allHeaders())['upload-offset'])
    expect(sent).toBeGreaterThan(0)
    isResumed.resolve()
    await later.getByRole('button', { name: 'Remove large.bin' }).waitFor()

    expect(await files(v, draft)).toMatchObject([
      { filename: 'large.bin', filesize: 12_000_000, checksum: await sha256(path) },
    ])
  })

  it('are shown until the list of files, refreshed by the page, has them', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    let isCut = true
    await page.route('**/files', (route) => (isCut ? route.abort() : route.continue()))

    await choose(page, [{ name: 'pic.png', buffer: Buffer.from('not lost') }])
    await page.getByText('Uploaded. Refreshing the list of files…').waitFor()
    expect(await files(v, draft)).toHaveLength(1)
    isCut = false

    await page.getByRole('button', { name: 'Remove pic.png' }).waitFor()
    expect(await page.locator('.file.upload').count()).toBe(0)
  })

  it('overwrite a file only on request', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    await v.upload(draft, 'a.txt', 'old')

    await choose(page, [{ name: 'a.txt', buffer: Buffer.from('newer') }])
    await page.getByText('A file of this name is there already.').waitFor()
    expect(await files(v, draft)).toMatchObject([{ filesize: 3 }])
    await page.getByRole('button', { name: 'Replace it a.txt' }).click()

    await expect.poll(() => files(v, draft)).toMatchObject([{ filesize: 5 }])
  })

  it('keep the file that they replace among the deleted ones, and an undo brings it back', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    await v.upload(draft, 'a.txt', 'old')
    await page.reload()
    await page.getByRole('button', { name: 'Remove a.txt' }).waitFor()
    await choose(page, [{ name: 'a.txt', buffer: Buffer.from('newer') }])
    await page.getByRole('button', { name: 'Replace it a.txt' }).click()
    await page.getByText('Replaced 1 file. The old one is among the deleted files.').waitFor()
    expect(await files(v, draft)).toMatchObject([{ filename: 'a.txt', filesize: 5 }])
    await page.getByText('Deleted files (1)').waitFor()

    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect.poll(() => files(v, draft)).toMatchObject([{ filename: 'a.txt', filesize: 3 }])
    // The one that took its place can be had back, too.
    await page.getByText('Deleted files (1)').waitFor()
    const trash = await v.api('GET', `/deposits/${draft.id}/trash`)
    expect(trash).toMatchObject([{ filename: 'a.txt', filesize: 5 }])
    expect(v.complaints).toEqual([])
  })

  it('leave out files that are there already, unchanged', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await draftWithFiles(v)
    // The same size is not the same file.
    const chosen = { 'a.txt': 'a.txt', 'b.txt': 'B.txt', 'c.txt': 'c.txt' }
    await choose(
      page,
      Object.entries(chosen).map(([name, text]) => ({ name, buffer: Buffer.from(text) })),
    )
    await page.getByText('1 file is there already, unchanged.').waitFor()
    await page.getByRole('button', { name: 'Remove c.txt' }).waitFor()
    await page.getByRole('button', { name: 'Replace it b.txt' }).waitFor()
    expect(await page.locator('.file.upload').count()).toBe(1)
    expect(await files(v, draft)).toHaveLength(3)
  })

  it('whose names are taken are decided upon together, and undone together', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await draftWithFiles(v)
    const again = ['a.txt', 'b.txt'].map((name) => ({ name, buffer: Buffer.from('corrected') }))
    await choose(page, again)
    await page.getByRole('button', { name: 'Keep all 2 as they are' }).click()
    await expect.poll(() => page.locator('.file.upload').count()).toBe(0)
    expect(await files(v, draft)).toMatchObject([{ filesize: 5 }, { filesize: 5 }])

    await choose(page, again)
    await page.getByRole('button', { name: 'Replace all 2' }).click()
    await page.getByText('Replaced 2 files. The old ones are among the deleted files.').waitFor()
    expect(await files(v, draft)).toMatchObject([{ filesize: 9 }, { filesize: 9 }])
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect.poll(() => files(v, draft)).toMatchObject([{ filesize: 5 }, { filesize: 5 }])
    expect(v.complaints).toEqual([])
  })

  it('stop publishing while one waits for a decision, and lead to it', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    await v.upload(draft, 'a.txt', 'old')
    await choose(page, [{ name: 'a.txt', buffer: Buffer.from('newer') }])
    await page.getByText('A file of this name is there already.').waitFor()
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByText('1 problem to solve before publishing').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.locator('.fault-list').getByRole('button', { name: 'a.txt' }).click()
    await page.locator('.file.upload:focus').waitFor()
    await page.getByRole('button', { name: 'Cancel a.txt' }).click()
    await page.getByText('1 problem to solve before publishing').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByRole('dialog').getByText('1 file, 3 B').waitFor()
  })

  it('tell the speed and the time left of a single one', async () => {
    await using folder = await temporaryFolder({ 'large.bin': 'x'.repeat(12_000_000) })
    await using v = await visit()
    const { page } = v
    await openDraft(v)
    await slowDown(page, 1_000_000)
    await choose(page, join(folder.path, 'large.bin'))
    await page.getByText(/^[1-9]\d? % · 12\.0 MB · .*\/s · \d+ s left/).waitFor()
  })

  it('say that they wait for the service, and go on when it is back', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    let isDown = true
    await page.route('**/uploads/*', (route) => (isDown ? route.abort() : route.continue()))
    await choose(page, [{ name: 'a.bin', buffer: Buffer.alloc(2_000, 7) }])
    await page.getByText(/^Waiting for the service, at 0 % · 2\.0 kB$/).waitFor()
    isDown = false
    await page.getByRole('button', { name: 'Remove a.bin' }).waitFor()
    expect(await files(v, draft)).toMatchObject([{ filesize: 2_000 }])
  })

  it('come from dropped folders with their paths', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)

    await page.evaluate(`(() => {
      const file = new File(['x'], 'deep.txt')
      const entry = { isFile: true, isDirectory: false, fullPath: '/data/raw/deep.txt', file: (done) => done(file) }
      let read = false
      const folder = {
        isFile: false,
        isDirectory: true,
        createReader: () => ({ readEntries: (done) => { done(read ? [] : [entry]); read = true } }),
      }
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(file)
      DataTransferItem.prototype.webkitGetAsEntry = () => folder
      document.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    })()`)

    await page.getByRole('button', { name: 'Remove data/raw/deep.txt' }).waitFor()
    expect(await files(v, draft)).toMatchObject([{ filename: 'data/raw/deep.txt' }])
  })

  it('leave out hidden and temporary files of a folder, say so, and take them on request', async () => {
    await using folder = await temporaryFolder({
      'proj/a.csv': 'a',
      'proj/.env': 'DB_PASSWORD=…',
      'proj/.git/config': 'token',
      'proj/.git/HEAD': 'ref',
      'proj/data/Thumbs.db': 'x',
      'proj/data/~$report.docx': 'x',
    })
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose a folder' }).click(),
    ])
    await chooser.setFiles(join(folder.path, 'proj'))
    const said = await page.getByText(/^Left out 5 hidden or temporary files: /).innerText()
    for (const name of ['.env', '.git/', 'data/Thumbs.db', 'data/~$report.docx'])
      expect(said).toContain(`proj/${name}`)
    await page.getByRole('button', { name: 'Remove proj/a.csv' }).waitFor()
    expect(await files(v, draft)).toMatchObject([{ filename: 'proj/a.csv' }])

    await page.getByRole('button', { name: 'Upload them too' }).click()
    await expect.poll(async () => (await files(v, draft)).length).toBe(6)
    expect(await page.getByText(/^Left out/).count()).toBe(0)
    expect(v.complaints).toEqual([])
  })

  it('leave out hidden and temporary files among those chosen, and take them on request', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    const names = ['.env', '.DS_Store', 'a.csv']
    await choose(
      page,
      names.map((name) => ({ name, buffer: Buffer.from(name) })),
    )
    await page.getByText('Left out 2 hidden or temporary files: .env, .DS_Store').waitFor()
    await page.getByRole('button', { name: 'Remove a.csv' }).waitFor()
    expect(await files(v, draft)).toMatchObject([{ filename: 'a.csv' }])

    await page.getByRole('button', { name: 'Upload them too' }).click()
    await page.getByRole('button', { name: 'Remove .env' }).waitFor()
    await expect.poll(async () => (await files(v, draft)).length).toBe(3)
  })

  it('are warned of where names differ only in case, or are none for Windows', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    await v.upload(draft, 'Levels.csv', 'a')
    await page.reload()
    await page.getByRole('button', { name: 'Remove Levels.csv' }).waitFor()
    await choose(page, [
      { name: 'levels.csv', buffer: Buffer.from('b') },
      { name: 'aux.csv', buffer: Buffer.from('c') },
    ])
    await page.getByText('Levels.csv, levels.csv differ only in case').waitFor()
    await page.getByText('aux.csv cannot be stored by Windows').waitFor()
    await page.getByRole('button', { name: 'Remove aux.csv' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await page.getByText('differ only in case').count()).toBe(0)
  })

  it('can be reordered by dragging', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'Order' })
    for (const key of ['a.txt', 'b.txt', 'c.txt']) await v.upload(draft, key, key)
    await page.goto(`/deposit/${draft.id}`)
    const handles = page.locator('.drag-handle')
    await handles.nth(2).waitFor()
    await page.waitForLoadState('networkidle')

    await handles.nth(0).hover()
    await page.mouse.down()
    const below = await page.locator('.files ol .file').nth(2).boundingBox()
    await page.mouse.move(below?.x ?? 0, (below?.y ?? 0) + 20, { steps: 5 })
    await page.mouse.move((below?.x ?? 0) + 20, (below?.y ?? 0) + (below?.height ?? 0) - 4, {
      steps: 10,
    })
    await page.mouse.up()

    await expect.poll(async () => (await files(v, draft))[0]?.filename).toBe('b.txt')
    expect(await page.locator('.files ol .file-name').first().innerText()).toContain('b.txt')
    expect(v.complaints).toEqual([])
  })

  it('can be reordered by touch', async () => {
    await using v = await visit({ viewport: phone, hasTouch: true, isMobile: true })
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'Order' })
    for (const key of ['a.txt', 'b.txt', 'c.txt']) await v.upload(draft, key, key)
    await page.goto(`/deposit/${draft.id}`)
    await page.locator('.drag-handle').nth(2).waitFor()
    await page.waitForLoadState('networkidle')

    await dragByTouch(page, '.drag-handle', '.files ol .file:nth-child(3)')

    await expect.poll(async () => (await files(v, draft))[0]?.filename).toBe('b.txt')
    expect(await page.locator('.files ol .file-name').first().innerText()).toContain('b.txt')
    expect(v.complaints).toEqual([])
  })
})

/** Drags from an element to the lower end of another by touch. */
async function dragByTouch(page: Page, from: string, to: string): Promise<void> {
  await page.locator(from).first().scrollIntoViewIfNeeded()
  const [start, end] = await Promise.all(
    [from, to].map((selector) => page.locator(selector).first().boundingBox()),
  )
  if (!start || !end) throw new Error('nothing to drag')
  const session = await page.context().newCDPSession(page)
  const x = start.x + start.width / 2
  const [top, bottom] = [start.y + start.height / 2, end.y + end.height - 4]
  const touch = (type: 'touchStart' | 'touchMove', y: number) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x, y }] })
  await touch('touchStart', top)
  for (let step = 1; step <= 12; step += 1) {
    await touch('touchMove', top + ((bottom - top) * step) / 12)
  }
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}
