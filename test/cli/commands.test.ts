import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

let daemon: DaemonProcess
let folder: TemporaryFolder

const metadata = 'title: Water levels\nkeywords: [tide]\n'

beforeAll(async () => {
  daemon = await startDaemon()
  folder = await temporaryFolder({
    'data/metadata.yaml': metadata,
    'data/README.md': '# Read me',
    'data/.hidden': 'no',
    'data/b/empty.csv': '',
    'data/b/a.csv': '1,2',
    'extra.txt': 'extra',
  })
})

afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** Runs a command at the daemon of this file, as its owner. */
function deposit(args: readonly string[], stdin = ''): Promise<Outcome> {
  const environment = { DEPOSIT_HOME: daemon.home }
  return runCli(args, { environment, folder: folder.path, stdin })
}

async function newDraft(...args: readonly string[]): Promise<string> {
  const { stdout } = await deposit(['create', '--quiet', ...args])
  return stdout.trim()
}

async function newPublished(): Promise<string> {
  return newDraft('data', '--publish')
}

async function read(id: string): Promise<unknown> {
  return JSON.parse((await deposit(['show', id, '--json'])).stdout)
}

async function namesOf(id: string): Promise<readonly unknown[]> {
  const { stdout } = await deposit(['files', id, '--json', 'filename'])
  const files: unknown = JSON.parse(stdout)
  return Array.isArray(files) ? files.map((file: { filename: string }) => file.filename) : []
}

/** A failure is three lines on standard error, and nothing on standard output. */
function expectFailure({ status, stdout, stderr }: Outcome, expected: number, words: string): void {
  expect({ status, stdout }).toEqual({ status: expected, stdout: '' })
  expect(stderr).toContain(words)
  expect(stderr.trimEnd().split('\n').slice(-3).join('\n')).toMatch(
    /^deposit: could not .+\n {2}.+\n {2}next: .+$/,
  )
}

describe('deposit create', () => {
  it("publishes a folder and prints the record's URL, alone", async () => {
    const { status, stdout, stderr } = await deposit(['create', 'data', '--publish'])

    expect(status).toBe(0)
    expect(stdout).toMatch(new RegExp(`^${daemon.url}/records/[^/\\s]+\\n$`))
    expect(stderr).toMatch(/Left out 1 hidden.*\.hidden\nCreated draft .+\nUploaded 3 files\n/)
    const record = await fetch(stdout.trim(), { headers: { accept: 'application/json' } })
    expect(await record.json()).toMatchObject({ metadata: { title: 'Water levels' } })
  })

  it('prints the id of a draft, its files in path order', async () => {
    const { stdout } = await deposit(['create', 'data'])

    expect(stdout).toMatch(/^\S+\n$/)
    expect(await namesOf(stdout.trim())).toEqual(['README.md', 'b/a.csv', 'b/empty.csv'])
  })

  it('makes an empty draft with a title, and takes metadata from standard input', async () => {
    const { stdout } = await deposit(['create', '--metadata', '-', '--json'], '{"notes":"n"}')
    const titled = await newDraft('--title', 'Tides')

    expect(JSON.parse(stdout)).toMatchObject({ metadata: { notes: 'n' } })
    expect(await read(titled)).toMatchObject({ metadata: { title: 'Tides' } })
  })

  it.for([
    [['create', 'none'], 'ENOENT'],
    [['create', 'extra.txt'], 'a folder is asked for'],
    [['create', 'a', 'b'], 'too many arguments'],
    [['create', '--metadata', 'none.yaml'], 'ENOENT'],
    [['create', '--metadata', 'data/README.md'], 'does not hold a document'],
  ] as const)('sends nothing when %j cannot be read', async ([args, words]) => {
    const before = await deposit(['list', '--json'])

    expectFailure(await deposit(args), 2, words)
    expect(await deposit(['list', '--json'])).toEqual(before)
  })

  it('names line and column of a fault in the metadata', async () => {
    expectFailure(await deposit(['create', '--metadata', '-'], 'a: [1\nb: 2'), 2, 'at line 2')
  })

  it('keeps the draft, and says how to go on, when it cannot be published', async () => {
    const schema = `${daemon.url}/schemas/deposits/dataset-v1.0.0.json`
    const outcome = await deposit(
      ['create', '--metadata', '-', '--publish'],
      JSON.stringify({ $schema: schema }),
    )

    expectFailure(outcome, 1, 'invalid_document')
    const [, id = ''] = /Created draft (\S+)/.exec(outcome.stderr) ?? []
    expect(outcome.stderr).toContain(`go on with \`deposit publish ${id}\``)
    expect((await deposit(['show', id, '--quiet'])).stdout).toBe(`${id}\n`)
  })
})

