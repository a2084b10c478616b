import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DepositBody, RecordBody } from '../../core/contract/schemas.ts'
import { operateHere } from '../support/depositd.ts'
import { bodyOf } from '../support/http.ts'
import {
  faultsOfRoot,
  filesOfRoot,
  foreignObject,
  logicalPaths,
  objectsOf,
  readLogical,
} from '../support/ocfl.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { homeWithData } from './home-with-data.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const valueOf = ({ metadata }: DepositBody): string => String(metadata._deposit?.value)

/** Publishes another revision. */
async function correct(daemon: TestDaemon, deposit: DepositBody, title: string): Promise<void> {
  const ada = daemon.as('ada')
  const open = await ada.edit(deposit)
  await ada.put(`/deposits/${open.id}`, { ...open.metadata, title })
  await ada.publish(open)
}

/** Runs the command, which must succeed; answers what it did. */
async function exportTo(home: string, root: string, ...options: string[]) {
  const { status, stdout, stderr } = await operateHere(home, [
    'export-ocfl',
    root,
    '--json',
    ...options,
  ])
  expect({ status, stderr }).toEqual({ status: 0, stderr })
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>
}

/** Sizes and times of all files of a root. */
async function stampsOf(root: string): Promise<readonly string[]> {
  return Promise.all(
    (await filesOfRoot(root)).map(async (path) => {
      const { ino, size, mtimeMs } = await stat(path)
      return `${path} ${ino} ${size} ${mtimeMs}`
    }),
  )
}

