import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bagOf } from '../support/bag.ts'
import {
  daemonUrl,
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  newPublished,
  useDaemon,
  workFolder,
} from '../support/cli-at-daemon.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { zipOfFiles } from '../support/zip.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

/** Verifies without any server. */
async function verifyAlone(
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Outcome> {
  await using folder = await temporaryFolder(files)
  const environment = { DEPOSIT_URL: 'http://127.0.0.1:1', DEPOSIT_HOME: join(folder.path, 'home') }
  return await runCli(['verify', ...args], { folder: folder.path, environment })
}

async function download(id: string): Promise<string> {
  const path = `copy-${randomUUID()}`
  await deposit(['download', id, '--output', path])
  return path
}

interface Body {
  readonly errors: readonly { readonly field: string; readonly message: string }[]
}

describe('deposit verify FOLDER', () => {
  it('takes a copy that is complete and unchanged', async () => {
    const id = await newPublished()
    const { status, stdout, stderr } = await deposit(['verify', await download(id), id.slice(0, 8)])

    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(stderr).toMatch(/copy-\S+ is complete and unchanged: 3 files, 12 B; compared with /)
    expect(stderr).toContain(id)
  })

  it('finds the deposit by the name of the folder', async () => {
    const id = await newDraft('data')
    await deposit(['download', id])

    expect((await deposit(['verify', `${id}/`])).stderr).toContain(`compared with ${id}`)
  })

  it('tells every difference, and passes over hidden files', async () => {
    const id = await newDraft('data')
    const path = join(workFolder(), await download(id))
    await rm(join(path, 'README.md'))
    await writeFile(join(path, 'b/a.csv'), '1,3')
    await writeFile(join(path, 'b/empty.csv'), '0')
    await writeFile(join(path, 'new.csv'), '')
    await writeFile(join(path, '.DS_Store'), '')

    const { status, stdout, stderr } = await deposit(['verify', path, id, '--json'])

    expect({ status, stderr }).toEqual({
      status: 8,
      stderr: `${path} differs: 4 faults; compared with ${id}\n`,
    })
    expect(JSON.parse(stdout)).toEqual({
      path,
      kind: 'folder',
      record: id,
      compared: true,
      revision: null,
      described: null,
      newer: null,
      undigested: 0,
      files: 4,
      bytes: 4,
      errors: [
        { field: 'README.md', message: `it is missing, and ${id} has it` },
        { field: 'b/a.csv', message: `its bytes are not those of ${id}` },
        { field: 'b/empty.csv', message: `it has 1 byte, and 0 in ${id}` },
        { field: 'new.csv', message: `${id} does not have it` },
      ],
      warnings: [],
    })
  })

  it('is compared with the deposit that the folder knows', async () => {
    await using folder = await temporaryFolder({ 'metadata.yaml': 'title: x\n', 'a.csv': '1' })
    const id = (await deposit(['create', folder.path, '--quiet'])).stdout.trim()

    const { status, stderr } = await deposit(['verify', folder.path])
    expect(status, stderr).toBe(0)
    expect(stderr).toContain(`; compared with ${id}`)
    await writeFile(join(folder.path, 'a.csv'), '2')
    expect(await deposit(['verify', folder.path])).toMatchObject({
      status: 8,
      stdout: `a.csv: its bytes are not those of ${id}\n`,
    })
  })

  it('needs the name of the record, as a folder alone has no digests', async () => {
    expectFailure(await verifyAlone({ 'copy/a.csv': '1' }, 'copy'), 2, 'does not say which record')
    expectFailure(await verifyAlone({ 'copy/a.csv': '1' }, 'copy', 'none'), 6, 'no answer')
    expectFailure(await deposit(['verify', 'data', 'none']), 3, 'none')
    expectFailure(await deposit(['verify', 'none', 'none']), 2, 'there is no such file or folder')
    expectFailure(
      await deposit(['verify', 'extra.txt', 'none']),
      2,
      'not a ZIP archive or a folder',
    )
  })
})

it('a folder of packages has each of them verified', async () => {
  const put = (folder: string, files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))
  const files = {
    ...put('in/a', bagOf({ 'a.csv': '1' })),
    ...put('in/b', { ...bagOf({ 'a.csv': '1' }), 'data/a.csv': '2' }),
    ...put('in/c', { 'datapackage.json': '{"resources":[{"path":"a.csv","bytes":2}]}' }),
    'in/notes/x.txt': '',
  }
  const { status, stdout, stderr } = await verifyAlone(files, 'in')

  expect(status).toBe(8)
  expect(stdout).toBe(
    'in/b/data/a.csv: its sha256 differs from that in manifest-sha256.txt\n' +
      'in/c/a.csv: datapackage.json lists it, but it is missing\n',
  )
  expect(stderr).toContain('in/a is complete and unchanged: 1 file, 1 B')
  expect(stderr).toContain('in/b differs: 1 fault')
  expect(stderr).toContain('warning: in/notes is no package: not verified')
  const { stdout: json } = await verifyAlone(files, 'in', '--json', 'path,kind')
  expect(JSON.parse(json)).toEqual([
    { path: 'in/a', kind: 'bag' },
    { path: 'in/b', kind: 'bag' },
    { path: 'in/c', kind: 'datapackage' },
  ])
})

