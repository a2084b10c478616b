import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  daemonHome,
  daemonUrl,
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { faultsOfCrate } from '../support/check-crate.ts'
import { cuttingProxy, type CuttingProxy } from '../support/cutting-proxy.ts'
import { requireReadable, run } from '../support/read-archive.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const mebibyte = 1024 * 1024

/** The deposit of all tests, and its record. */
let id: string
let record: string
let token: string
/** The bag as the server sends it. */
let bag: Buffer

beforeAll(async () => {
  await using folder = await temporaryFolder({
    'metadata.yaml': 'title: Water levels\n',
    'b/a b%.csv': '1,2',
    'empty.txt': '',
  })
  await writeFile(join(folder.path, 'large.bin'), Buffer.alloc(32 * mebibyte, 'tide gauge '))
  id = await newDraft(folder.path, '--publish', '--yes')
  const shown = JSON.parse((await deposit(['show', id, '--json'])).stdout) as {
    readonly links: { readonly record: string }
  }
  record = shown.links.record.split('/').at(-1) ?? ''
  token = (await deposit(['token', 'create', '--scope', 'deposit:write'])).stdout.trim()
  const answer = await fetch(`${shown.links.record}/packages/bagit`)
  bag = Buffer.from(await answer.arrayBuffer())
})

