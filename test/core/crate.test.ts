import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { safeKey } from '../../core/contract/file-key.ts'
import { mediaTypeOf, packageTexts, type PackageTexts } from '../../core/index.ts'
import { isOwnCrate, writeCrate } from '../../core/packages/crate.ts'
import type { WrittenFile } from '../../core/packages/written-file.ts'
import { faultsOfCrate } from '../support/check-crate.ts'
import { describeDocument } from '../support/describe-document.ts'
import { hostileSamples } from '../support/hostile-documents.ts'

const sha256 = 'ab'.repeat(32)

const names = new URL('../../../shared/data/naughty-strings/blns.json', import.meta.url)

/** Names that have to be encoded or escaped somewhere, as keys. */
const keys = toKeys([
  ...(existsSync(names) ? (JSON.parse(readFileSync(names, 'utf8')) as string[]) : []),
  'almost 50%.png',
  'a%20b.csv',
  'a:b.csv',
  '#first.csv',
  '?.csv',
  '@id',
  'ä ü/𝄞 \u2028.csv',
  '\ue000 private.csv',
  '<b>&amp;"\'.html',
  'raw/[1] {2}|^`.txt',
])

function toKeys(all: readonly string[]): readonly string[] {
  const safe = all.map(safeKey).flatMap((each) => ('key' in each ? [each.key] : []))
  return [...new Set(safe)]
}

function textsOf(about: ReturnType<typeof describeDocument>): PackageTexts {
  return JSON.parse(packageTexts.write(about)) as PackageTexts
}