describe('depositd export-ocfl', () => {
  it('writes an object for each record, with a version for each of its revisions', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const ada = daemon.as('ada')
    const deposit = await ada.publish(await ada.createDraftWith('levels/a.csv', 'b.csv'))
    await correct(daemon, deposit, 'Corrected')
    await ada.createPublished({ title: 'Another' })
    const root = join(place.path, 'root')

    const done = await exportTo(daemon.home, root)

    expect(done).toMatchObject({ path: root, objects: 2, changed: 2, versions: 3, damaged: [] })
    expect(await faultsOfRoot(root)).toEqual([])
    const id = `${daemon.origin}/records/${valueOf(deposit)}`
    const object = (await objectsOf(root)).find(({ inventory }) => inventory.id === id)
    const { versions = {}, manifest = {} } = object?.inventory ?? {}
    const revisions = bodyOf<readonly RecordBody[]>(
      await ada.get(`/records/${valueOf(deposit)}/revisions`),
      200,
    )
    expect(Object.entries(versions)).toMatchObject([
      ['v1', { created: revisions[0]?.updated, message: 'Published' }],
      ['v2', { created: revisions[1]?.updated, message: 'Corrected: revision 1' }],
    ])
    expect(versions['v1']?.user).toEqual({
      name: 'ada@example.org',
      address: 'mailto:ada@example.org',
    })
    expect(object && logicalPaths(object, 'v2')).toEqual([
      'files/b.csv',
      'files/levels/a.csv',
      'manifest.json',
      'record.json',
    ])
    // Bytes that both versions have are there once.
    expect(
      Object.values(manifest)
        .flat()
        .filter((path) => path.includes('/files/')),
    ).toEqual(['v1/content/files/levels/a.csv', 'v1/content/files/b.csv'])
    const record = object && (await readLogical(object, 'v1', 'record.json'))
    expect(JSON.parse(String(record))).toEqual(revisions[0])
  })

  it('writes only what is new when it runs again', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const ada = daemon.as('ada')
    const deposit = await ada.publish(await ada.createDraftWith('a.csv'))
    await exportTo(daemon.home, place.path)
    const before = await stampsOf(place.path)

    const again = await exportTo(daemon.home, place.path)
    const unchanged = await stampsOf(place.path)
    await correct(daemon, deposit, 'Corrected')
    await ada.createPublished()
    const further = await exportTo(daemon.home, place.path)

    expect(again).toMatchObject({ objects: 1, changed: 0, versions: 0, bytes: 0 })
    expect(unchanged).toEqual(before)
    expect(further).toMatchObject({ objects: 2, changed: 2, versions: 2, bytes: 0 })
    expect(await faultsOfRoot(place.path)).toEqual([])
  })

  it('adds a version when only the state of the identifier has changed', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const ada = daemon.as('ada')
    const deposit = await ada.createPublished()
    await exportTo(daemon.home, place.path)

    await ada.act(deposit, 'register')
    const done = await exportTo(daemon.home, place.path)
    const again = await exportTo(daemon.home, place.path)

    expect(done).toMatchObject({ changed: 1, versions: 1 })
    expect(again).toMatchObject({ changed: 0, versions: 0 })
    const [object] = await objectsOf(place.path)
    const text = object && (await readLogical(object, 'v2', 'manifest.json'))
    expect(JSON.parse(String(text))).toMatchObject({ revision: 0, pid: { status: 'R' } })
  })

  it('leaves nothing of its own work in the root', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    await daemon.as('ada').createPublished()

    await exportTo(daemon.home, place.path)

    expect(await readdir(join(place.path, 'extensions'))).toEqual([
      '0003-hash-and-id-n-tuple-storage-layout',
    ])
  })

  it('shares files with the service, and copies them with --copy', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    await ada.addFile(draft, 'large.csv', 'x'.repeat(200_000))
    await ada.publish(draft)
    const linksOf = async (root: string): Promise<number | undefined> => {
      const file = (await filesOfRoot(root)).find((path) => path.endsWith('large.csv'))
      return file === undefined ? undefined : (await lstat(file)).nlink
    }

    await exportTo(daemon.home, join(place.path, 'shared'))
    await exportTo(daemon.home, join(place.path, 'copied'), '--copy')

    const isLocal = process.env['TEST_STORAGE'] !== 's3'
    expect(await linksOf(join(place.path, 'copied'))).toBe(1)
    expect(await linksOf(join(place.path, 'shared'))).toBe(isLocal ? 2 : 1)
  })

  it('keeps every name of a file, and files whose name is also that of a folder', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    const keys = ['record.json', 'manifest.json', 'a', 'a/b', 'A', 'ü ñ/%2e%2e', '__proto__', '~']
    for (const key of keys) await ada.addFile(draft, key)
    await ada.addFile(draft, 'empty', '')
    await ada.publish(draft)

    await exportTo(daemon.home, place.path)

    expect(await faultsOfRoot(place.path)).toEqual([])
    const [object] = await objectsOf(place.path)
    const paths = object ? logicalPaths(object, 'v1') : []
    for (const key of [...keys, 'empty']) {
      const path = key === 'a' ? 'files-named-as-folders/a' : `files/${key}`
      expect(paths).toContain(path)
      const bytes = object && (await readLogical(object, 'v1', path))
      expect(String(bytes)).toBe(key === 'empty' ? '' : key)
    }
  })

  it('refuses a root with faults, names all of them, and changes nothing', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const ada = daemon.as('ada')
    await ada.publish(await ada.createDraftWith('a.csv'))
    await exportTo(daemon.home, place.path)
    const [object] = await objectsOf(place.path)
    const folder = object?.folder ?? ''
    await rm(join(folder, 'v1/content/files/a.csv'))
    await writeFile(join(folder, '..', 'stray.txt'), '')
    await mkdir(join(place.path, 'empty'))
    await ada.createPublished()
    const before = await stampsOf(place.path)

    const { status, stdout } = await operateHere(daemon.home, ['export-ocfl', place.path])

    expect(status).toBe(1)
    expect(stdout).toMatch(/v1\/content\/files\/a\.csv\tE092\tit is missing/)
    expect(stdout).toMatch(/stray\.txt\tE072/)
    expect(stdout).toMatch(/^empty\tE073/m)
    expect(await stampsOf(place.path)).toEqual(before)
  })

  it('refuses the root of another service', async () => {
    await using daemon = await testDaemon()
    await using other = await testDaemon()
    await using place = await temporaryFolder()
    await daemon.as('ada').createPublished()
    await other.as('bob').createPublished()
    await exportTo(daemon.home, place.path)
    const before = await stampsOf(place.path)

    const { status, stdout } = await operateHere(other.home, ['export-ocfl', place.path])

    expect(status).toBe(1)
    expect(stdout).toMatch(/\tforeign\tthis service has no such revision 0 of /)
    expect(await stampsOf(place.path)).toEqual(before)
  })

  it('finds a file that is shorter than that of its record, and writes the other records', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const ada = daemon.as('ada')
    const deposit = await ada.publish(await ada.createDraftWith('a.csv'))
    await ada.publish(await ada.createDraftWith('b.csv'))
    await exportTo(daemon.home, place.path, '--copy')
    for (const { folder } of await objectsOf(place.path))
      await truncate(join(folder, 'v1/content/files/a.csv'), 0).catch(() => {})
    await correct(daemon, deposit, 'Corrected')
    await ada.createPublished()

    const { status, stdout } = await operateHere(daemon.home, ['export-ocfl', place.path])

    expect(status).toBe(1)
    expect(stdout).toMatch(/v1\/content\/files\/a\.csv\tE092\tit has 0 bytes, and the record \d+$/m)
    const heads = (await objectsOf(place.path)).map(({ inventory }) => inventory.head)
    expect(heads).toEqual(['v1', 'v1', 'v1'])
  })

  it('leaves an object that it does not know as it is, and writes the others', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const ada = daemon.as('ada')
    const deposit = await ada.createPublished()
    await exportTo(daemon.home, place.path)
    await foreignObject(place.path, 'urn:theirs')
    await correct(daemon, deposit, 'Corrected')
    await ada.createPublished()

    const { status, stdout, stderr } = await operateHere(daemon.home, ['export-ocfl', place.path])

    expect(status).toBe(1)
    expect(stdout).toMatch(/\tforeign\tno service of this kind wrote it: urn:theirs$/m)
    expect(stderr).toContain('was left as it is; all other records were written')
    const heads = (await objectsOf(place.path)).map(({ inventory }) => inventory.head)
    expect(heads.toSorted()).toEqual(['v1', 'v1', 'v2'])
    expect(await faultsOfRoot(place.path)).toEqual([])
  })

  it('refuses a folder that has something else in it', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    await writeFile(join(place.path, 'thesis.odt'), 'mine')

    const { status, stderr } = await operateHere(daemon.home, ['export-ocfl', place.path])

    expect(status).toBe(1)
    expect(stderr).toContain('is not a storage root: it has thesis.odt')
    expect(await readdir(place.path)).toEqual(['thesis.odt'])
  })

  it('names records whose bytes are damaged, and writes the others', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder()
    await using daemon = await testDaemon({ home: home.path })
    await daemon.as('eve').createPublished()
    const [large = ''] = home.large
    await chmod(large, 0o600)
    await writeFile(large, 'y'.repeat(100_000))

    const { status, stdout } = await operateHere(home.path, ['export-ocfl', place.path])

    expect(status).toBe(1)
    expect(stdout).toMatch(
      new RegExp(`^${valueOf(home.published)}\tthe bytes of blob .* damaged$`, 'm'),
    )
    expect(await objectsOf(place.path)).toHaveLength(1)
    expect(await faultsOfRoot(place.path)).toEqual([])
  })
})

