import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { readArchive, requireReadable, run } from '../support/read-archive.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const contents = {
  'tide.csv': 'time,level\n'.repeat(20_000),
  'raw/ä ü 𝄞.bin': 'b'.repeat(100),
  'raw/empty': '',
} as const

let folder: TemporaryFolder
let daemon: TestDaemon
let record: string
let url: string
let whole: Buffer

beforeAll(async () => {
  folder = await temporaryFolder({})
  daemon = await testDaemon()
  const ada = daemon.as('ada')
  const draft = await ada.createDraft({ title: 'Tides' })
  for (const [key, text] of Object.entries(contents)) await ada.addFile(draft, key, text)
  record = (await ada.record(await ada.publish(draft))).id
  url = `${daemon.url}/records/${record}/packages/zip`
  whole = (await send('GET', url)).bytes
}, 300_000)

afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** Writes bytes to a file of the test's folder. */
async function keep(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder.path, name)
  await writeFile(path, bytes)
  return path
}

describe('GET /records/{pid_value}/packages/zip', () => {
  it('sends all files in a folder named by the record, as others read them', async () => {
    const path = await keep('whole.zip', whole)

    await requireReadable(path)
    expect(await readArchive(path)).toEqual({
      [`${record}/`]: '',
      ...Object.fromEntries(
        Object.entries(contents).map(([key, text]) => [`${record}/${key}`, text]),
      ),
    })
  })

  it('states its length and a strong tag, also for HEAD, and is the same each time', async () => {
    const head = await send('HEAD', url)
    const again = await send('GET', url)

    expect(head.status).toBe(200)
    expect(head.headers.get('content-length')).toBe(String(whole.length))
    expect(head.headers.get('content-type')).toBe('application/zip')
    expect(head.headers.get('content-disposition')).toContain(`filename="${record}.zip"`)
    expect(head.headers.get('etag')).toMatch(/^"0-/)
    expect(again.headers.get('etag')).toBe(head.headers.get('etag'))
    expect(again.bytes.equals(whole)).toBe(true)
  })

  it('sends any range', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(whole.length - 1), async (one, other) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other)]
        const headers = { range: `bytes=${start}-${end}` }
        const { status, bytes } = await send('GET', url, { headers })
        expect(status).toBe(206)
        expect(bytes.equals(whole.subarray(start, end + 1))).toBe(true)
      }),
      { numRuns: 30 },
    )
    const last = await send('GET', url, { headers: { range: 'bytes=-22' } })
    expect(last.bytes.equals(whole.subarray(-22))).toBe(true)
    const behind = await send('GET', url, { headers: { range: `bytes=${whole.length}-` } })
    expect(behind.status).toBe(416)
  })

  it('continues a broken download with curl', async () => {
    const path = await keep('broken.zip', whole)
    await truncate(path, 70_001)

    await run('curl', ['--silent', '--show-error', '--fail', '-C', '-', '-o', path, url])

    expect(await run('cmp', [path, await keep('good.zip', whole)])).toBe('')
  })

  it('is not sent again to a client that has it', async () => {
    const etag = (await send('HEAD', url)).headers.get('etag') ?? ''

    expect((await send('GET', url, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await send('GET', url, { headers: { 'if-match': '"other"' } })).status).toBe(412)
  })

  it('is in the list of packages, with its size', async () => {
    const { body } = await send('GET', `${daemon.url}/records/${record}/packages`)

    expect((body as unknown[])[0]).toEqual({
      name: 'zip',
      title: 'All files as ZIP',
      type: 'application/zip',
      filename: `${record}.zip`,
      size: whole.length,
      href: url,
    })
  })

  it('answers 404 for a package that there is not, and for an unknown record', async () => {
    const other = await send('GET', `${daemon.url}/records/${record}/packages/tar`)
    expect(other.status).toBe(404)
    expect(other.bytes.toString()).toContain('There are zip, ro-crate, bagit, datapackage.')
    expect((await send('GET', `${daemon.url}/records/none/packages/zip`)).status).toBe(404)
  })
})

describe('GET /deposits/{pid_value}/packages/zip', () => {
  it('sends the files of a draft to its owner alone', async () => {
    const ada = daemon.as('ada')
    const draft = await ada.createDraftWith('a.csv')
    const path = `/deposits/${draft.id}/packages/zip`

    const own = await ada.get(path)
    expect(own.status).toBe(200)
    expect(own.headers.get('cache-control')).toBe('private, no-store')
    await requireReadable(await keep('draft.zip', own.bytes))
    const other = await ada.get(`/deposits/${draft.id}/packages/bagit`)
    expect(other.bytes.toString()).toContain('There is zip.')
    expect((await daemon.as('eve').get(path)).status).toBe(403)
    expect((await send('GET', daemon.url + path)).status).toBe(401)
  })
})