/** The files that are written, by their paths. */
async function write(
  texts: PackageTexts,
  of: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const written = await writeCrate(texts, of, (index) => {
    const key = of[index] ?? ''
    const url = `https://deposit.example.org/api/files/b/${encodeURIComponent(key)}`
    return { key, size: index * 1000, sha256, mediaType: mediaTypeOf(key), url }
  })
  const entries = written.map(async (file) => [file.path, await textOf(file.written)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

async function textOf({ size, read }: WrittenFile): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of read({ start: 0, end: size - 1 })) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

const metadataName = 'ro-crate-metadata.json'
const previewName = 'ro-crate-preview.html'

describe('the metadata of a crate', () => {
  it('follow RO-Crate 1.2 for any record', { timeout: 120_000 }, async () => {
    const samples = fc.sample(hostileSamples, { numRuns: 100, seed: 18 })
    for (const { document, keys: own } of samples) {
      const all = toKeys(own)
      const written = await write(textsOf(describeDocument(document)), all)
      const paths = new Set([...all, ...Object.keys(written)])
      expect(faultsOfCrate(written[metadataName] ?? '', paths)).toEqual([])
    }
  })

  it('name files of all kinds by their encoded paths', async () => {
    const { [metadataName]: text = '' } = await write(textsOf(describeDocument({})), keys)

    expect(faultsOfCrate(text, new Set([...keys, metadataName]))).toEqual([])
    const ids = (JSON.parse(text) as { '@graph': { '@id': string }[] })['@graph'].map(
      (entity) => entity['@id'],
    )
    expect(ids).toEqual(
      expect.arrayContaining(['almost%2050%25.png', 'a%3Ab.csv', '%23first.csv', '@id']),
    )
  })

  it('describe each file with its size, media type, digest and address', async () => {
    const { [metadataName]: text = '' } = await write(textsOf(describeDocument({})), [
      'a.csv',
      'raw/ä b.json',
    ])

    const { '@graph': graph } = JSON.parse(text) as { readonly '@graph': readonly object[] }
    expect(graph).toContainEqual({
      '@id': 'raw/ä%20b.json',
      '@type': 'File',
      name: 'raw/ä b.json',
      contentSize: '1000',
      encodingFormat: 'application/json',
      sha256,
      contentUrl: 'https://deposit.example.org/api/files/b/raw%2F%C3%A4%20b.json',
    })
    expect(graph[1]).toMatchObject({
      '@id': './',
      hasPart: [{ '@id': 'a.csv' }, { '@id': 'raw/ä%20b.json' }],
    })
  })

  it('give a DOI and places as entities with names, and refer to none by its text', async () => {
    const locations = [{ place: 'Cuxhaven', point: { latitude: 53.9, longitude: 8.7 } }]
    const about = describeDocument({ doi: '10.1234/abc', locations })
    const { [metadataName]: text = '' } = await write(textsOf(about), [])
    const { '@graph': graph } = JSON.parse(text) as { readonly '@graph': readonly object[] }

    expect(graph[1]).toMatchObject({
      identifier: { '@id': '#doi' },
      'cite-as': 'https://doi.org/10.1234/abc',
    })
    for (const entity of graph.slice(1)) expect(entity).toHaveProperty('name')
    expect(graph).not.toContainEqual(
      expect.objectContaining({ '@id': 'https://doi.org/10.1234/abc' }),
    )
  })

  it('are judged by a checker that knows what is forbidden', async () => {
    const paths = new Set(['a b.csv', metadataName])
    const { [metadataName]: text = '' } = await write(textsOf(describeDocument({})), ['a b.csv'])
    const change = (from: string | RegExp, to: string): readonly string[] => {
      expect(text).toMatch(from)
      return faultsOfCrate(text.replace(from, to), paths)
    }

    expect(change('/1.2/context', '/1.1/context')).toEqual([
      'the context is not that of RO-Crate 1.2',
    ])
    expect(change('"datePublished"', '"dateCreated"')).toEqual([
      'the root has no single date of ISO 8601',
    ])
    expect(change('"name": "Untitled"', '"name": ""')).toEqual(['the root has no name'])
    expect(change(/"@id":"a%20b.csv","@type"/, '"@id":"c.csv","@type"')).toEqual([
      './: hasPart is of no entity',
      'c.csv: no part of the root',
      'c.csv: no such file',
      'a b.csv: not described',
    ])
    expect(change(/a%20b\.csv/g, 'a b.csv')).toContain('a b.csv: the @id is no URI reference')
    expect(change('"@type": "Dataset"', '"@type": "Thing"')).toEqual(['the root is no Dataset'])
  })
})

describe('the page of a crate', () => {
  it('has no markup of users, no scripts, and links to all files', async () => {
    const samples = fc.sample(hostileSamples, { numRuns: 100, seed: 19 })
    for (const { document } of samples) {
      const { [previewName]: page = '' } = await write(textsOf(describeDocument(document)), keys)
      const tags = page.match(/<[^>]*>?/g) ?? []
      expect(tags.filter((tag) => !ours.test(tag))).toEqual([])
      expect(page.match(/<tr><td><a href="/g)).toHaveLength(keys.length)
    }
  })

  it('says the record in the order of people', async () => {
    const about = describeDocument({
      title: 'Tides & <waves>',
      creators: [{ name: 'Lovelace, Ada', orcid: '0000-0002-1825-0097' }],
      license: 'CC-BY-4.0',
    })
    const { [previewName]: page = '' } = await write(textsOf(about), ['a b.csv'])

    expect(page.startsWith('<!DOCTYPE html>\n<html lang="en">')).toBe(true)
    expect(page).toContain('<h1>Tides &#38; &#60;waves&#62;</h1>')
    expect(page).toContain('href="https://orcid.org/0000-0002-1825-0097"')
    expect(page).toContain('<a href="a%20b.csv">a b.csv</a>')
    expect(page).toContain(`<td>0 B</td><td><code>${sha256}</code></td>`)
  })

  it('shows descriptions as the page of the record does, and says when closed files open', async () => {
    const about = describeDocument({
      title: 'Tides',
      description: 'Of **all**\n\n1. first\n2. second\n   - nested\n\n> quoted\n\n## More',
      methods: 'By [gauge](https://example.org/a)',
      access: { files: 'restricted', until: '2999-05-01', reason: 'A paper <soon>' },
    })
    const { [previewName]: page = '' } = await write(textsOf(about), ['a.csv'])

    expect(page).toContain(
      '<p>Of <strong>all</strong></p><ol><li>first</li><li>second<ul><li>nested</li></ul></li></ol>' +
        '<blockquote>quoted</blockquote><h3>More</h3>',
    )
    expect(page).toContain('<p>By <a href="https://example.org/a">gauge</a></p>')
    expect(page).toContain('<dd>The files are closed until 2999-05-01.</dd>')
    expect(page).toContain('<dd>A paper &#60;soon&#62;</dd>')
    const closed = describeDocument({ access: { files: 'restricted' } })
    const { [previewName]: other = '' } = await write(textsOf(closed), ['a.csv'])
    expect(other).toContain('<dd>The files are closed.</dd>')
  })
})

/** Tags of the page, with the attributes that they may have. */
const ours =
  /^<(?:!DOCTYPE html|html lang="en"|meta charset="utf-8"|meta name="viewport" content="width=device-width"|th scope="col"|a href="(?!javascript:)[^"<>]*"|\/?(?:html|head|title|body|h[1-6]|p|dl|dt|dd|a|table|thead|tbody|tr|th|td|code|pre|blockquote|ul|ol|li|strong|em)|br)>$/

describe('a crate of a user', () => {
  const texts = textsOf(describeDocument({ title: 'Tides' }))

  it('is kept: nothing is written beside it', async () => {
    expect(await write(texts, ['a.csv', metadataName])).toEqual({})
    expect(await write(texts, [`${metadataName}/a.csv`])).toEqual({})
    expect(isOwnCrate([`raw/${metadataName}`])).toBe(false)
  })

  it('keeps a page that lies there without metadata', async () => {
    expect(Object.keys(await write(texts, [previewName]))).toEqual([metadataName])
    expect(Object.keys(await write(texts, ['a.csv']))).toEqual([metadataName, previewName])
  })
})
