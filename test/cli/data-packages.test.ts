import { createHash } from 'node:crypto'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readMetadata } from '../../cli/metadata/read-metadata.ts'
import { exportFormats, type JsonObject } from '../../core/index.ts'
import { deposit, expectFailure, namesOf, useDaemon } from '../support/cli-at-daemon.ts'
import { describeDocument } from '../support/describe-document.ts'
import { hostileSamples } from '../support/hostile-documents.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { zipOfFiles } from '../support/zip.ts'

useDaemon()

const csv = 'time,level\n1,2\n'

function digestOf(text: string, algorithm: string): string {
  return createHash(algorithm).update(text).digest('hex')
}

const first = { name: 'levels', path: 'data/levels.csv', bytes: csv.length }
const descriptor = {
  name: 'tides',
  title: 'Tides',
  licenses: [{ name: 'CC0-1.0', path: 'https://creativecommons.org/publicdomain/zero/1.0/' }],
  contributors: [{ title: 'Ada Lovelace', role: 'author' }],
}

/** A folder with the descriptor, its resource changed, and the file. */
function newPackage(resource: object): Promise<TemporaryFolder> {
  const changed = { ...descriptor, resources: [{ ...first, ...resource }] }
  return temporaryFolder({ 'datapackage.json': JSON.stringify(changed), 'data/levels.csv': csv })
}

describe('deposit create of a Data Package', () => {
  it.for([
    `sha256:${digestOf(csv, 'sha256')}`,
    `md5:${digestOf(csv, 'md5')}`,
    digestOf(csv, 'md5'),
  ])('verifies it by %s, takes its metadata and keeps its descriptor', async (hash) => {
    await using folder = await newPackage({ hash })

    const { status, stdout, stderr } = await deposit(['create', '.'], { folder: folder.path })

    expect(status).toBe(0)
    expect(stderr).toContain('is a Data Package without faults, with a payload of 2 files\n')
    expect(stderr).toContain('Took the metadata from datapackage.json\n')
    expect(await namesOf(stdout.trim())).toEqual(['data/levels.csv', 'datapackage.json'])
    const shown = await deposit(['show', stdout.trim(), '--metadata', '--json'])
    expect(JSON.parse(shown.stdout)).toMatchObject({
      title: 'Tides',
      creators: [{ name: 'Ada Lovelace' }],
      license: 'CC0-1.0',
    })
  })

  it.for([
    [{ hash: digestOf('other', 'md5') }, 'data/levels.csv: its md5 differs'],
    [{ hash: `sha256:${digestOf('', 'sha256')}` }, 'data/levels.csv: its sha256 differs'],
    [{ bytes: 3 }, 'data/levels.csv: it has 15 bytes, and 3 in datapackage.json'],
    [{ path: 'none.csv' }, 'none.csv: datapackage.json lists it, but it is missing'],
    [{ path: '../levels.csv' }, 'the path leads out of the package'],
    [{ path: '/etc/passwd' }, 'the path is absolute'],
    [{ path: 'file:///etc/passwd' }, 'it is no path below the folder'],
  ] as const)('refuses %j, and sends nothing', async ([resource, said]) => {
    await using folder = await newPackage(resource)

    const outcome = await deposit(['create', '.'], { folder: folder.path })

    expectFailure(outcome, 2, 'it has 1 fault, listed above')
    expect(outcome.stderr).toContain(said)
  })

  it('compares a file that is listed twice with the digests of both', async () => {
    const wrong = { ...first, hash: digestOf('other', 'md5') }
    const resources = [wrong, { ...first, name: 'again' }]
    await using folder = await temporaryFolder({
      'datapackage.json': JSON.stringify({ ...descriptor, resources }),
      'data/levels.csv': csv,
    })

    const outcome = await deposit(['create', '.'], { folder: folder.path })

    expect(outcome.stderr).toContain('data/levels.csv: its md5 differs')
  })

  it('with a descriptor that is cut off is not complete', async () => {
    const files = { 'datapackage.json': '{"name": "x", "resources": [{"path": "a.c', 'a.csv': '1' }
    await using folder = await temporaryFolder(files)
    const archive = join(folder.path, 'x.zip')
    await writeFile(archive, zipOfFiles(files))
    for (const place of [folder.path, archive]) {
      const { status, stdout } = await deposit(['verify', place])
      expect([place, status]).toEqual([place, 8])
      expect(stdout).toContain('datapackage.json')
    }
  })

  it('warns of files elsewhere, and fetches none', async () => {
    await using folder = await newPackage({ path: 'http://127.0.0.1:1/levels.csv' })

    const { status, stderr } = await deposit(['create', '.'], { folder: folder.path })

    expect(status).toBe(0)
    expect(stderr).toContain('it names 1 file elsewhere, which is not fetched')
  })

  it('takes a file of the name that lists nothing as it is', async () => {
    await using folder = await temporaryFolder({ 'datapackage.json': '{}', 'a.csv': '1' })
    expect((await deposit(['create', '.'], { folder: folder.path })).status).toBe(0)
  })
})