/** Runs a command through a proxy. */
function through(
  proxy: CuttingProxy,
  folder: TemporaryFolder,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<Outcome> {
  const environment = { DEPOSIT_URL: proxy.url, DEPOSIT_TOKEN: token }
  return runCli(args, { environment, folder: folder.path, ...(signal && { signal }) })
}

function exported(folder: TemporaryFolder, as: string, output: string, ...more: readonly string[]) {
  return deposit(['export', id, '--as', as, '--output', output, ...more], { folder: folder.path })
}

async function filesIn(path: string): Promise<readonly string[]> {
  const found = await readdir(path, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .toSorted()
}

const payload = ['b/a b%.csv', 'empty.txt', 'large.bin']
const crate = [...payload, 'ro-crate-metadata.json', 'ro-crate-preview.html'].toSorted()

describe('deposit export of a package', () => {
  it('saves the archive that the server has', async () => {
    await using folder = await temporaryFolder()
    const { status, stdout, stderr } = await exported(folder, 'bagit', 'bag.zip')

    expect({ status, stdout }).toEqual({ status: 0, stdout: 'bag.zip\n' })
    expect(stderr).toContain('all bytes are verified')
    expect(await readdir(folder.path)).toEqual(['bag.zip'])
    const path = join(folder.path, 'bag.zip')
    expect((await readFile(path)).equals(bag)).toBe(true)
    await requireReadable(path)
  })

  it('saves the same as a folder, which is complete by its own manifests', async () => {
    await using folder = await temporaryFolder()
    expect(await exported(folder, 'bagit', 'bag')).toMatchObject({ status: 0, stdout: 'bag\n' })

    await writeFile(join(folder.path, 'bag.zip'), bag)
    await run('unzip', ['-q', 'bag.zip'], folder.path)
    expect(await run('diff', ['-r', 'bag', record], folder.path)).toBe('')
    await run(
      'sha256sum',
      ['--check', '--quiet', 'tagmanifest-sha256.txt'],
      join(folder.path, 'bag'),
    )
  })

  it('saves a crate and the files alone as folders', async () => {
    await using folder = await temporaryFolder()
    await exported(folder, 'ro-crate', 'crate')
    await exported(folder, 'zip', 'files/')

    expect(await filesIn(join(folder.path, 'crate'))).toEqual(crate)
    const text = await readFile(join(folder.path, 'crate/ro-crate-metadata.json'), 'utf8')
    expect(faultsOfCrate(text, new Set(crate))).toEqual([])
    expect(await filesIn(join(folder.path, 'files'))).toEqual(payload)
  })

  it('keeps what is there, and replaces other bytes only if asked', async () => {
    await using folder = await temporaryFolder()
    const [archive, page] = ['crate.zip', 'crate/ro-crate-preview.html'].map((name) =>
      join(folder.path, name),
    )
    for (const [output, path = ''] of [
      ['crate.zip', archive],
      ['crate', page],
    ] as const) {
      await exported(folder, 'ro-crate', output)
      const again = await exported(folder, 'ro-crate', output)
      expect(again).toMatchObject({ status: 0 })
      expect(again.stderr).toContain('has all of it already')
      const whole = await readFile(path)
      await writeFile(path, Buffer.concat([whole.subarray(0, -1), Buffer.from('x')]))
      expectFailure(await exported(folder, 'ro-crate', output), 5, 'a different file of that name')
      expect(await exported(folder, 'ro-crate', output, '--replace')).toMatchObject({ status: 0 })
      expect((await readFile(path)).equals(whole)).toBe(true)
    }
  })

  it.for(['bagit', 'ro-crate', 'datapackage'])('finds a whole folder whole: %s', async (as) => {
    await using folder = await temporaryFolder()
    await exported(folder, as, 'out')
    const before = await filesIn(join(folder.path, 'out'))

    const { status, stderr } = await exported(folder, as, 'out')

    expect(status).toBe(0)
    expect(stderr).toContain('has all of it already')
    expect(await filesIn(join(folder.path, 'out'))).toEqual(before)
  })

  it('writes nothing into a bag of something else', async () => {
    await using folder = await temporaryFolder()
    await exported(folder, 'bagit', 'bag')
    const place = join(folder.path, 'bag')
    const other = await newDraft('--title', 'Other', '--publish', '--yes')
    const before = await filesIn(place)
    const into = (...more: readonly string[]) =>
      deposit(['export', other, '--as', 'bagit', '--output', 'bag', ...more], {
        folder: folder.path,
      })

    expectFailure(await into(), 5, 'a different file of that name exists')
    expectFailure(await into('--replace'), 5, 'the folder has a file of something else')
    expect(await filesIn(place)).toEqual(before)
    expect((await deposit(['verify', place])).status).toBe(0)
  })

  it('has names as the service takes them, which verify and create take again', async () => {
    const names = { 'x/a:b': '1', 'x/~tilde': '2', 'x/~/a.csv': '3' }
    await using folder = await temporaryFolder(names)
    const own = await newDraft(join(folder.path, 'x'), '--title', 'Names', '--publish', '--yes')
    for (const as of ['bagit', 'ro-crate', 'datapackage']) {
      for (const output of [as, `${as}.zip`]) {
        const place = join(folder.path, output)
        await deposit(['export', own, '--as', as, '--output', place])
        expect([output, (await deposit(['verify', place])).status]).toEqual([output, 0])
        const made = await deposit(['create', place, '-q'])
        expect([output, made.status]).toEqual([output, 0])
        const told = await deposit(['create', place, '--new', '--no-remember', '--dry-run'])
        expect(told.stderr).toContain('Its description is not sent: ')
        // What was written for the package is no data.
        expect([output, await namesOf(made.stdout.trim())]).toEqual([output, await namesOf(own)])
      }
    }
  })

  it('is data where somebody worked on it', async () => {
    await using folder = await temporaryFolder()
    for (const [as, name] of [
      ['ro-crate', 'ro-crate-metadata.json'],
      ['datapackage', 'datapackage.json'],
    ] as const) {
      await exported(folder, as, as)
      const file = join(folder.path, as, name)
      const text = await readFile(file, 'utf8')
      await writeFile(
        file,
        text.replace('"contributor"', '"mentions"').replace(/"name":"/, '"note":"x","name":"'),
      )
      const { stdout } = await deposit(['create', join(folder.path, as), '-q'])
      expect(await namesOf(stdout.trim())).toContain(name)
    }
  })

  it('saves several, each in a folder named by its record, and continues', async () => {
    await using folder = await temporaryFolder({ 'data/a.csv': '1,2' })
    const other = await newDraft(join(folder.path, 'data'))
    const several = [id, other, 'none-of-this-name']
    const line = ['export', ...several, '--as', 'zip', '--output', 'all/']
    const first = await deposit(line, { folder: folder.path })

    expect(first).toMatchObject({ status: 7, stdout: `all/${record}\nall/${other}\n` })
    expect(first.stderr).toContain('Exported 2 deposits as zip')
    expect(first.stderr).toContain('none-of-this-name')
    expect(await filesIn(join(folder.path, 'all', record))).toEqual(payload)
    expect(await filesIn(join(folder.path, 'all', other))).toEqual(['a.csv'])

    await rm(join(folder.path, 'all', other, 'a.csv'))
    const again = await deposit(line, { folder: folder.path })
    expect(again.stderr).toContain('1 had all of it already')
    expect(await filesIn(join(folder.path, 'all', other))).toEqual(['a.csv'])
    const { stdout } = await deposit([...line, '--json'], { folder: folder.path })
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ id, path: join(folder.path, 'all', record), files: 3 }),
      expect.objectContaining({ id: other, files: 1 }),
      {
        id: 'none-of-this-name',
        error: expect.objectContaining({ code: 'deposit_not_found' }) as unknown,
      },
    ])
  })

  it('saves several only as packages in a folder', async () => {
    for (const [as, output] of [
      ['bibtex', 'all'],
      ['zip', 'all.zip'],
      ['zip', '-'],
    ] as const) {
      const refused = await deposit(['export', id, record, '--as', as, '--output', output])
      expectFailure(refused, 2, 'a folder as --output')
    }
  })

  it('writes an archive to standard output, and says what it saved as JSON', async () => {
    await using folder = await temporaryFolder()
    const program = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url))
    const args = [program, 'export', id, '--as', 'bagit', '--output', '-']
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      encoding: 'buffer',
      maxBuffer: 64 * mebibyte,
      env: { ...process.env, DEPOSIT_HOME: daemonHome() },
    })
    expect(stdout.equals(bag)).toBe(true)

    const { stdout: json } = await exported(folder, 'bagit', 'bag.zip', '--json')
    const path = join(folder.path, 'bag.zip')
    expect(JSON.parse(json)).toEqual({ id, format: 'bagit', path, filesize: bag.length, files: 3 })
    const refused = await exported(folder, 'bagit', '-', '--json')
    expect(refused).toMatchObject({ status: 2 })
    expect(refused.stdout).toContain('without --json')
  })

  it('prints the metadata of a crate without a folder or an archive', async () => {
    await using folder = await temporaryFolder()
    await exported(folder, 'ro-crate', 'crate.json')

    const { stdout } = await deposit(['export', id, '--as', 'ro-crate'])
    expect(stdout).toContain('"@graph"')
    expect(await readFile(join(folder.path, 'crate.json'), 'utf8')).toBe(stdout)
  })

  it('of a draft has the files alone', async () => {
    await using folder = await temporaryFolder()
    const draft = await newDraft('data')
    const args = ['export', draft, '--output', 'draft.zip', '--as']

    expectFailure(await deposit([...args, 'bagit'], { folder: folder.path }), 5, 'as zip alone')
    expect(await deposit([...args, 'zip'], { folder: folder.path })).toMatchObject({ status: 0 })
    await requireReadable(join(folder.path, 'draft.zip'))
    const empty = await newDraft()
    const all = ['export', empty, '--as', 'zip', '--output', 'nothing']
    expect(await deposit(all, { folder: folder.path })).toMatchObject({ status: 0 })
    expect(await readdir(join(folder.path, 'nothing'))).toEqual([])
  })
})

