import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser, patience, visit, type ApiAnswer, type Visit } from './visit.ts'

describe.skipIf(!hasBrowser)('uploads on the page of a draft', { timeout: patience }, () => {
  it('pause, and go on where they stopped', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    await slowDown(page, 1_000_000)

    await choose(page, [{ name: 'large.bin', buffer: Buffer.alloc(6_000_000, 7) }])
    await page.getByText(/^[1-9]\d? % · 6 MB/).waitFor()
    await page.getByRole('button', { name: 'Pause large.bin' }).click()
    await page.getByText(/Paused at/).waitFor()
    await slowDown(page, -1)
    await page.getByRole('button', { name: 'Resume large.bin' }).click()
    await page.getByRole('button', { name: 'Remove large.bin' }).waitFor()

    const [file] = await files(v, draft)
    expect(file).toMatchObject({ filename: 'large.bin', filesize: 6_000_000 })
  })

  it('never overwrite a file unless they are told to', async () => {
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

  it('are put into another order by dragging', async () => {
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
})

async function openDraft({ page, api }: Visit): Promise<ApiAnswer> {
  const draft = await api('POST', '/deposits/', { title: 'Uploads' })
  await page.goto(`/deposit/${draft.id}`)
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  return draft
}

interface Chosen {
  readonly name: string
  readonly buffer: Buffer
}

async function choose(page: Page, chosen: readonly Chosen[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ])
  await chooser.setFiles(chosen.map((file) => ({ ...file, mimeType: 'text/plain' })))
}

interface Listed {
  readonly filename: string
  readonly filesize: number
}

async function files({ api }: Visit, { id }: ApiAnswer): Promise<readonly Listed[]> {
  return (await api('GET', `/deposits/${id}/files`)) as unknown as readonly Listed[]
}

/** @param bytesPerSecond of what is sent; -1 for no limit */
async function slowDown(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  })
}
