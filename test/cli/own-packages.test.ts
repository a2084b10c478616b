import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ownMetadata } from '../../cli/output/deposit-facts.ts'
import { deposit, namesOf, newDraft, read, useDaemon } from '../support/cli-at-daemon.ts'
import { closed, fullMetadata as metadata } from '../support/full-metadata.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const files = {
  'levels.csv': 'time,level\n1,2\n',
  'raw/a b.csv': '3',
  // A file of the record, which says less and other things of it.
  'CITATION.cff': 'cff-version: 1.2.0\nmessage: x\ntitle: Older tides\nauthors: []\n',
}

async function publish(more: object, all: Readonly<Record<string, string>>): Promise<string> {
  await using folder = await temporaryFolder({
    'metadata.json': JSON.stringify({ ...metadata, ...more }),
    ...all,
  })
  const id = await newDraft(folder.path, '--publish', '--yes')
  expect(id).not.toBe('')
  return id
}

const ids: Record<string, string> = {}

beforeAll(async () => {
  ids['open'] = await publish({}, files)
  ids['closed'] = await publish({ access: closed }, files)
})

interface Made {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly names: readonly string[]
  readonly said: string
}

/** What becomes of a folder or archive of the folder. */
async function create(folder: TemporaryFolder, path: string): Promise<Made> {
  const outcome = await deposit(['create', path, '--no-remember'], { folder: folder.path })
  expect(outcome.status, outcome.stderr).toBe(0)
  const id = outcome.stdout.trim()
  const { metadata: made } = (await read(id)) as Pick<Made, 'metadata'>
  const { $schema: _, ...own } = ownMetadata(made)
  return { metadata: own, names: await namesOf(id), said: outcome.stderr }
}

async function save(folder: TemporaryFolder, id: string, as: string, to: string): Promise<string> {
  const args = ['export', id, '--as', as, '--output', to]
  const { status, stderr } = await deposit(args, { folder: folder.path })
  expect(status, stderr).toBe(0)
  return to
}

const kinds = ['bagit', 'ro-crate', 'datapackage'] as const