describe('deposit verify BAG', () => {
  it('verifies it by its own digests where there is no server', async () => {
    const info = `External-Identifier: https://example.org/records/abcde-12345\n`
    const files = bagOf({ 'a.csv': '1' }, { files: { 'bag-info.txt': info } })
    const inBag = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [`bag/${path}`, text]),
    )

    const fine = await verifyAlone(inBag, 'bag')
    expect({ status: fine.status, stdout: fine.stdout }).toEqual({ status: 0, stdout: '' })
    expect(fine.stderr).toContain('Not compared with https://example.org/records/abcde-12345: ')
    expect(fine.stderr).toContain(
      'bag is complete and unchanged: 1 file, 1 B; it says that it is https://example.org/records/abcde-12345',
    )

    const name = 'bag/data/\u001b[2J'
    const { status, stdout } = await verifyAlone(
      { ...inBag, 'bag/data/a.csv': '2', [name]: '' },
      'bag',
    )
    expect({ status, stdout }).toEqual({
      status: 8,
      stdout:
        String.raw`"data/\u001b[2J": it is in the folder of the payload, but in no manifest` +
        '\ndata/a.csv: its sha256 differs from that in manifest-sha256.txt\n',
    })
  })

  it('compares it with the record that it names, at its own server alone', async () => {
    const id = await newPublished()
    const { links } = JSON.parse((await deposit(['show', id, '--json'])).stdout) as {
      readonly links: { readonly record_html: string }
    }
    const payload = { 'README.md': '# Read me', 'b/a.csv': '1,2', 'b/empty.csv': '' }
    const said = (address: string) => ({ 'bag-info.txt': `External-Identifier: ${address}\n` })
    const verify = async (files: Readonly<Record<string, string>>) => {
      await using folder = await temporaryFolder(files)
      return await deposit(['verify', folder.path, '--json'])
    }

    const same = await verify(bagOf(payload, { files: said(links.record_html) }))
    expect(same.status).toBe(0)
    expect(JSON.parse(same.stdout)).toMatchObject({
      kind: 'bag',
      record: links.record_html.split('/').at(-1),
      compared: true,
    })

    const other = await verify(bagOf({ 'README.md': '' }, { files: said(links.record_html) }))
    expect(other.status).toBe(8)
    expect((JSON.parse(other.stdout) as Body).errors.map(({ field }) => field)).toEqual([
      'data/README.md',
      'data/b/a.csv',
      'data/b/empty.csv',
    ])

    const away = await verify(
      bagOf(payload, { files: said('http://127.0.0.1:1/records/abcde-12345') }),
    )
    expect(away.status).toBe(0)
    expect(away.stderr).toContain(`and the command talks to ${daemonUrl()}`)
  })
})

it('an archive without digests is not called unchanged, unless it is compared', async () => {
  const id = await newDraft('data')
  const files = { 'README.md': '# Read me', 'b/a.csv': '1,2', 'b/empty.csv': '' }
  await writeFile(join(workFolder(), 'plain.zip'), zipOfFiles(files))

  const alone = await deposit(['verify', 'plain.zip'])
  expect(alone.status).toBe(0)
  expect(alone.stderr).toContain('plain.zip has no fault that can be seen: 3 files, 12 B; ')
  expect(alone.stderr).toContain(
    'it has no digests but the sums of the archive, which show damage alone: name its record',
  )
  expect(JSON.parse((await deposit(['verify', 'plain.zip', '--json'])).stdout)).toMatchObject({
    undigested: 3,
  })
  const compared = await deposit(['verify', 'plain.zip', id])
  expect(compared.stderr).toContain('plain.zip is complete and unchanged: 3 files, 12 B')
})