describe('deposit list', () => {
  it('prints a line a deposit, with tabs in a pipe and titles on a terminal', async () => {
    const id = await newDraft('data')
    const environment = { DEPOSIT_HOME: daemon.home }

    const piped = await deposit(['list'])
    const shown = await runCli(['list'], { environment, terminal: 80 })

    expect(piped.stdout).toContain(`${id}\tWater levels\tdraft\t3\t12 B\t`)
    expect(shown.stdout).toContain('TITLE')
    expect(shown.stdout.split('\n').every((line) => plainLength(line) <= 80)).toBe(true)
  })

  it('prints ids alone with --quiet', async () => {
    const { stdout, stderr } = await deposit(['list', '--quiet', '--size', '1'])

    expect(stdout).toMatch(/^\w+\n$/)
    expect(stderr).toBe('')
  })

  it('is refused by the server past the search window', async () => {
    expectFailure(await deposit(['list', '--page', '1000000']), 1, 'invalid_paging')
  })

  it('does not know other options', async () => {
    expectFailure(await deposit(['list', '--publish']), 2, "unknown option '--publish'")
  })
})

describe('deposit show', () => {
  it('prints a page with metadata and files', async () => {
    const id = await newDraft('data')
    const { stdout } = await deposit(['show', id])

    expect(stdout).toMatch(/^Water levels\n/)
    expect(stdout).toContain('keywords: ["tide"]')
    expect(stdout).toContain('b/a.csv\t3 B\t')
  })

  it('exits 3 for a deposit that is not there', async () => {
    expectFailure(
      await deposit(['show', 'none']),
      3,
      'PID does not exist. (deposit_not_found, request',
    )
  })

  it('needs an id', async () => {
    expectFailure(await deposit(['show']), 2, "missing required argument 'id'")
  })
})

describe('deposit update', () => {
  it('sets and removes fields', async () => {
    const id = await newDraft('data')
    const { stdout } = await deposit(['update', id, '--set', 'title=New', '--unset', 'keywords'])

    expect(stdout).toBe(`${id}\n`)
    const { metadata: document } = (await read(id)) as { metadata: Record<string, unknown> }
    expect(document).toMatchObject({ title: 'New' })
    expect(document).not.toHaveProperty('keywords')
  })

  it('replaces all with --metadata', async () => {
    const id = await newDraft('data')
    await deposit(['update', id, '--metadata', '-'], 'notes: only this')
    const { metadata: document } = (await read(id)) as { metadata: Record<string, unknown> }

    expect(document).toMatchObject({ notes: 'only this' })
    expect(document).not.toHaveProperty('title')
  })

  it('needs something to change', async () => {
    expectFailure(await deposit(['update', 'x']), 2, 'nothing to change')
  })

  it('exits 5 for a published deposit', async () => {
    expectFailure(
      await deposit(['update', await newPublished(), '--set', 'a=b']),
      5,
      'Invalid action',
    )
  })
})

describe('deposit patch', () => {
  it('applies a JSON Patch', async () => {
    const id = await newDraft('data')
    const patch = [{ op: 'replace', path: '/title', value: 'Patched' }]

    expect(await deposit(['patch', id, '-'], JSON.stringify(patch))).toMatchObject({ status: 0 })
    expect(await read(id)).toMatchObject({ metadata: { title: 'Patched' } })
  })

  it('is refused as a whole when an operation fails', async () => {
    const patch = JSON.stringify([{ op: 'remove', path: '/none' }])

    expectFailure(await deposit(['patch', await newDraft(), '-'], patch), 1, 'invalid_patch')
  })

  it('needs a file that can be read', async () => {
    expectFailure(await deposit(['patch', 'x', 'none.json']), 2, 'ENOENT')
  })
})

describe('deposit clear', () => {
  it('empties the metadata and keeps the files', async () => {
    const id = await newDraft('data')

    expect(await deposit(['clear', id])).toMatchObject({ status: 0, stdout: `${id}\n` })
    expect(await read(id)).not.toHaveProperty('metadata.title')
    expect(await namesOf(id)).toHaveLength(3)
  })

  it('needs an id, and a draft', async () => {
    expectFailure(await deposit(['clear']), 2, "missing required argument 'id'")
    expectFailure(await deposit(['clear', await newPublished()]), 5, 'Invalid action')
  })
})

