import { chmod, cp, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemonHome, deposit, expectFailure, namesOf, useDaemon } from '../support/cli-at-daemon.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { startDeposit } from '../support/deposit-process.ts'
import { strangeServer } from '../support/strange-server.ts'
import type { Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

/** A folder with metadata and one file. */
const newFolder = (): Promise<TemporaryFolder> =>
  temporaryFolder({ 'metadata.yaml': 'title: Tides\n', 'a.csv': '1' })

/** Runs a command in the folder. */
function at({ path }: TemporaryFolder, ...args: readonly string[]): Promise<Outcome> {
  return deposit(args, { folder: path })
}

/** Runs a command in the folder that succeeds; returns its output. */
async function done(folder: TemporaryFolder, ...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await at(folder, ...args)
  expect({ args, status, stderr: status === 0 ? '' : stderr }).toEqual({
    args,
    status: 0,
    stderr: '',
  })
  return stdout.trim()
}

async function memoryOf({ path }: TemporaryFolder): Promise<unknown> {
  return JSON.parse(await readFile(join(path, '.deposit.json'), 'utf8'))
}

const anyConcept = expect.stringMatching(/^[0-9a-z]{5}-[0-9a-z]{5}$/) as string

describe('a folder that knows its deposit', () => {
  it('is made by create, which stores server, concept and id in .deposit.json and says so', async () => {
    await using folder = await newFolder()

    const { stdout, stderr } = await at(folder, 'create', '.')

    const id = stdout.trim()
    expect(stderr).toContain('The folder remembers its deposit in .deposit.json: commands there')
    expect(await memoryOf(folder)).toEqual({ server: 'local', concept: anyConcept, id })
    expect(await namesOf(id)).toEqual(['a.csv'])
  })

  it('is told the next step in a terminal', async () => {
    await using folder = await newFolder()
    const { stderr } = await deposit(['create', '.'], { folder: folder.path, terminal: 100 })

    expect(stderr).toMatch(/\nnext: run `deposit publish`\n$/)
    expect(await done(folder, 'publish')).toContain('/records/')
  })

  it('is not what create alone makes, which a terminal is told', async () => {
    await using folder = await newFolder()
    const { stdout, stderr } = await deposit(['create'], { folder: folder.path, terminal: 100 })

    expect(await namesOf(stdout.trim())).toEqual([])
    expect(stderr).toContain('The draft has no metadata and no files\nnext: run `deposit create .`')
    expectFailure(await at(folder, 'create', '--publish'), 2, 'next: run `deposit create .`')
  })

  it('is not made by create --no-remember, by a dry run, or if the server refuses', async () => {
    await using folder = await newFolder()
    const $schema = 'https://example.org/schemas/deposits/none-v1.0.0.json'
    await using refused = await temporaryFolder({ 'metadata.yaml': `$schema: ${$schema}\n` })

    const ids = new Set([
      await done(folder, 'create', '.', '--no-remember'),
      await done(folder, 'create', '.', '--no-remember'),
    ])
    await done(folder, 'create', '.', '--dry-run')
    expectFailure(await at(refused, 'create', '.'), 1, 'unknown_schema')

    expect(ids.size).toBe(2)
    expect(await readdir(folder.path)).toEqual(['a.csv', 'metadata.yaml'])
    expect(await readdir(refused.path)).toEqual(['metadata.yaml'])
  })

  it('continues the draft of a create that was killed before it had an answer', async () => {
    await using folder = await newFolder()
    const id = await done(folder, 'create', '.', '--idempotency-key', 'killed-1')
    // As it is while the request is under way.
    const begun = { server: 'local', key: 'killed-1' }
    await writeFile(join(folder.path, '.deposit.json'), JSON.stringify(begun))

    expectFailure(await at(folder, 'sync'), 2, 'the folder does not know one yet')
    expect(await done(folder, 'create', '.')).toBe(id)
    expect(await memoryOf(folder)).toEqual({ server: 'local', concept: anyConcept, id })

    await writeFile(join(folder.path, '.deposit.json'), JSON.stringify(begun))
    await writeFile(join(folder.path, 'metadata.yaml'), 'title: Other tides\n')
    expect(await done(folder, 'create', '.')).not.toBe(id)
  })

  it('continues its draft when create is run again, and says so', async () => {
    await using folder = await newFolder()
    const id = await done(folder, 'create', '.')
    await writeFile(join(folder.path, 'b.csv'), '2')
    await writeFile(join(folder.path, 'metadata.yaml'), 'title: Tides again\n')

    const { status, stdout, stderr } = await at(folder, 'create', '.')

    expect({ status, stdout }).toEqual({ status: 0, stdout: `${id}\n` })
    expect(stderr).toMatch(new RegExp(`^Deposit ${id} at http://\\S+, as .deposit.json says$`, 'm'))
    expect(stderr).toContain('Changed: 1 added, 1 metadata change (title)\n')
    expect(await namesOf(id)).toEqual(['a.csv', 'b.csv'])
    expect(await done(folder, 'show', id)).toContain('Tides again')
  })

  it('is published once: the same command prints the same record', async () => {
    await using folder = await newFolder()
    const record = await done(folder, 'create', '.', '--publish')

    expect(record).toMatch(/\/records\//)
    expect(await done(folder, 'create', '.', '--publish')).toBe(record)
    await writeFile(join(folder.path, 'a.csv'), '2')
    expectFailure(await at(folder, 'create', '.', '--publish'), 5, '1 replaced')
  })

  it('needs no id for status, sync, diff, publish, newversion and open', async () => {
    await using folder = await newFolder()
    const id = await done(folder, 'create', '.')
    await writeFile(join(folder.path, 'b.csv'), '2')

    expect(await done(folder, 'diff')).toBe('added\tb.csv')
    expect(await done(folder, 'sync')).toBe('added\tb.csv')
    expect(await done(folder, 'open', '--quiet')).toBe(id)
    const { stdout, stderr } = await at(folder, 'publish')
    expect(stdout).toMatch(/\/records\//)
    expect(stderr).toContain('"Tides", 2 files (2 B)\n')
    const draft = await done(folder, 'newversion')
    expect(draft).not.toBe(id)
    expect(await memoryOf(folder)).toEqual({ server: 'local', concept: anyConcept, id: draft })
    expect(await done(folder, 'publish')).not.toBe(stdout.trim())
  })

  it('is not published while it has changes; --yes publishes the draft without them', async () => {
    await using folder = await newFolder()
    const id = await done(folder, 'create', '.')
    await writeFile(join(folder.path, 'b.csv'), '2')

    expectFailure(await at(folder, 'publish'), 5, 'the changes of the folder: 1 added')
    expectFailure(await at(folder, 'publish', '-n'), 5, 'the changes of the folder: 1 added')
    expect(await done(folder, 'show', id)).toContain('draft')

    expect(await done(folder, 'publish', '--yes')).toMatch(/\/records\//)
    expect(await namesOf(id)).toEqual(['a.csv'])
  })

  it('is named from elsewhere by a path with a slash', async () => {
    await using folder = await temporaryFolder({ 'in/metadata.yaml': 'title: x\n', 'in/a.csv': '' })
    const id = await done(folder, 'create', 'in')

    expect(await done(folder, 'open', 'in/', '--quiet')).toBe(id)
    expect(await done(folder, 'publish', './in', '--quiet')).toBe(id)
  })

  it('gets a new version of the newest one, also in an old checkout', async () => {
    await using folder = await newFolder()
    await done(folder, 'create', '.', '--publish')
    await using old = await temporaryFolder()
    await cp(folder.path, old.path, { recursive: true })
    const second = await done(folder, 'newversion')
    await done(folder, 'publish')

    const third = await done(old, 'newversion')

    const body = JSON.parse(await done(old, 'show', third, '--json', 'links')) as DepositBody
    const newest = JSON.parse(await done(old, 'show', second, '--json', 'links')) as DepositBody
    expect(body.links['previous_version']).toBe(newest.links['record'])
  })

  it('gets another deposit with create --new, and remembers that one', async () => {
    await using folder = await newFolder()
    const id = await done(folder, 'create', '.')

    const other = await done(folder, 'create', '.', '--new')

    expect(other).not.toBe(id)
    expect(await memoryOf(folder)).toMatchObject({ id: other })
  })

  it('shows its deposit at publish, also in a copy of the folder', async () => {
    await using folder = await newFolder()
    const id = await done(folder, 'create', '.')
    await using copy = await temporaryFolder()
    await cp(folder.path, copy.path, { recursive: true })

    const { stderr } = await at(copy, 'publish')

    expect(stderr).toContain(`Deposit ${id} at http`)
    expect(stderr).toContain('"Tides", 1 file (1 B)\n')
  })

  it('shows what create would change with --dry-run, and changes nothing', async () => {
    await using folder = await newFolder()
    const id = await done(folder, 'create', '.')
    await writeFile(join(folder.path, 'b.csv'), '2')

    const { status, stderr } = await at(folder, 'create', '.', '--publish', '-n')

    expect(status).toBe(0)
    expect(stderr).toContain(`Would change ${id}: 1 added and publish it\n`)
    expect(await namesOf(id)).toEqual(['a.csv'])
  })

  it('gets the title of --title if it has no metadata file', async () => {
    await using folder = await temporaryFolder({ 'a.csv': '1' })
    const id = await done(folder, 'create', '.', '--title', 'One')
    await done(folder, 'update', id, '--set', 'notes=kept')

    await done(folder, 'create', '.', '--title', 'Two')

    const { metadata } = JSON.parse(await done(folder, 'show', id, '--json')) as {
      readonly metadata: unknown
    }
    expect(metadata).toMatchObject({ title: 'Two', notes: 'kept' })
  })

  it('does not upload .deposit.json, even if .depositignore includes hidden files', async () => {
    await using folder = await temporaryFolder({
      'metadata.yaml': 'title: x\n',
      '.depositignore': '!.*\n',
      'sub/.deposit.json': '{}',
      'sub/.b': '1',
    })
    const id = await done(folder, 'create', '.')

    await done(folder, 'create', '.')

    expect(await namesOf(id)).toEqual(['.depositignore', 'sub/.b'])
    const { stderr } = await at(folder, 'diff')
    expect(stderr).not.toContain('Left out')
  })

  it('keeps its deposit beside the sign-ins if it cannot be written', async () => {
    await using folder = await temporaryFolder({ 'data/metadata.yaml': 'title: x\n' })
    const data = join(folder.path, 'data')
    await chmod(data, 0o500)
    // Root can write anywhere unless it drops its capabilities.
    const wrap =
      process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []
    const environment = { DEPOSIT_HOME: daemonHome() }
    const options = { folder: folder.path, wrap }

    using created = startDeposit(['create', 'data'], environment, options)
    const { stdout, stderr } = await created.ended

    expect(stderr).toContain('data/.deposit.json cannot be written; the deposit is remembered')
    expect(await readdir(data)).toEqual(['metadata.yaml'])
    expect(await done(folder, 'open', 'data/', '--quiet')).toBe(stdout.trim())
    await chmod(data, 0o700)
    const other = await done(folder, 'create', 'data', '--new')
    expect(await done(folder, 'open', 'data/', '--quiet')).toBe(other)
  })

  it('is refused if .deposit.json is a link, which may lead to any file', async () => {
    await using folder = await newFolder()
    await symlink('/etc/hostname', join(folder.path, '.deposit.json'))

    expectFailure(await at(folder, 'status'), 2, 'it is a link')
  })
})

describe('deposit sync of a folder whose deposit is published', () => {
  it('names the next steps, and in a terminal starts a new version', async () => {
    await using folder = await newFolder()
    const record = await done(folder, 'create', '.', '--publish')
    expect(await done(folder, 'sync')).toBe('')
    await writeFile(join(folder.path, 'b.csv'), '2')
    const typed = { folder: folder.path, isTyped: true, terminal: 200 } as const

    expectFailure(await at(folder, 'sync'), 5, 'next: run `deposit release` to publish the changes')
    const refused = await deposit(['sync'], { ...typed, stdin: 'n\n' })
    expect(refused.status).toBe(1)
    const { status, stdout, stderr } = await deposit(['sync'], { ...typed, stdin: 'y\n' })

    expect({ status, stdout }).toEqual({ status: 0, stdout: 'added\tb.csv\n' })
    expect(stderr).toContain('Changes of the folder: 1 added')
    expect(await namesOf(record)).toEqual(['a.csv'])
    expect(await done(folder, 'publish')).not.toBe(record)
  })
})

describe('a folder that names a server', () => {
  it('is refused there, and no request goes to that server', async () => {
    await using stranger = await strangeServer((_request, response) => void response.end())
    await using folder = await newFolder()
    const named = { server: stranger.url, id: 'f'.repeat(32) }
    await writeFile(join(folder.path, '.deposit.json'), JSON.stringify(named))

    for (const command of ['create .', 'status', 'sync', 'diff', 'publish', 'open', 'newversion'])
      expectFailure(await at(folder, ...command.split(' ')), 5, `is at ${stranger.url}`)

    expect(stranger.requests).toEqual([])
    expect(await done(folder, 'create', '.', '--new')).not.toBe(named.id)
  })
})

describe('deposit status', () => {
  it('shows a folder that knows no deposit, and asks no server', async () => {
    await using folder = await newFolder()

    const stdout = await done(folder, 'status', '--quiet')
    const { stdout: told } = await at(folder, 'status')

    expect(stdout).toBe('')
    expect(told).toContain('Folder: ., 1 file (1 B)\nDeposit: none yet\n')
    expect(told).toContain('To consider: A record should have these fields: creators, ')
    expect(told).toContain('Next: run `deposit create .` to make a draft')
  })

  it('shows folder, deposit, differences, faults and the next step, also as JSON', async () => {
    await using folder = await newFolder()
    const id = await done(folder, 'create', '.')
    await writeFile(join(folder.path, 'b.csv'), '2')
    await writeFile(join(folder.path, 'metadata.yaml'), 'title: Tides\nlanguage: klingon!\n')

    const body: unknown = JSON.parse(await done(folder, 'status', '--json'))

    expect(body).toMatchObject({
      folder: '.',
      files: { count: 2, size: 2 },
      deposit: id,
      status: 'draft',
      record: null,
      changes: { added: [{ filename: 'b.csv', filesize: 1 }], metadata: [{ path: '/language' }] },
      errors: [{ field: '/language', file: 'metadata.yaml', line: 2 }],
      next: 'run `deposit check .` to see what it lacks',
    })
  })

  it('needs no next step once everything is published', async () => {
    await using folder = await newFolder()
    const record = await done(folder, 'create', '.', '--publish')

    expect(await done(folder, 'status')).toContain(`Record: ${record}\nChanges: none\n`)
    expect(JSON.parse(await done(folder, 'status', '--json', 'next'))).toEqual({ next: null })
  })

  it('exits with 3 if the deposit was deleted', async () => {
    await using folder = await newFolder()
    const id = await done(folder, 'create', '.')
    await done(folder, 'delete', id, '--yes')

    expectFailure(await at(folder, 'status'), 3, 'it was deleted (')
  })
})
