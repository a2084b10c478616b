import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { choose, files, offsetAt, openDraft, sha256, slowDown } from './upload-steps.ts'
import { hasBrowser, patience, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('unfinished uploads', { timeout: patience }, () => {
  it('of another browser can be resumed, and the fault of publishing links to them', async () => {
    await using folder = await temporaryFolder({ 'a.bin': 'x'.repeat(900_000), 'b.bin': 'x' })
    const path = join(folder.path, 'a.bin')
    const { mtimeMs } = await stat(path)
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'Stopped' })
    const half = { key: 'a.bin', bytes: 'x'.repeat(450_000), size: 900_000 }
    await v.beginUpload(draft, { ...half, changed: mtimeMs })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('Stopped at 50 %').waitFor()

    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('button', { name: 'a.bin', exact: true }).click()
    await page.locator('.file.unfinished:focus').waitFor()
    const another = page.getByLabel('Choose the file to finish uploading a.bin')
    await another.setInputFiles(join(folder.path, 'b.bin'))
    await page.getByText('b.bin has 1 B, but the upload began with 900 kB.').waitFor()
    const resumed = page.waitForRequest((request) => request.method() === 'PATCH')
    await another.setInputFiles(path)

    expect((await (await resumed).allHeaders())['upload-offset']).toBe('450000')
    await page.getByRole('button', { name: 'Remove a.bin' }).waitFor()
    expect(await files(v, draft)).toMatchObject([{ checksum: await sha256(path) }])
    await expect.poll(() => page.getByText('is not uploaded yet').count()).toBe(0)
    expect(v.complaints).toEqual([])
  })

  it('of another tab are under way while bytes come, and have stopped when none do', async () => {
    await using folder = await temporaryFolder({ 'large.bin': 'x'.repeat(40_000_000) })
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    const other = await page.context().newPage()
    await other.goto(`/deposit/${draft.id}`)
    await other.getByRole('button', { name: 'Choose files' }).waitFor()
    await slowDown(other, 1_000_000)
    await choose(other, join(folder.path, 'large.bin'))
    await expect.poll(() => offsetAt(v, draft)).toBeGreaterThan(0)
    await page.reload()
    await page.getByText(/^Being uploaded elsewhere, at \d+ % · 40\.0 MB$/).waitFor()
    await page.getByText(/^Being uploaded elsewhere, at (?:[2-9]\d) %/).waitFor()
    await other.getByRole('button', { name: 'Pause large.bin' }).click()
    await page.getByText(/^Stopped at \d+ % · 40\.0 MB$/).waitFor()
  })

  it('of files that are there already are deleted, or told to be what they are', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    const bytes = 'x'.repeat(900_000)
    // The answer to its beginning is lost, as where the service is killed: it is begun again.
    let lost = 0
    await page.route('**/uploads', async (route) => {
      if (route.request().method() !== 'POST' || (lost += 1) > 1) return route.continue()
      await route.fetch()
      return route.abort()
    })
    await choose(page, [{ name: 'a.bin', buffer: Buffer.from(bytes) }])
    await page.getByRole('button', { name: 'Remove a.bin' }).waitFor()
    const uploads = async () => v.api('GET', `/deposits/${draft.id}/uploads`)
    await expect.poll(uploads).toEqual([])
    expect(lost).toBe(2)

    // Of another program, it is deleted by a person, who is told that nothing is lost.
    await v.beginUpload(draft, { key: 'b.bin', bytes: 'x', size: 3, changed: 0 })
    await v.upload(draft, 'b.bin', 'xyz')
    await page.reload()
    await page.getByText('This file is there already').waitFor()
    await page.getByRole('button', { name: 'Delete b.bin' }).click()
    await expect.poll(uploads).toEqual([])
    expect(await files(v, draft)).toHaveLength(2)
  })

  it('that were refused at their end are given up for those that replace a file', async () => {
    await using folder = await temporaryFolder({ 'a.bin': 'y'.repeat(900_000) })
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'Refused' })
    await v.beginUpload(draft, { key: 'a.bin', bytes: 'y'.repeat(450_000), size: 900_000 })
    await v.upload(draft, 'a.bin', 'there meanwhile')
    await page.goto(`/deposit/${draft.id}`)
    const again = page.getByLabel('Choose the file to finish uploading a.bin')
    await again.setInputFiles(join(folder.path, 'a.bin'))
    await page.getByRole('button', { name: 'Replace it a.bin' }).click()
    await expect.poll(() => files(v, draft)).toMatchObject([{ filesize: 900_000 }])
    await expect.poll(async () => v.api('GET', `/deposits/${draft.id}/uploads`)).toEqual([])
  })

  it('can be deleted, and restart for a changed file', async () => {
    await using folder = await temporaryFolder({ 'a.bin': 'y'.repeat(900_000) })
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'Stopped' })
    const half = { bytes: 'x'.repeat(450_000), size: 900_000, changed: 0 }
    await v.beginUpload(draft, { ...half, key: 'a.bin' })
    await v.beginUpload(draft, { ...half, key: 'wrong.bin' })
    await page.goto(`/deposit/${draft.id}`)

    await page.getByRole('button', { name: 'Delete wrong.bin' }).click()
    await page.getByText('Deleted the unfinished upload of wrong.bin.').waitFor()
    const again = page.getByLabel('Choose the file to finish uploading a.bin')
    await again.setInputFiles(join(folder.path, 'a.bin'))
    await page.getByText('a.bin is uploaded from the start').waitFor()
    await page.getByRole('button', { name: 'Remove a.bin' }).waitFor()

    expect(await files(v, draft)).toMatchObject([
      { filename: 'a.bin', checksum: await sha256(join(folder.path, 'a.bin')) },
    ])
    expect(await page.locator('.file.upload').count()).toBe(0)
    expect(await v.api('GET', `/deposits/${draft.id}/uploads`)).toEqual([])
  })

  it('of another program can be finished with the same file, and are kept otherwise', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'Stopped' })
    const half = { bytes: 'x'.repeat(450_000), size: 900_000 }
    await v.beginUpload(draft, { ...half, key: 'a.bin' })
    await v.beginUpload(draft, { ...half, key: 'b.bin' })
    await page.goto(`/deposit/${draft.id}`)

    const rest = page.getByLabel('Choose the file to finish uploading a.bin')
    const resumed = page.waitForRequest((request) => request.method() === 'PATCH')
    const buffer = Buffer.alloc(900_000, 'x')
    await rest.setInputFiles({ name: 'renamed.bin', mimeType: 'text/plain', buffer })
    expect((await (await resumed).allHeaders())['upload-offset']).toBe('450000')
    await page.getByRole('button', { name: 'Remove a.bin' }).waitFor()
    await choose(page, [{ name: 'b.bin', buffer: Buffer.from('another') }])
    await page.getByText('Another upload of b.bin is not finished.').waitFor()
    await page.getByRole('button', { name: 'Remove b.bin' }).waitFor()

    const checksum = `sha256:${createHash('sha256').update(buffer).digest('hex')}`
    expect(await files(v, draft)).toMatchObject([{ filename: 'a.bin', checksum }, { filesize: 7 }])
    expect(await offsetAt(v, draft)).toBe(450_000)
    await page.getByText('Stopped at 50 %').waitFor()
  })

  it('are prepared once if paused and resumed, and not sent if cancelled', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'Undecided' })
    for (const key of ['a.bin', 'b.bin']) await v.beginUpload(draft, { key, bytes: 'x', size: 9 })
    const begun: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/uploads')) {
        begun.push(request.headers()['upload-metadata'] ?? '')
      }
    })
    const isAsked = Promise.withResolvers<void>()
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
    await page.route('**/uploads/*', async (route) => {
      isAsked.resolve()
      await mayAnswer
      await route.continue()
    })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('Stopped at 11 %').nth(1).waitFor()

    await choose(page, [
      { name: 'a.bin', buffer: Buffer.from('another') },
      { name: 'b.bin', buffer: Buffer.from('another') },
    ])
    await isAsked.promise
    await page.getByRole('button', { name: 'Cancel a.bin' }).click()
    await page.getByRole('button', { name: 'Pause b.bin' }).click()
    await page.getByRole('button', { name: 'Resume b.bin' }).click()
    answer()
    await page.getByRole('button', { name: 'Remove b.bin' }).waitFor()
    await choose(page, [{ name: 'c.bin', buffer: Buffer.from('last') }])
    await page.getByRole('button', { name: 'Remove c.bin' }).waitFor()

    expect(await files(v, draft)).toMatchObject([{ filename: 'b.bin' }, { filename: 'c.bin' }])
    expect(begun).toHaveLength(2)
  })
})