describe.for(kinds)('deposit create of what deposit export --as %s saved', (kind) => {
  it.for([
    ['open', 'folder'],
    ['open', 'archive.zip'],
    ['closed', 'folder'],
    ['closed', 'archive.zip'],
  ])('has all metadata and files of an %s record, from a %s', async ([access = '', to = '']) => {
    await using folder = await temporaryFolder()
    const path = await save(folder, ids[access] ?? '', kind, to)

    const { metadata: made, names, said } = await create(folder, path)

    expect(made).toEqual(access === 'open' ? metadata : { ...metadata, access: closed })
    expect(names.toSorted()).toEqual(Object.keys(files).toSorted())
    const count = kind === 'datapackage' ? '1 file' : '2 files'
    expect(said).toContain(
      `Its description is not sent: ${count} that a deposit service wrote, and writes anew`,
    )
    expect(said).toMatch(/Took the metadata from .*: all that http\S+ has of http\S+\/records\//)
    expect(said).not.toContain('Left out')
  })

  it('carries nothing of a record that is not public', async () => {
    await using folder = await temporaryFolder()
    const { created_by: user } = (
      (await read(ids['closed'] ?? '')) as { metadata: { _deposit: { created_by: string } } }
    ).metadata._deposit
    await save(folder, ids['closed'] ?? '', kind, 'x')
    const paths = {
      bagit: 'x/data/ro-crate-metadata.json',
      'ro-crate': 'x/ro-crate-metadata.json',
      datapackage: 'x/datapackage.json',
    }
    const text = await readFile(join(folder.path, paths[kind]), 'utf8')

    expect(text).toContain('A patent is pending')
    expect(text).not.toContain('_deposit')
    expect(text).not.toContain(user)
  })
})

describe('a description that was changed by hand', () => {
  it.for([
    ['ro-crate', 'ro-crate-metadata.json', '"name": "Tides & <others>"', '"name": "Ebb"'],
    ['datapackage', 'datapackage.json', '"title": "Tides & <others>"', '"title": "Ebb"'],
  ] as const)('counts more than the document that it carries: %s', async ([as, name, from, to]) => {
    await using folder = await temporaryFolder()
    await save(folder, await publish({ access: closed }, { 'a.csv': '1' }), as, 'x')
    const path = join(folder.path, 'x', name)
    const text = await readFile(path, 'utf8')
    expect(text).toContain(from)
    await writeFile(path, text.replace(from, to))

    const { metadata: made, names, said } = await create(folder, 'x')

    expect(made).toMatchObject({
      title: 'Ebb',
      access: { files: 'restricted', until: closed.until },
    })
    expect(names).toContain(name)
    expect(said).toContain(`${name} was changed after a deposit service wrote it`)
    expect(said).not.toContain('is not sent')
  })

  it('opens no files that the document closes, whatever was lost with the change', async () => {
    await using folder = await temporaryFolder()
    const lost = {
      access: closed,
      my_own_field: 'kept',
      dates: [{ date: '2026', type: 'collected' }],
    }
    await save(folder, await publish(lost, { 'a.csv': '1' }), 'ro-crate', 'x')
    const path = join(folder.path, 'x/ro-crate-metadata.json')
    const text = await readFile(path, 'utf8')
    const changed = text.replace(/"conditionsOfAccess": "[^"]*",?\s*/, '')
    expect(changed).not.toBe(text)
    await writeFile(path, changed)

    const { metadata: made, said } = await create(folder, 'x')

    expect(made).toMatchObject({ access: { files: 'restricted', until: closed.until } })
    expect(said).toMatch(/it lacks .*my_own_field/)
    expect(said).toContain('Files stay closed as in either')
  })

  it('counts where its document was changed', async () => {
    await using folder = await temporaryFolder()
    await save(folder, ids['open'] ?? '', 'datapackage', 'x')
    const path = join(folder.path, 'x/datapackage.json')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace('Not for navigation', 'For navigation'))

    expect((await create(folder, 'x')).metadata).not.toHaveProperty('notes')
  })

  it('is the same in another layout, with files that came later', async () => {
    await using folder = await temporaryFolder()
    await save(folder, ids['open'] ?? '', 'ro-crate', 'x')
    const path = join(folder.path, 'x/ro-crate-metadata.json')
    const crate = JSON.parse(await readFile(path, 'utf8')) as { readonly '@graph': object[] }
    await writeFile(path, JSON.stringify({ ...crate, '@graph': crate['@graph'].toReversed() }))
    await writeFile(join(folder.path, 'x/new.csv'), '1')

    const { metadata: made, names } = await create(folder, 'x')

    expect(made).toEqual(metadata)
    expect(names.toSorted()).toEqual(['CITATION.cff', 'levels.csv', 'new.csv', 'raw/a b.csv'])
  })
})

describe('a record with a crate of its own', () => {
  const own = JSON.stringify({
    '@context': 'https://w3id.org/ro/crate/1.2/context',
    '@graph': [
      { '@id': 'ro-crate-metadata.json', '@type': 'CreativeWork', about: { '@id': './' } },
      { '@id': './', '@type': 'Dataset', name: 'A run of mine' },
    ],
  })

  it('comes back from a bag with its metadata and that crate', async () => {
    const id = await publish({}, { 'ro-crate-metadata.json': own, 'a.csv': '1' })
    await using folder = await temporaryFolder()
    for (const to of ['bag', 'bag.zip']) {
      const { metadata: made, names } = await create(folder, await save(folder, id, 'bagit', to))

      expect(made).toEqual(metadata)
      expect(names).toEqual(['a.csv', 'ro-crate-metadata.json'])
    }
  })

  it('or a page of a crate keeps it', async () => {
    const id = await publish({}, { 'ro-crate-preview.html': '<p>Mine', 'a.csv': '1' })
    await using folder = await temporaryFolder()
    for (const as of ['bagit', 'ro-crate']) {
      const { names } = await create(folder, await save(folder, id, as, as))

      expect(names).toEqual(['a.csv', 'ro-crate-preview.html'])
    }
  })
})
