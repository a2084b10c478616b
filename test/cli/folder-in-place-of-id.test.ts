import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemonUrl, deposit, expectFailure, useDaemon } from '../support/cli-at-daemon.ts'
import type { Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

/** A folder with one in it that has metadata and a file. */
const newFolder = (): Promise<TemporaryFolder> =>
  temporaryFolder({ 'data/metadata.yaml': 'title: Tides\n', 'data/a.csv': '1' })

function at(folder: string, ...args: readonly string[]): Promise<Outcome> {
  return deposit(args, { folder })
}

/** Runs a command that succeeds; returns its output. */
async function done(folder: string, ...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await at(folder, ...args)
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.trim()
}

describe('a folder that knows its deposit', () => {
  it('stands for its deposit in commands that read or open it', async () => {
    await using parent = await newFolder()
    const folder = join(parent.path, 'data')
    const id = await done(folder, 'create', '.')

    expect(await done(folder, 'show', '--quiet')).toBe(id)
    expect(await done(folder, 'show', '--metadata')).toContain('title: Tides')
    expect(await done(folder, 'files')).toContain('a.csv\t1 B')
    expect(await done(folder, 'cat', '.', 'a.csv')).toBe('1')
    expect(await done(folder, 'cite')).toContain('Tides')
    expect(await done(folder, 'export', '--as', 'ris')).toContain('TI  - Tides')
    expect(await done(folder, 'download', '--output', '../copy')).toMatch(/copy\/a\.csv$/)
    expectFailure(await at(folder, 'download'), 2, 'no folder was named for the copy')
    await done(folder, 'publish')
    expect(await done(folder, 'export', '--as', 'ocfl', '-o', '../object')).toBe('../object')
    expect(await done(folder, 'edit', '--quiet')).toBe(id)
    expect(await done(folder, 'merge', '--quiet')).toBe(id)
    expect(await done(folder, 'discard', '--quiet')).toBe(id)
  })

  it('stands for its draft in delete, which names what it would delete', async () => {
    await using parent = await newFolder()
    const folder = join(parent.path, 'data')
    const id = await done(folder, 'create', '.')

    expectFailure(await at(folder, 'delete', '.'), 2, `run \`deposit delete ${id} --yes\``)
    expect((await at(folder, 'delete', '.', '--dry-run')).stderr).toContain(`delete ${id}`)
    expect(await done(parent.path, 'delete', 'data', '--yes', '--quiet')).toBe(id)
    expectFailure(await at(folder, 'show', id), 3, 'was deleted')
    expectFailure(await at(parent.path, 'delete', '.', '--yes'), 2, 'does not know one yet')
  })

  it('stands for its deposit in commands for deleted files and unfinished uploads', async () => {
    await using parent = await newFolder()
    const folder = join(parent.path, 'data')
    const id = await done(folder, 'create', '.')

    expect(await done(folder, 'rm', '.', 'a.csv', '--quiet')).not.toBe('')
    expect(await done(folder, 'files', '--json')).toBe('[]')
    expect(await done(folder, 'restore')).toContain('a.csv\t1 B')
    expect(await done(folder, 'restore', '.', 'a.csv')).toBe('a.csv')
    expect(await done(folder, 'restore', id)).toBe('')
    expect(await done(folder, '__complete', '--bash', 'deposit rm . a', 'a')).toBe('a.csv')
    expect((await at(folder, 'uploads')).stderr).toContain(`0 unfinished uploads in ${id}\n`)
    expect(await done(folder, 'uploads', '--all', '--delete')).toBe('')
    expectFailure(await at(folder, 'uploads', '--delete'), 2, 'deposit uploads . --all --delete')
    // The first word is the deposit, as in other commands: no file is meant by it.
    for (const command of ['restore', 'uploads'])
      expectFailure(await at(folder, command, 'a.csv'), 3, 'There is no deposit with this id')
    expectFailure(await at(folder, 'rm', 'a.csv'), 2, "missing required argument 'key'")
    for (const command of ['restore', 'uploads'])
      expectFailure(await at(parent.path, command), 2, 'the folder does not know one yet')
  })

  it('is no advice for an address without a deposit, nor while the service is away', async () => {
    await using parent = await newFolder()
    const folder = join(parent.path, 'data')
    await done(folder, 'create', '.')
    for (const command of ['cat', 'rm', 'restore']) {
      const unknown = await at(folder, command, `${daemonUrl()}/records/abcde-fghij`, 'a.csv')
      const environment = { DEPOSIT_URL: 'http://127.0.0.1:1' }
      const args = [command, 'a b.csv', 'a.csv', '--retries', '0']
      const away = await deposit(args, { folder, environment })
      expect([unknown.status, away.status]).not.toContain(0)
      expect(unknown.stderr + away.stderr).not.toContain(`deposit ${command} .`)
    }
  })

  it('may be named without a slash, unless the name may be an identifier', async () => {
    await using folder = await temporaryFolder({ 'data/a.csv': '1', 'abcdef/a.csv': '1' })
    const id = await done(folder.path, 'create', 'data')
    await done(folder.path, 'create', 'abcdef')

    expect(await done(folder.path, 'show', 'data', '--quiet')).toBe(id)
    expectFailure(await at(folder.path, 'show', 'abcdef'), 3, 'There is no deposit with this id')
  })

  it('without metadata leaves those of the deposit as they are', async () => {
    await using parent = await newFolder()
    const folder = join(parent.path, 'data')
    await done(folder, 'create', '.')
    await rm(join(folder, 'metadata.yaml'))

    const said = '. has no metadata.yaml: the metadata of the deposit stay as they are\n'
    expect((await at(folder, 'diff')).stderr).toContain(said)
    expect((await at(folder, 'sync')).stderr).toContain(said)
    expect(await done(folder, 'show')).toContain('Tides')
  })
})

describe('a folder whose memory is damaged', () => {
  it.for([
    ['nothing in it', '', 'it is empty'],
    ['no JSON', 'x', 'it is not whole JSON'],
    ['half of its text', '{"server": "local", "i', 'it is not whole JSON'],
    ['a conflict of git', '<<<<<<< HEAD\n{"server"', 'git left a conflict in it'],
    ['another form', '{"server":"https://example.org/path","id":"x"}', 'does not name the server'],
    ['no id', '{"server":"local"}', 'does not name the server'],
    ['an id that leads elsewhere', '{"server":"local","id":"../../x"}', 'does not name the server'],
  ] as const)('is refused if .deposit.json has %s', async ([, text, said]) => {
    await using parent = await newFolder()
    const folder = join(parent.path, 'data')
    await writeFile(join(folder, '.deposit.json'), text)

    for (const command of ['create .', 'status', 'sync', 'publish', 'release'])
      expectFailure(await at(folder, ...command.split(' ')), 2, said)
  })
})
