import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeBagPath, parseBagInfo, parseManifest } from '../../core/packages/bag-format.ts'
import { faultsOfCrate } from '../support/check-crate.ts'
import { send } from '../support/http.ts'
import { readArchive, requireReadable, run } from '../support/read-archive.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const contents: Readonly<Record<string, string>> = {
  'tide.csv': 'time,level\n'.repeat(20_000),
  'raw/ä ü 𝄞.bin': 'b'.repeat(100),
  'raw/empty': '',
  '-rf *.csv': 'dashes',
  "it's <b> & #1?.html": 'markup',
  'a:b;$(id).txt': 'shell',
}

const metadata = {
  title: 'Tides of <Cuxhaven>',
  creators: [{ name: 'Lovelace, Ada', orcid: '0000-0002-1825-0097' }],
  license: 'CC-BY-4.0',
}

const crateName = 'ro-crate-metadata.json'

let folder: TemporaryFolder
let daemon: TestDaemon
let record: string

beforeAll(async () => {
  folder = await temporaryFolder({})
  daemon = await testDaemon()
  record = await publish(contents)
}, 300_000)

afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** Publishes a record of these files; answers its identifier. */
async function publish(files: Readonly<Record<string, string>>): Promise<string> {
  const ada = daemon.as('ada')
  const draft = await ada.createDraft(metadata)
  for (const [key, text] of Object.entries(files)) await ada.addFile(draft, key, text)
  return (await ada.record(await ada.publish(draft))).id
}

function urlOf(name: string, of = record): string {
  return `${daemon.url}/records/${of}/packages/${name}`
}

/** Texts of a package by their paths in its folder. */
async function read(name: string, of = record): Promise<ReadonlyMap<string, string>> {
  const path = join(folder.path, `${of}-${name}.zip`)
  await writeFile(path, (await send('GET', urlOf(name, of))).bytes)
  await requireReadable(path)
  const entries = Object.entries(await readArchive(path))
  expect(entries[0]).toEqual([`${of}/`, ''])
  return new Map(entries.slice(1).map(([key, text]) => [key.slice(of.length + 1), text]))
}

describe.for(['ro-crate', 'bagit'])('GET /records/{pid_value}/packages/%s', (name) => {
  it('states its length and a strong tag, and sends any range of the same bytes', async () => {
    const head = await send('HEAD', urlOf(name))
    const { bytes, headers } = await send('GET', urlOf(name))

    expect(head.headers.get('content-length')).toBe(String(bytes.length))
    expect(head.headers.get('content-disposition')).toContain(`${record}-${name}.zip`)
    expect(head.headers.get('etag')).toMatch(/^"0-/)
    expect(headers.get('etag')).toBe(head.headers.get('etag'))
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(bytes.length - 1), async (one, other) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other)]
        const range = { range: `bytes=${start}-${end}`, 'if-range': headers.get('etag') ?? '' }
        const part = await send('GET', urlOf(name), { headers: range })
        expect(part.status).toBe(206)
        expect(part.bytes.equals(bytes.subarray(start, end + 1))).toBe(true)
      }),
      { numRuns: 20 },
    )
  })

  it('is in the list of packages, with its size', async () => {
    const { body } = await send('GET', `${daemon.url}/records/${record}/packages`)
    const length = (await send('HEAD', urlOf(name))).headers.get('content-length')

    const listed = (body as { name: string }[]).find((each) => each.name === name)
    expect(listed).toMatchObject({
      type: 'application/zip',
      filename: `${record}-${name}.zip`,
      size: Number(length),
      href: urlOf(name),
    })
  })
})

