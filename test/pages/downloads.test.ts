import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { hasBrowser, patience, visit } from './visit.ts'

/** Bytes: more than a page loads into its memory. */
const large = 70_000_000

describe.skipIf(!hasBrowser)('a download from the page of a draft', { timeout: patience }, () => {
  it('of a large file does not go through the memory of the page', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Large' })
    const bytes = Buffer.alloc(large, 'tide ')
    await v.upload(draft, 'data/large.bin', bytes)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('large.bin'))
        asked.push(`${request.method()} ${request.resourceType()}`)
    })
    await page.goto(`/deposit/${draft.id}`)

    const started = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download data/large.bin' }).click()
    const download = await started

    expect(download.suggestedFilename()).toBe('large.bin')
    expect(digest(await readFile(await download.path()))).toBe(digest(bytes))
    expect(asked.filter((request) => request.endsWith('fetch'))).toEqual(['POST fetch'])
    expect(new URL(download.url()).searchParams.get('ticket')).toMatch(/^dep_dl_/)
    expect((await fetch(download.url())).status).toBe(401)
    expect(page.url()).toBe(`${v.daemon.url}/deposit/${draft.id}`)
    expect(v.complaints).toEqual([])
  })

  it('of a small file uses the token of the page, without a link', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Small' })
    await v.upload(draft, 'a b.txt', 'few')
    await page.goto(`/deposit/${draft.id}`)

    const started = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download a b.txt' }).click()
    const download = await started

    expect(download.suggestedFilename()).toBe('a b.txt')
    expect(await readFile(await download.path(), 'utf8')).toBe('few')
    expect(download.url()).toMatch(/^blob:/)
  })
})

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