it('an archive that is cut differs', async () => {
  const archive = zipOfFiles(bagOf({ 'a.csv': '1' }))
  await writeFile(join(workFolder(), 'cut.zip'), archive.subarray(0, -30))

  const { status, stdout } = await deposit(['verify', 'cut.zip'])
  expect({ status, stdout }).toEqual({
    status: 8,
    stdout: 'its end is missing: it is not complete\n',
  })
  expectFailure(await deposit(['create', 'cut.zip']), 2, 'it has 1 fault, listed above')
})

describe('packages that the service sends', () => {
  it.for(['zip', 'ro-crate', 'bagit'])('are verified, and name their record: %s', async (name) => {
    const id = await newPublished()
    const shown = JSON.parse((await deposit(['show', id, '--json'])).stdout) as {
      readonly links: { readonly record: string }
    }
    const value = shown.links.record.split('/').at(-1)
    const answer = await fetch(`${shown.links.record}/packages/${name}`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    const path = `${name}-${randomUUID()}.zip`
    await writeFile(join(workFolder(), path), bytes)

    const { status, stdout } = await deposit(['verify', path, '--json'])
    expect({ status, ...(JSON.parse(stdout) as object) }).toMatchObject({
      status: 0,
      record: value,
      compared: true,
      errors: [],
      warnings: [],
    })

    // One byte of a file is another.
    bytes[bytes.indexOf('# Read me') + 2] = 0x72
    await writeFile(join(workFolder(), path), bytes)
    const changed = await deposit(['verify', path])
    expect(changed.status).toBe(8)
    expect(changed.stdout).toMatch(/README\.md: its CRC-32 differs from that in the archive\n/)
  })

  it.for(['ro-crate', 'bagit', 'datapackage'])(
    'tell which revision they are, and whether there is a newer one: %s',
    async (as) => {
      const id = await newPublished()
      const path = `told-${randomUUID()}`
      await deposit(['export', id, '--as', as, '--output', path])
      const fresh = await deposit(['verify', path])
      await deposit(['edit', id])
      await deposit(['update', id, '--set', 'title=Water levels, corrected'])
      await deposit(['publish', id, '--yes'])
      const old = await deposit(['verify', path])
      const next = (await deposit(['newversion', id, '-q'])).stdout.trim()
      await deposit(['publish', next, '--yes'])
      const older = await deposit(['verify', path])

      expect(fresh.stderr).toMatch(/; compared with [\da-z-]+, revision 0$/m)
      expect(old.stderr).toContain(', revision 0; it was corrected since: revision 1')
      expect(older.stderr).toMatch(/; there is a newer version: http:\S+$/m)
      expect([fresh.status, old.status, older.status]).toEqual([0, 0, 0])
    },
  )

  it.for([
    ['ro-crate', 'ro-crate-metadata.json'],
    ['datapackage', 'datapackage.json'],
  ] as const)('are not praised when their description was changed: %s', async ([as, name]) => {
    const id = await newPublished()
    const path = `forged-${randomUUID()}`
    await deposit(['export', id, '--as', as, '--output', path])
    const file = join(workFolder(), path, name)
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('Water levels', 'Lower levels'))

    const { stderr, stdout } = await deposit(['verify', path, '--json'])

    expect(stderr).toMatch(/warning: .*differs from that of [\da-z-]+: somebody changed it/)
    expect(stderr).toMatch(/; compared with [\da-z-]+, but for its description$/m)
    expect(JSON.parse(stdout)).toMatchObject({ described: false, revision: null, compared: true })
  })

  it('become drafts with the same files', async () => {
    const id = await newPublished()
    const { stdout } = await deposit(['show', id, '--json'])
    const { links } = JSON.parse(stdout) as { readonly links: { readonly record: string } }
    const answer = await fetch(`${links.record}/packages/bagit`)
    await writeFile(join(workFolder(), 'ours.zip'), Buffer.from(await answer.arrayBuffer()))

    const made = await deposit(['create', 'ours.zip', '--json'])
    const draft = JSON.parse(made.stdout) as { readonly id: string; readonly metadata: object }
    expect(draft.metadata).toMatchObject({ title: 'Water levels', keywords: ['tide'] })
    expect(await namesOf(draft.id)).toEqual((await namesOf(id)).toSorted())
  })
})