describe('an export that was interrupted', () => {
  it('of an archive fetches only the missing bytes when run again', async () => {
    await using folder = await temporaryFolder()
    await using proxy = await cuttingProxy(daemonUrl())
    const args = ['export', id, '--as', 'bagit', '--output', 'bag.zip']
    const interruption = new AbortController()
    proxy.cut(/^GET .*packages/, 20 * mebibyte, () => interruption.abort())

    expect(await through(proxy, folder, args, interruption.signal)).toMatchObject({ status: 130 })
    expect(await readdir(folder.path)).toEqual([expect.stringMatching(/^\.deposit-.*\.part$/)])
    expect(await through(proxy, folder, args)).toMatchObject({ status: 0 })
    expect(proxy.passed.at(-1)?.headers.range).toMatch(/^bytes=[1-9]\d+-$/)
    expect(proxy.passed.at(-1)?.headers['if-range']).toMatch(/^"0-bag/)
    expect(await readdir(folder.path)).toEqual(['bag.zip'])
    expect((await readFile(join(folder.path, 'bag.zip'))).equals(bag)).toBe(true)
  })

  it('of a folder keeps its whole files, and continues the others', async () => {
    await using folder = await temporaryFolder()
    await using proxy = await cuttingProxy(daemonUrl())
    const args = ['export', id, '--as', 'bagit', '--output', 'bag', '--jobs', '1']
    const interruption = new AbortController()
    proxy.cut(/^GET .*large/, 20 * mebibyte, () => interruption.abort())

    expect(await through(proxy, folder, args, interruption.signal)).toMatchObject({ status: 130 })
    const before = proxy.passed.length
    expect(await through(proxy, folder, args)).toMatchObject({ status: 0 })
    const asked = proxy.passed.slice(before).filter(({ path }) => path.includes('/files/'))
    expect(asked.some(({ path }) => path.includes('a%20b'))).toBe(false)
    const large = asked.find(({ path }) => path.includes('large'))
    expect(large?.headers.range).toMatch(/^bytes=[1-9]\d+-$/)
    await writeFile(join(folder.path, 'bag.zip'), bag)
    await run('unzip', ['-q', 'bag.zip'], folder.path)
    expect(await run('diff', ['-r', 'bag', record], folder.path)).toBe('')
  })
})
