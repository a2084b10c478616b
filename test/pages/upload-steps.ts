import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import type { ApiAnswer, Visit } from './visit.ts'

export async function openDraft({ page, api }: Visit): Promise<ApiAnswer> {
  const draft = await api('POST', '/deposits/', { title: 'Uploads' })
  await page.goto(`/deposit/${draft.id}`)
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  return draft
}

/** The page of a draft with the files `a.txt` and `b.txt`. */
export async function draftWithFiles(v: Visit): Promise<ApiAnswer> {
  const draft = await v.api('POST', '/deposits/', { title: 'Two files' })
  for (const key of ['a.txt', 'b.txt']) await v.upload(draft, key, key)
  await v.page.goto(`/deposit/${draft.id}`)
  await v.page.getByRole('button', { name: 'Remove b.txt' }).waitFor()
  return draft
}

interface Chosen {
  readonly name: string
  readonly buffer: Buffer
}

/** @param chosen files in memory, or the path of one, which the browser takes sooner */
export async function choose(page: Page, chosen: readonly Chosen[] | string): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ])
  if (typeof chosen === 'string') return chooser.setFiles(chosen)
  await chooser.setFiles(chosen.map((file) => ({ ...file, mimeType: 'text/plain' })))
}

interface Listed {
  readonly filename: string
  readonly filesize: number
  readonly checksum: string
}

/** Bytes that the daemon has of the only unfinished upload. */
export async function offsetAt({ api }: Visit, { id }: ApiAnswer): Promise<number> {
  const [upload] = (await api('GET', `/deposits/${id}/uploads`)) as unknown as readonly {
    readonly offset: number
  }[]
  return upload?.offset ?? 0
}

export async function sha256(path: string): Promise<string> {
  return `sha256:${createHash('sha256')
    .update(await readFile(path))
    .digest('hex')}`
}

export async function files({ api }: Visit, { id }: ApiAnswer): Promise<readonly Listed[]> {
  return (await api('GET', `/deposits/${id}/files`)) as unknown as readonly Listed[]
}

/** @param bytesPerSecond of uploads; -1 for no limit */
export async function slowDown(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  })
}