describe('a crate', () => {
  it('has all files, metadata that follow RO-Crate 1.2, and a page', async () => {
    const files = await read('ro-crate')

    expect([...files.keys()]).toEqual([
      crateName,
      'ro-crate-preview.html',
      ...Object.keys(contents),
    ])
    for (const [key, text] of Object.entries(contents)) expect(files.get(key)).toBe(text)
    const text = files.get(crateName) ?? ''
    expect(faultsOfCrate(text, new Set(files.keys()))).toEqual([])
    expect(text).toContain(`${daemon.origin}/records/${record}`)
    expect(files.get('ro-crate-preview.html')).toContain('Tides of &#60;Cuxhaven&#62;')
  })

  it('and a bag are linked from the page of the record', async () => {
    const page = await send('GET', `${daemon.origin}/records/${record}`, {
      headers: { accept: 'text/html' },
    })

    for (const name of ['ro-crate', 'bagit']) {
      expect(page.bytes.toString()).toContain(`href="${urlOf(name)}"`)
    }
  })

  it('of an older revision says what that revision said', async () => {
    const ada = daemon.as('ada')
    const draft = await ada.createDraft({ ...metadata, title: 'First' })
    await ada.addFile(draft, 'a.csv')
    const published = await ada.publish(draft)
    const { id } = await ada.record(published)
    const first = await send('GET', urlOf('ro-crate', id))
    const edited = await ada.edit(published)
    await ada.put(`/deposits/${edited.id}`, { ...metadata, title: 'Second' })
    await ada.publish(edited)

    const second = await send('GET', urlOf('ro-crate', id))
    const again = await send('GET', `${urlOf('ro-crate', id)}?revision=0`)
    expect(second.bytes.includes('"name": "Second"')).toBe(true)
    expect(second.headers.get('etag')).toMatch(/^"1-/)
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(again.bytes.equals(first.bytes)).toBe(true)
  })

  it('without files has metadata alone', async () => {
    const ada = daemon.as('ada')
    const { id } = await ada.record(await ada.createPublished(metadata))
    const files = await read('ro-crate', id)

    expect(faultsOfCrate(files.get(crateName) ?? '', new Set(files.keys()))).toEqual([])
  })
})

describe('a bag', () => {
  it('has the crate as its payload, which sha256sum verifies', async () => {
    const files = await read('bagit')
    const crate = await read('ro-crate')

    for (const [key, text] of crate) expect(files.get(`data/${key}`)).toBe(text)
    const target = join(folder.path, 'bag')
    await mkdir(target)
    await run('unzip', ['-q', join(folder.path, `${record}-bagit.zip`), '-d', target])
    const root = join(target, record)
    for (const name of ['manifest-sha256.txt', 'tagmanifest-sha256.txt']) {
      await run('sha256sum', ['--check', '--strict', '--quiet', name], root)
    }
  })

  it('lists each file of the payload and each tag file once', async () => {
    const files = await read('bagit')
    const manifest = parseManifest(files.get('manifest-sha256.txt') ?? '')
    const tags = parseManifest(files.get('tagmanifest-sha256.txt') ?? '')

    const isPayload = (path: string): boolean => path.startsWith('data/')
    const paths = [...files.keys()]
    expect(manifest.faults).toEqual([])
    expect(manifest.entries.map(({ path }) => path)).toEqual(paths.filter(isPayload))
    expect(tags.entries.map(({ path }) => path)).toEqual(
      paths.filter((path) => !isPayload(path) && path !== 'tagmanifest-sha256.txt'),
    )
  })

  it('declares its version, and says which record it is', async () => {
    const files = await read('bagit')
    const payload = [...files].filter(([path]) => path.startsWith('data/'))
    const bytes = payload.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0)
    const { updated } = (await send('GET', `${daemon.url}/records/${record}`)).body as {
      readonly updated: string
    }

    expect(files.get('bagit.txt')).toBe('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n')
    expect(parseBagInfo(files.get('bag-info.txt') ?? '').entries).toEqual(
      [
        ['Source-Organization', new URL(daemon.origin).hostname],
        ['External-Description', metadata.title],
        ['External-Identifier', `${daemon.origin}/records/${record}`],
        ['Internal-Sender-Identifier', record],
        ['Bagging-Date', updated.slice(0, 10)],
        ['Payload-Oxum', `${bytes}.${payload.length}`],
        ['Bag-Software-Agent', 'depositd'],
      ].map(([label, value]) => ({ label, value })),
    )
    expect(files.get('metadata/datacite.xml')).toContain('http://datacite.org/schema/kernel-4')
  })

  it('encodes percent signs of names in its manifest alone', async () => {
    const id = await publish({ '50% a.csv': 'a', '%0A.csv': 'b' })
    const files = await read('bagit', id)

    const manifest = files.get('manifest-sha256.txt') ?? ''
    expect(manifest).toContain('  data/50%25 a.csv\n')
    expect(manifest).toContain('  data/%250A.csv\n')
    expect(decodeBagPath('data/%250A.csv')).toBe('data/%0A.csv')
    expect(files.get('data/%0A.csv')).toBe('b')
  })
})

describe('a package that is asked for the first time', () => {
  it('is the same for all who ask at once, and for one who leaves early', async () => {
    const large = 'tide gauge '.repeat(2_000_000)
    const id = await publish({ 'large.txt': large, 'a.csv': 'a' })
    const leaving = new AbortController()
    const left = fetch(urlOf('zip', id), { signal: leaving.signal }).catch(() => {})
    leaving.abort()
    await left
    const answers = await Promise.all(
      ['zip', 'zip', 'ro-crate', 'bagit'].map((name) => send('GET', urlOf(name, id))),
    )

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(answers[0]?.bytes.equals(answers[1]?.bytes ?? Buffer.alloc(0))).toBe(true)
    for (const name of ['zip', 'bagit']) {
      const files = await read(name, id)
      expect(files.get(name === 'bagit' ? 'data/large.txt' : 'large.txt') === large).toBe(true)
    }
  })
})

describe('a crate that the files of a user are', () => {
  const own = { [crateName]: '{"@graph": []}', 'a.csv': 'a' }

  it('is sent as it is', async () => {
    const id = await publish(own)

    expect(Object.fromEntries(await read('ro-crate', id))).toEqual(own)
    const bag = await read('bagit', id)
    expect([...bag.keys()].filter((path) => path.startsWith('data/')).sort()).toEqual([
      'data/a.csv',
      `data/${crateName}`,
    ])
    expect(bag.get(`data/${crateName}`)).toBe(own[crateName])
    expect(bag.get(`metadata/${crateName}`)).toContain(metadata.title)
  })
})
