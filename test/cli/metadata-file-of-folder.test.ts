import { execFileSync } from 'node:child_process'
import { rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  read,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const own = { 'metadata.yaml': 'title: Low water\n', 'a.csv': '1' }
const both = { ...own, 'metadata.json': '{"title": "High water"}' }
const words = 'it has metadata.yaml and metadata.json'

const listed = async (): Promise<string> => (await deposit(['list', '--quiet'])).stdout

describe('a folder with two metadata files', () => {
  it.each([
    ['create', []],
    ['create', ['--title', 'Tides', '--publish']],
    ['check', []],
  ])('is refused by deposit %s %j, before anything is sent', async (command, options) => {
    await using folder = await temporaryFolder(both)
    const before = await listed()

    expectFailure(await deposit([command, folder.path, ...options]), 2, words)
    expect(await listed()).toBe(before)
  })

  it.each(['sync', 'diff'])('is refused by deposit %s, which changes nothing', async (command) => {
    await using folder = await temporaryFolder(own)
    const id = await newDraft(folder.path)
    const before = await read(id)
    await writeFile(join(folder.path, 'metadata.json'), both['metadata.json'])

    expectFailure(await deposit([command, folder.path, id]), 2, words)
    expect(await read(id)).toEqual(before)
  })

  it('is refused by deposit batch, with the row that names it', async () => {
    const files = { 'd/metadata.yaml': '{}', 'd/metadata.json': '{}', 'rows.csv': 'folder\nd\n' }
    await using folder = await temporaryFolder(files)
    const before = await listed()

    const outcome = await deposit(['batch', join(folder.path, 'rows.csv')])
    expectFailure(outcome, 2, `row 1 (line 2, d): ${words}`)
    expect(await listed()).toBe(before)
  })

  it('is accepted if --metadata names one of them; the other is uploaded', async () => {
    await using folder = await temporaryFolder(both)
    const id = await newDraft(folder.path, '--metadata', join(folder.path, 'metadata.json'))

    expect(await read(id)).toMatchObject({ metadata: { title: 'High water' } })
    expect(await namesOf(id)).toEqual(['a.csv', 'metadata.yaml'])
  })
})

describe('a file whose name is similar to that of a metadata file', () => {
  const embargoed = 'title: Not yet\naccess: {files: restricted}\n'
  const names = [
    'Metadata.yaml',
    'metadata.yaml.txt',
    'metdata.yaml',
    'METADATA.YML',
    'metadat.json',
  ]

  it.each(names)('is not published as data: %s', async (name) => {
    await using folder = await temporaryFolder({
      [`d/${name}`]: embargoed,
      'rows.csv': 'folder,title\nd,Row\n',
    })
    const d = join(folder.path, 'd')
    const before = await listed()

    const words = `${name} looks like the metadata: rename it to metadata.`
    expectFailure(await deposit(['create', d, '--title', 'x', '--publish']), 2, words)
    expectFailure(await deposit(['create', d, '--yes', '--publish', '-n']), 2, words)
    expectFailure(await deposit(['batch', join(folder.path, 'rows.csv'), '--publish']), 2, words)
    expect((await deposit(['check', d])).stdout).toContain(words)
    expect(await listed()).toBe(before)
  })

  it('causes a warning if nothing is published', async () => {
    await using folder = await temporaryFolder({ 'Metadata.yaml': embargoed })
    const words = 'warning: Metadata.yaml looks like the metadata: rename it to metadata.yaml'

    const created = await deposit(['create', folder.path])
    expect(created.stderr).toContain(words)
    const synced = await deposit(['sync', folder.path, created.stdout.trim()])
    expect(synced.status).toBe(0)
    expect(synced.stderr).toContain(words)
  })

  it.each([
    [['--title', 'x'], { '.depositignore': 'Metadata.yaml' }],
    [['--exclude', 'Metadata.yaml', '--title', 'x'], {}],
    [['--metadata', 'Metadata.yaml'], {}],
  ])('is left out with %j and %j', async (options, files) => {
    await using folder = await temporaryFolder({ 'Metadata.yaml': 'title: Public', ...files })
    const args = ['create', '.', ...options, '--publish', '-n']
    expect(await deposit(args, { folder: folder.path })).toMatchObject({ status: 0 })
  })

  it('is data if there is a metadata file, or if its name differs more', async () => {
    const files = { 'metadata.yaml': 'title: A', 'Metadata.yaml': 'title: B' }
    await using folder = await temporaryFolder(files)
    await using other = await temporaryFolder({ 'metadata.csv': '1', 'meteodata.json': '{}' })
    const publish = ['--publish', '-n']
    expect((await deposit(['create', folder.path, ...publish])).status).toBe(0)
    expect((await deposit(['create', other.path, '--title', 'x', ...publish])).status).toBe(0)
  })
})

describe('a deposit with no metadata at all', () => {
  it.each([[], ['--dry-run']])('is published with --yes only: %s', async (...rehearsal) => {
    await using folder = await temporaryFolder({ 'd/a.csv': '1' })
    const before = await listed()
    for (const what of [[join(folder.path, 'd')], []]) {
      const args = ['create', ...what, '--publish', ...rehearsal]
      expectFailure(await deposit(args), 2, 'it has no metadata at all, not even a title')
      expect(await listed()).toBe(before)
    }
    const args = ['create', join(folder.path, 'd'), '--publish', '--yes', ...rehearsal]
    expect(await deposit(args)).toMatchObject({ status: 0 })
  })

  it.each([[], ['--dry-run']])(
    'is published by publish and batch with --yes only: %s',
    async (...rehearsal) => {
      await using folder = await temporaryFolder({ 'd/a.csv': '1', 'rows.csv': 'folder\nd\n' })
      const id = (await deposit(['create', join(folder.path, 'd'), '--quiet'])).stdout.trim()
      for (const args of [
        ['publish', id],
        ['batch', join(folder.path, 'rows.csv'), '--publish'],
      ]) {
        expectFailure(
          await deposit([...args, ...rehearsal]),
          2,
          'it has no metadata at all, not even a title; --yes publishes it anyway',
        )
        expect(await deposit([...args, '--yes', ...rehearsal])).toMatchObject({ status: 0 })
      }
    },
  )

  it('is not ready to publish for deposit check without --yes', async () => {
    await using folder = await temporaryFolder({ 'd/a.csv': '1' })
    const d = join(folder.path, 'd')
    const id = (await deposit(['create', d, '--quiet'])).stdout.trim()
    for (const what of [d, id]) {
      const { status, stdout } = await deposit(['check', what])
      expect(status).toBe(2)
      expect(stdout).toContain(
        'it has no metadata at all, not even a title; --yes publishes it anyway',
      )
      expect(await deposit(['check', what, '--yes'])).toMatchObject({ status: 0, stdout: '' })
    }
  })
})

describe('a document without a field of its schema', () => {
  const inside = 'The fields are inside "metadata", where they have no effect'
  const none = 'it has none of the fields of its schema, not even a title'
  const title = '{metadata: {title: Low water}}'

  it.each([
    [title, inside],
    ['{access: {files: public}, metadata: {title: Low water}, files: {enabled: true}}', inside],
    ['{$schema: deposits/deposit-v1.0.0.json, metadata: {creators: [{name: Ada}]}}', inside],
    ['{metadata: {station: 3}}', none],
    ['{station: 3}', none],
  ])('is not published without --yes: %s', async (document, said) => {
    await using folder = await temporaryFolder({
      'd/metadata.yaml': document,
      'd/a.csv': '1',
      'rows.csv': 'folder\nd\n',
    })
    const d = join(folder.path, 'd')
    const before = await listed()
    for (const args of [
      ['create', d, '--publish'],
      ['release', d],
      ['batch', join(folder.path, 'rows.csv'), '--publish'],
    ]) {
      expectFailure(await deposit(args), 2, said)
      expect(await listed()).toBe(before)
    }
    const made = await deposit(['create', d, '--quiet', '--no-remember'])
    const id = made.stdout.trim()
    expectFailure(await deposit(['publish', id]), 2, said)
    for (const what of [d, id]) {
      const { status, stdout } = await deposit(['check', what])
      expect({ status, said: stdout.includes(said) }).toEqual({ status: 2, said: true })
    }
    expect(await deposit(['publish', id, '--yes'])).toMatchObject({ status: 0 })
  })

  it('is warned of first as long as it is a draft, and by the rehearsal of the service', async () => {
    await using folder = await temporaryFolder({ 'm.yaml': title, 'rows.csv': 'title\nx\n' })
    const file = join(folder.path, 'm.yaml')
    for (const args of [
      ['create', '--metadata', file],
      ['update', await newDraft(), '--metadata', file],
    ]) {
      const { status, stderr } = await deposit(args)
      expect(status).toBe(0)
      expect(/^warning: .*$/m.exec(stderr)?.[0]).toContain(inside)
      expect(stderr).not.toContain('"metadata" is not a field')
    }
    const id = await newDraft('--metadata', file)
    const { stdout } = await deposit(['check', id, '--yes', '--json', 'warnings'])
    const { warnings } = JSON.parse(stdout) as { warnings: readonly { message: string }[] }
    expect(warnings[0]?.message).toContain(inside)
  })

  it('is published with a field of its own beside it', async () => {
    await using folder = await temporaryFolder({
      'd/metadata.yaml': 'title: Low water\nmetadata: {title: Tides}\n',
    })
    expect(await deposit(['create', join(folder.path, 'd'), '--publish'])).toMatchObject({
      status: 0,
    })
  })

  it('of Zenodo is converted under the name that the message gives', async () => {
    const document = '{"metadata": {"title": "Low water", "upload_type": "dataset"}}'
    await using folder = await temporaryFolder({ 'd/metadata.json': document })
    const d = join(folder.path, 'd')
    const { stderr } = await deposit(['create', d, '--publish'])
    const [, name = ''] = /save it as (\S+),/.exec(stderr) ?? []
    await rename(join(d, 'metadata.json'), join(d, name))
    const { stdout } = await deposit(['create', d, '--publish', '--json', 'metadata'])
    expect(JSON.parse(stdout)).toMatchObject({ metadata: { title: 'Low water' } })
  })
})

describe('faults of several kinds', () => {
  const files = {
    'd/metadata.yaml': 'title: [x]\n',
    'd/a\\b.csv': '1',
    'd/a/b.csv': '2',
    'rows.csv': 'folder\nd\n',
  }

  it.each([
    ['create', 'd'],
    ['create', 'd', '--publish'],
    ['batch', 'rows.csv'],
  ])('are all named at once by deposit %s %s', async (command, name, ...options) => {
    await using folder = await temporaryFolder(files)
    const before = await listed()
    const outcome = await deposit([command, join(folder.path, name), ...options])

    expect(outcome.status).toBe(2)
    expect(outcome.stderr).toContain('would both be "a/b.csv"')
    expect(outcome.stderr).toContain('/title: Title must be text.')
    expect(await listed()).toBe(before)
  })
})

describe('a metadata file that is used', () => {
  it.each([
    ['.zenodo.json', '{"title": "A"}'],
    ['metadata.yaml', 'title: A\n'],
  ])('is not reported as left out: %s', async (name, text) => {
    await using folder = await temporaryFolder({ [name]: text, '.env': '', 'a.csv': '1' })

    const { status, stderr } = await deposit(['create', folder.path, '--exclude', name, '-n'])

    expect(status).toBe(0)
    expect(stderr.match(/^Left out .*/gm)).toEqual(['Left out 1 hidden or ignored name: .env'])
  })
})

describe('a metadata file that is a pipe', () => {
  it('is neither read nor waited for', async () => {
    await using folder = await temporaryFolder({ 'metadata.yaml': 'title: A\n', 'a.csv': '1' })
    execFileSync('mkfifo', [join(folder.path, 'CITATION.cff')])

    const outcome = await deposit(['create', folder.path, '--exclude', 'CITATION.cff', '-n'])
    expect(outcome).toMatchObject({ status: 0 })
  })
})

describe('a metadata file that is a link', () => {
  const secret = { 'home/credentials.json': '{"title": "a secret"}', 'd/a.csv': '1' }

  it.each([
    ['metadata.json', 'create'],
    ['metadata.yaml', 'create'],
    ['.zenodo.json', 'create'],
    ['codemeta.json', 'create'],
    ['metadata.json', 'check'],
  ])('is not followed: %s, by deposit %s', async (name, command) => {
    await using folder = await temporaryFolder(secret)
    await symlink('../home/credentials.json', join(folder.path, 'd', name))
    const before = await listed()

    const outcome = await deposit([command, join(folder.path, 'd')])
    expectFailure(outcome, 2, `links and special files are not followed: ${name}`)
    expect(await listed()).toBe(before)
  })

  it('is not followed by deposit batch and deposit diff', async () => {
    await using folder = await temporaryFolder({ ...secret, 'rows.csv': 'folder\nd\n' })
    const id = await newDraft(join(folder.path, 'd'))
    const link = join(folder.path, 'd/metadata.json')
    await symlink('../home/credentials.json', link)

    const batch = await deposit(['batch', join(folder.path, 'rows.csv')])
    expectFailure(batch, 2, 'links and special files are not followed: metadata.json')
    const diff = await deposit(['diff', join(folder.path, 'd'), id])
    expectFailure(diff, 2, 'links and special files are not followed: metadata.json')
  })

  it('is followed if the command line names it, as advised', async () => {
    await using folder = await temporaryFolder(secret)
    await symlink('../home/credentials.json', join(folder.path, 'd/metadata.json'))
    const args = ['--metadata', join(folder.path, 'd/metadata.json')]

    const id = await newDraft(join(folder.path, 'd'), ...args)
    expect(await read(id)).toMatchObject({ metadata: { title: 'a secret' } })
    expect(await namesOf(id)).toEqual(['a.csv'])
  })
})