describe('deposit export --as datapackage', () => {
  it('saves folders and archives that verify and create know again', async () => {
    await using folder = await temporaryFolder({
      'data/metadata.yaml': 'title: Tides\ncreators:\n  - name: Lovelace, Ada\n',
      'data/sub/a b.csv': csv,
      'data/a..b.csv': '1',
    })
    const run = async (...args: readonly string[]): Promise<string> => {
      const { status, stdout, stderr } = await deposit(args, { folder: folder.path })
      expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
      return stdout + stderr
    }
    const [id = ''] = (await run('create', 'data', '--publish', '-q')).split('\n')

    await run('export', id, '--as', 'datapackage', '-o', 'copy')
    await run('export', id, '--as', 'datapackage', '-o', 'copy.zip')

    expect(await run('verify', 'copy')).toContain('is complete and unchanged')
    expect(await run('verify', 'copy.zip')).toContain('is complete and unchanged')
    const text = await readFile(join(folder.path, 'copy/datapackage.json'), 'utf8')
    const hash = `sha256:${digestOf(csv, 'sha256')}`
    const { title, resources } = JSON.parse(text) as {
      readonly title: string
      readonly resources: readonly object[]
    }
    expect(title).toBe('Tides')
    expect(resources).toContainEqual(
      expect.objectContaining({ path: 'sub/a b.csv', bytes: csv.length, hash }),
    )
    expect(await run('create', 'copy', '--no-remember')).toContain('a Data Package without faults')
    await cp(join(folder.path, 'copy'), join(folder.path, 'bad'), { recursive: true })
    await rm(join(folder.path, 'bad/sub/a b.csv'))
    const { status, stdout } = await deposit(['verify', 'bad'], { folder: folder.path })
    expect(status).toBe(8)
    expect(stdout).toContain('datapackage.json lists it, but it is missing')
  })

  it('prints the descriptor alone without --output', async () => {
    await using folder = await newPackage({})
    const { stdout: id } = await deposit(['create', '.'], { folder: folder.path })
    const { stdout } = await deposit(['export', id.trim(), '--as', 'datapackage'])
    expect(JSON.parse(stdout)).toMatchObject({ title: 'Tides', resources: [{}, {}] })
  })
})

describe('the metadata of a Data Package', () => {
  it('are the same written and read again, in what it can say', { timeout: 60_000 }, async () => {
    const format = exportFormats.find(({ name }) => name === 'datapackage')
    await using folder = await temporaryFolder({})
    const input = { folder: folder.path, stdin: Readable.from([]) }
    for (const { document } of fc.sample(hostileSamples, { numRuns: 100, seed: 21 })) {
      const about = describeDocument(document)
      await writeFile(join(folder.path, 'datapackage.json'), format?.write(about) ?? '')
      const { metadata } = await readMetadata(input, 'datapackage.json')
      const again = describeDocument(metadata as JsonObject)
      for (const field of ['title', 'description', 'keywords', 'version', 'doi'] as const)
        expect({ [field]: again[field] }).toEqual({ [field]: about[field] })
      expect(again.creators.map(({ name }) => name)).toEqual(about.creators.map(({ name }) => name))
      expect(again.contributors.map(({ name, role }) => [name, role])).toEqual(
        about.contributors.map(({ name, role }) => [name, role]),
      )
    }
  })
})
