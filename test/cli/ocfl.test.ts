import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { RecordBody } from '../../core/contract/schemas.ts'
import { checkObject } from '../../core/packages/ocfl/check-object.ts'
import { readTree } from '../../core/packages/ocfl/folder-tree.ts'
import type { Inventory } from '../../core/packages/ocfl/inventory.ts'
import {
  deposit,
  daemonHome,
  daemonUrl,
  expectFailure,
  newDraft,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { operateHere } from '../support/depositd.ts'
import { logicalPaths, objectsOf } from '../support/ocfl.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const mebibyte = 1024 * 1024

/** The deposit of all tests, with two revisions. */
let id: string
let token: string

async function correct(title: string): Promise<void> {
  expect((await deposit(['edit', id])).status).toBe(0)
  expect((await deposit(['update', id, '--set', `title=${title}`])).status).toBe(0)
  expect((await deposit(['publish', id, '--yes'])).status).toBe(0)
}

beforeAll(async () => {
  await using folder = await temporaryFolder({
    'metadata.yaml': 'title: Water levels\n',
    'b/a b%.csv': '1,2',
    'same.csv': '1,2',
    'empty.txt': '',
  })
  await writeFile(join(folder.path, 'large.bin'), Buffer.alloc(24 * mebibyte, 'tide gauge '))
  id = await newDraft(folder.path, '--publish', '--yes')
  await correct('Water levels, corrected')
  token = (await deposit(['token', 'create', '--scope', 'deposit:write'])).stdout.trim()
})

function exported(folder: TemporaryFolder, ...more: readonly string[]) {
  const words = ['export', id, '--as', 'ocfl', '--output', 'object', ...more]
  return deposit(words, { folder: folder.path })
}

function verify(folder: TemporaryFolder, ...words: readonly string[]) {
  return deposit(['verify', ...words], { folder: folder.path })
}

async function objectIn(folder: TemporaryFolder) {
  const path = join(folder.path, 'object')
  const { errors, warnings, inventory } = await checkObject(await readTree(path), { reads: true })
  expect(errors).toEqual([])
  expect(warnings.map(({ code }) => code)).toEqual(expect.arrayContaining(['W004']))
  return { folder: path, inventory: inventory as Inventory }
}

describe('deposit export --as ocfl', () => {
  it('writes an object with a version for each revision, and shared bytes once', async () => {
    await using folder = await temporaryFolder()

    const { status, stdout, stderr } = await exported(folder)

    expect({ status, stdout }).toEqual({ status: 0, stdout: 'object\n' })
    expect(stderr).toContain('all bytes are verified')
    expect(await readdir(folder.path)).toEqual(['object'])
    const object = await objectIn(folder)
    const { inventory } = object
    const reply = await fetch(inventory.id, { headers: { accept: 'application/json' } })
    const record = (await reply.json()) as RecordBody
    expect(inventory.head).toBe('v2')
    expect(inventory.versions['v2']?.created).toBe(record.updated)
    expect(logicalPaths(object, 'v1')).toEqual([
      'files/b/a b%.csv',
      'files/empty.txt',
      'files/large.bin',
      'files/same.csv',
      'record.json',
    ])
    const contents = Object.values(inventory.manifest).flat()
    expect(contents.filter((path) => path.includes('/files/'))).toHaveLength(3)
    const text = await readFile(join(object.folder, 'v2/content/record.json'), 'utf8')
    expect((JSON.parse(text) as RecordBody).metadata).toEqual(record.metadata)
  })

  it('adds only revisions that are new', async () => {
    await using folder = await temporaryFolder()
    await exported(folder)
    const again = await exported(folder)
    const before = (await objectIn(folder)).inventory
    await correct('Water levels, corrected again')

    const { stderr } = await exported(folder)

    expect(again.stderr).toContain('has all of it already')
    expect(stderr).toContain('Exported 1 version of ')
    const after = (await objectIn(folder)).inventory
    expect(after.versions).toMatchObject(before.versions)
    expect(Object.keys(after.versions)).toHaveLength(Object.keys(before.versions).length + 1)
  })

  it('continues when it was interrupted', async () => {
    await using folder = await temporaryFolder()
    await using proxy = await cuttingProxy(daemonUrl())
    const environment = { DEPOSIT_URL: proxy.url, DEPOSIT_TOKEN: token }
    const run = (signal?: AbortSignal) =>
      runCli(['export', id, '--as', 'ocfl', '--output', 'object', '--jobs', '1'], {
        environment,
        folder: folder.path,
        ...(signal && { signal }),
      })
    const interruption = new AbortController()
    proxy.cut(/^GET .*large/, 16 * mebibyte, () => interruption.abort())

    expect(await run(interruption.signal)).toMatchObject({ status: 130 })
    expect(existsSync(join(folder.path, 'object'))).toBe(false)
    const before = proxy.passed.length
    expect(await run()).toMatchObject({ status: 0 })

    const asked = proxy.passed.slice(before).filter(({ path }) => path.includes('large'))
    expect(asked[0]?.headers.range).toMatch(/^bytes=[1-9]\d+-$/)
    await objectIn(folder)
    expect(await readdir(folder.path)).toEqual(['object'])
  })

  it('refuses a folder that is something else, and an object that was changed', async () => {
    await using folder = await temporaryFolder({ 'object/thesis.odt': 'mine' })
    expectFailure(await exported(folder), 5, 'it is there, and is no object of OCFL')
    await rm(join(folder.path, 'object'), { recursive: true })
    await exported(folder)
    const file = join(folder.path, 'object/v1/content/files/empty.txt')
    await writeFile(file, 'x')

    expectFailure(await exported(folder), 5, 'it is damaged: v1/content/files/empty.txt')
  })

  it('refuses a draft', async () => {
    await using folder = await temporaryFolder({ 'data/a.csv': '1' })
    const draft = await newDraft(join(folder.path, 'data'))

    const words = ['export', draft, '--as', 'ocfl', '--output', 'object']
    expectFailure(await deposit(words, { folder: folder.path }), 5, 'not as ocfl')
  })
})

describe('deposit verify', () => {
  it('finds an object whole, and compares it with its record', async () => {
    await using folder = await temporaryFolder()
    await exported(folder)

    const { status, stdout, stderr } = await verify(folder, 'object')

    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(stderr).toMatch(/^object is complete and unchanged: 5 files, .*; compared with /m)
  })

  it('names each fault of an object with its code, and ends with 8', async () => {
    await using folder = await temporaryFolder()
    await exported(folder)
    const at = (path: string): string => join(folder.path, 'object', path)
    await chmod(at('v1/content/files/large.bin'), 0o600)
    await writeFile(at('v1/content/files/large.bin'), 'small')
    await writeFile(at('v1/notes.txt'), '')
    await mkdir(at('extra'))

    const { status, stdout } = await verify(folder, 'object', '--json')

    expect(status).toBe(8)
    const { errors } = JSON.parse(stdout) as { readonly errors: readonly object[] }
    expect(errors).toEqual([
      { field: 'extra', message: 'an object has no such folder (E001)' },
      { field: 'v1/notes.txt', message: expect.stringContaining('(E015)') as string },
      { field: 'v1/content/files/large.bin', message: expect.stringContaining('(E092)') as string },
    ])
  })

  it('names what the record has, and the object does not', async () => {
    await using folder = await temporaryFolder({
      'data/a.csv': '1',
      'data/metadata.yaml': 'title: a',
    })
    const other = await newDraft(join(folder.path, 'data'), '--publish', '--yes')
    await exported(folder)

    const { status, stdout } = await verify(folder, 'object', other)

    expect(status).toBe(8)
    expect(stdout).toMatch(/^a\.csv: it is missing, and [\w-]+ has it$/m)
    expect(stdout).toMatch(/^large\.bin: [\w-]+ does not have it$/m)
  })

  it('judges each object of a storage root', async () => {
    await using folder = await temporaryFolder()
    const root = join(folder.path, 'root')
    expect((await operateHere(daemonHome(), ['export-ocfl', root])).status).toBe(0)
    const whole = await verify(folder, 'root')
    const [object] = await objectsOf(root)
    await rm(join(object?.folder ?? '', 'inventory.json.sha256'))

    const { status, stdout } = await verify(folder, 'root')

    expect(whole).toMatchObject({ status: 0, stdout: '' })
    expect(whole.stderr).toMatch(/^root is complete and unchanged: .* in \d+ objects?$/m)
    expect(status).toBe(8)
    expect(stdout).toMatch(/\/inventory\.json\.sha256: it is missing \(E058\)$/m)
  })

  it('refuses one identifier for a storage root', async () => {
    await using folder = await temporaryFolder()
    const root = join(folder.path, 'root')
    await operateHere(daemonHome(), ['export-ocfl', root])

    expectFailure(await verify(folder, 'root', id), 2, 'it is a storage root of many records')
  })
})