describe('deposit delete', () => {
  it('deletes a draft; it is gone afterwards', async () => {
    const id = await newDraft('data')

    expect(await deposit(['delete', id])).toMatchObject({ status: 0, stdout: '' })
    expectFailure(await deposit(['show', id]), 3, 'deposit_deleted')
  })

  it('needs an id, and a deposit that was never published', async () => {
    expectFailure(await deposit(['delete']), 2, "missing required argument 'id'")
    expectFailure(await deposit(['delete', await newPublished()]), 5, 'Invalid action')
  })
})

describe('deposit upload', () => {
  it('puts files behind those that are there, and prints their names', async () => {
    const id = await newDraft('data')
    const { stdout, stderr } = await deposit(['upload', id, 'extra.txt'])

    expect(stdout).toBe('extra.txt\n')
    expect(stderr).toBe(`Uploaded 1 file to ${id}\n`)
    expect(await namesOf(id)).toEqual(['README.md', 'b/a.csv', 'b/empty.csv', 'extra.txt'])
  })

  it('sends nothing twice', async () => {
    const id = await newDraft('data')
    const { stdout, stderr } = await deposit(['upload', id, 'data', '--exclude', 'metadata.yaml'])

    expect(stdout).toBe('')
    expect(stderr).toContain('Uploaded 0 files')
    expect(stderr).toContain('3 files already there')
  })

  it('replaces another file of the same name only when told to', async () => {
    const id = await newDraft('data')
    const args = ['upload', id, 'extra.txt', '--name', 'README.md']

    expectFailure(await deposit(args), 5, 'README.md')
    expect(await deposit([...args, '--replace'])).toMatchObject({ status: 0 })
    expect(await namesOf(id)).toEqual(['README.md', 'b/a.csv', 'b/empty.csv'])
  })

  it('needs paths that can be read, and one file for --name', async () => {
    expectFailure(await deposit(['upload', 'x']), 2, "missing required argument 'path'")
    expectFailure(await deposit(['upload', 'x', 'none']), 2, 'ENOENT')
    expectFailure(await deposit(['upload', 'x', 'data', '--name', 'y']), 2, 'single file')
  })

  it('exits 5 where the files are frozen', async () => {
    expectFailure(await deposit(['upload', await newPublished(), 'extra.txt']), 5, 'extra.txt')
  })
})

describe('deposit files', () => {
  it('prints name, size and digest', async () => {
    const { stdout } = await deposit(['files', await newDraft('data')])

    expect(stdout).toMatch(/^README\.md\t9 B\t[0-9a-f]{64}\nb\/a\.csv\t3 B\t/)
  })

  it('needs an id of a deposit that is there', async () => {
    expectFailure(await deposit(['files']), 2, "missing required argument 'id'")
    expectFailure(await deposit(['files', 'none']), 3, 'deposit_not_found')
  })
})

describe('deposit download', () => {
  it('brings back what was uploaded, byte for byte', async () => {
    await using target = await temporaryFolder()
    const id = await newDraft('data')
    const { status, stdout } = await deposit(['download', id, '--output', target.path])

    expect(status).toBe(0)
    expect(stdout.trim().split('\n')).toEqual(
      ['README.md', 'b/a.csv', 'b/empty.csv'].map((name) => join(target.path, name)),
    )
    expect(await readFile(join(target.path, 'b/a.csv'), 'utf8')).toBe('1,2')
    expect(await readFile(join(target.path, 'b/empty.csv'), 'utf8')).toBe('')
    expect(await readdir(target.path)).toEqual(['README.md', 'b'])
  })

  it('fetches the files named', async () => {
    await using target = await temporaryFolder()
    await deposit(['download', await newDraft('data'), 'README.md', '--output', target.path])

    expect(await readdir(target.path)).toEqual(['README.md'])
  })

  it('exits 3 for a file that is not there, and writes nothing', async () => {
    await using target = await temporaryFolder()
    const id = await newDraft('data')

    expectFailure(await deposit(['download', id, 'none', '-o', target.path]), 3, 'no such file')
    expect(await readdir(target.path)).toEqual([])
  })

  it('needs an id', async () => {
    expectFailure(await deposit(['download']), 2, "missing required argument 'id'")
  })
})