describe('an interrupted export', () => {
  /** A root whose only object has one version, and a service that has two. */
  async function behind(daemon: TestDaemon, root: string) {
    const ada = daemon.as('ada')
    const deposit = await ada.publish(await ada.createDraftWith('a.csv'))
    await exportTo(daemon.home, root)
    const [object] = await objectsOf(root)
    const folder = object?.folder ?? ''
    const old = {
      inventory: await readFile(join(folder, 'inventory.json')),
      sidecar: await readFile(join(folder, 'inventory.json.sha256')),
    }
    await correct(daemon, deposit, 'Corrected')
    await exportTo(daemon.home, root)
    return { folder, old }
  }

  it('is finished when only the sidecar is missing', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const { folder, old } = await behind(daemon, place.path)
    await writeFile(join(folder, 'inventory.json.sha256'), old.sidecar)

    await exportTo(daemon.home, place.path)

    expect(await faultsOfRoot(place.path)).toEqual([])
    expect((await objectsOf(place.path))[0]?.inventory.head).toBe('v2')
  })

  it('is repeated when a version was not in the inventory yet', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const { folder, old } = await behind(daemon, place.path)
    await writeFile(join(folder, 'inventory.json'), old.inventory)
    await writeFile(join(folder, 'inventory.json.sha256'), old.sidecar)

    const done = await exportTo(daemon.home, place.path)

    expect(done).toMatchObject({ changed: 1, versions: 1 })
    expect(await faultsOfRoot(place.path)).toEqual([])
    expect((await objectsOf(place.path))[0]?.inventory.head).toBe('v2')
  })
})