describe('deposit sort', () => {
  it('brings the files named to the front', async () => {
    const id = await newDraft('data')
    await deposit(['sort', id, 'b/empty.csv'])

    expect(await namesOf(id)).toEqual(['b/empty.csv', 'README.md', 'b/a.csv'])
    await deposit(['sort', id, '--by', 'name'])
    expect(await namesOf(id)).toEqual(['README.md', 'b/a.csv', 'b/empty.csv'])
  })

  it('needs an order', async () => {
    expectFailure(await deposit(['sort', 'x']), 2, 'no order was given')
    expectFailure(await deposit(['sort', 'x', '--by', 'size']), 2, 'no order by "size"')
  })

  it('exits 5 for a published deposit', async () => {
    expectFailure(
      await deposit(['sort', await newPublished(), '--by', 'name']),
      5,
      'Invalid action',
    )
  })
})

describe('deposit rename', () => {
  it('gives a file another name', async () => {
    const id = await newDraft('data')

    expect(await deposit(['rename', id, 'README.md', 'doc/READ.md'])).toMatchObject({
      status: 0,
      stdout: 'doc/READ.md\n',
    })
    expect(await namesOf(id)).toContain('doc/READ.md')
  })

  it('needs two names, and a file of the first', async () => {
    const id = await newDraft('data')

    expectFailure(await deposit(['rename', id, 'a']), 2, "missing required argument 'new-key'")
    expectFailure(await deposit(['rename', id, 'none', 'b']), 3, 'file_not_found')
    expectFailure(await deposit(['rename', id, 'README.md', 'b/a.csv']), 5, 'file_already_exists')
  })
})

describe('deposit rm', () => {
  it('deletes files', async () => {
    const id = await newDraft('data')

    expect(await deposit(['rm', id, 'README.md', 'b/a.csv'])).toMatchObject({
      status: 0,
      stdout: '',
    })
    expect(await namesOf(id)).toEqual(['b/empty.csv'])
  })

  it('deletes none when one of the names is wrong', async () => {
    const id = await newDraft('data')

    expectFailure(await deposit(['rm', id, 'README.md', 'none']), 3, 'no such file')
    expectFailure(await deposit(['rm', id]), 2, "missing required argument 'key'")
    expect(await namesOf(id)).toHaveLength(3)
  })
})

describe('deposit publish, edit, discard and action', () => {
  it('go round the states', async () => {
    const id = await newPublished()

    expect(await deposit(['edit', id])).toMatchObject({ status: 0, stdout: `${id}\n` })
    await deposit(['update', id, '--set', 'title=Changed'])
    expect(await deposit(['discard', id])).toMatchObject({ status: 0, stdout: `${id}\n` })
    expect(await read(id)).toMatchObject({ metadata: { title: 'Water levels' } })
    expect(await deposit(['action', id, 'edit'])).toMatchObject({ status: 0 })
    const { stdout } = await deposit(['publish', id])
    expect(stdout).toMatch(/^http\S+\/records\/\S+\n$/)
  })

  it.for(['publish', 'discard'])('%s exits 5 for a published deposit', async (command) => {
    expectFailure(await deposit([command, await newPublished()]), 5, 'Invalid action')
  })

  it('edit exits 5 for a draft', async () => {
    expectFailure(await deposit(['edit', await newDraft()]), 5, 'Invalid action')
  })

  it('action exits 3 for one that the server does not have', async () => {
    expectFailure(await deposit(['action', await newDraft(), 'dance']), 3, 'not_found')
  })

  it.for(['publish', 'edit', 'discard', 'action'])('%s needs an id', async (command) => {
    expectFailure(await deposit([command]), 2, "missing required argument 'id'")
  })
})

describe('deposit open', () => {
  it('prints the address where nobody watches', async () => {
    const id = await newDraft()

    expect(await deposit(['open', id])).toEqual({
      status: 0,
      stdout: `${daemon.url}/deposit/${id}\n`,
      stderr: '',
    })
  })

  it('needs an id of a deposit that is there', async () => {
    expectFailure(await deposit(['open']), 2, "missing required argument 'id'")
    expectFailure(await deposit(['open', 'none']), 3, 'deposit_not_found')
  })
})

function plainLength(line: string): number {
  return [...line].length
}
