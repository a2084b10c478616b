import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  daemonUrl,
  daemonHome,
  deposit,
  expectFailure,
  newDraft,
  newPublished,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

interface ErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly status: number | null
    readonly errors: readonly object[]
    readonly request_id: string | null
    readonly next: string
  }
}

/** No deposit has this identifier. */
const nothing = '0'.repeat(32)

const errorOf = (stdout: string): ErrorBody['error'] => (JSON.parse(stdout) as ErrorBody).error

describe('a failure with --json', () => {
  it("has the server's error, and the advised command with the real id", async () => {
    const id = await newPublished()
    const { status, stdout, stderr } = await deposit(['update', id, '--set', 'title=x', '--json'])

    expect(status).toBe(5)
    expect(stderr).toContain('deposit: could not')
    expect(errorOf(stdout)).toMatchObject({ code: 'invalid_action', status: 403 })
    expect(errorOf(stdout).request_id).not.toBe('')
    expect(errorOf(stdout).next).toContain(id)
    expect(errorOf(stdout).next).not.toContain('ID')
  })

  it('has the same form for a fault of the command line', async () => {
    const { status, stdout } = await deposit(['update', '--json'])
    expect(status).toBe(2)
    expect(errorOf(stdout)).toMatchObject({ code: 'usage', status: null, request_id: null })
  })
})

describe('--json FIELDS', () => {
  it.for([['id,'], [',id'], ['id,,links'], ['id,', 'links']])(
    'is refused if a comma has no field beside it: %j',
    async (fields) => {
      const { status, stdout } = await deposit(['list', '--json', ...fields])
      expect(status).toBe(2)
      expect(errorOf(stdout).message).toMatch(/^a comma has no field beside it; .* Fields: id, /)
    },
  )

  it('is never used as the query', async () => {
    const { status, stdout } = await deposit(['list', '--json', 'title'])
    expect(status).toBe(2)
    expect(errorOf(stdout).message).toMatch(/title: no such field \(metadata\.title, perhaps\)/)
  })

  it('names the copy of a push, and not its metadata, for a field of that', async () => {
    const { status, stdout } = await deposit(['push', 'data', '--to', 'there', '--json', 'doi'])
    expect(status).toBe(2)
    expect(errorOf(stdout).message).toMatch(/doi: no such field \(remote\.doi, perhaps\)/)
    const other = await deposit(['push', 'data', '--to', 'there', '--json', 'loss'])
    expect(errorOf(other.stdout).message).toMatch(/loss: no such field\. Fields: .*\blost\b/)
  })

  it('leaves a required argument to the command', async () => {
    const id = await newDraft()
    const { stdout } = await deposit(['show', '--json', id])
    expect(JSON.parse(stdout)).toMatchObject({ id })
  })

  it('notes a field that the answer does not have, and prints null for it', async () => {
    const id = await newDraft()
    expect(await deposit(['show', id, '--json', 'id,links.nope'])).toEqual({
      status: 0,
      stdout: `${JSON.stringify({ id, 'links.nope': null }, null, 2)}\n`,
      stderr: 'warning: there is no links.nope in the answer; null is printed\n',
    })
  })

  it('prints the address of the record as in the help example', async () => {
    const id = await newDraft('--title', 'Tides')
    const { stdout } = await deposit(['publish', id, '--json', 'links.record_html'])
    expect((JSON.parse(stdout) as object)['links.record_html' as never]).toMatch(
      /\/records\/[\w-]+$/,
    )
  })
})

describe('--jq', () => {
  it('prints the results of an expression, texts without quotes', async () => {
    const id = await newDraft('--title', 'Über "Tides"')
    const show = (jq: string, ...more: readonly string[]) =>
      deposit(['show', id, '--jq', jq, ...more])

    expect(await show('.id, .metadata.title')).toMatchObject({
      status: 0,
      stdout: `${id}\nÜber "Tides"\n`,
    })
    expect((await show('[.metadata["title"], .revision] | @tsv')).stdout).toBe('Über "Tides"\t0\n')
    expect((await show('{n: 1} | .[]?', '--json', 'id')).stdout).toBe('1\n')
    expect((await show('keys', '--json', 'id,links.self')).stdout).toBe('["id","links.self"]\n')
    expect(await show('empty')).toMatchObject({ status: 0, stdout: '' })
    const created = await deposit(['create', '--title', 'x', '--jq', '.metadata.title'])
    expect(created.stdout).toBe('x\n')
    expect((await show('.would')).stdout).toBe('null\n')
    expect((await deposit(['delete', id, '-n', '--jq', '.would'])).stdout).toBe(`delete ${id}\n`)
  })

  it('is compiled before the command does anything', async () => {
    const id = await newDraft('--title', 'x')
    for (const jq of ['.metadata |', 'nosuch'])
      expectFailure(await deposit(['publish', id, '--jq', jq]), 2, 'could not use --jq')
    expect((await deposit(['show', id, '--jq', '.metadata._deposit.status'])).stdout).toBe(
      'draft\n',
    )
    expectFailure(
      await deposit(['show', id, '--jq', '.id.no']),
      1,
      'Cannot index string with string',
    )
    expectFailure(await deposit(['show', nothing, '--jq', '.id']), 3, 'deposit_not_found')
    expectFailure(await deposit(['completion', 'bash', '--jq', '.']), 2, 'prints no JSON')
  })
})

it.for([
  ['--jq', '.metadata.title'],
  ['--template', '{{.metadata.title}}'],
] as const)('%s cannot steer a terminal', async ([option, value]) => {
  const id = await newDraft('--title', 'a\u009B31mb')
  const args = ['show', id, option, value] as const
  expect((await deposit(args)).stdout).toBe('a\u009B31mb\n')
  expect((await deposit(args, { terminal: 80 })).stdout).toBe('a 31mb\n')
})

describe('--template', () => {
  it('prints a line for each result', async () => {
    const ids = [await newDraft('--title', 'one'), await newDraft()]
    const template = '{{.id}}\\t{{ .metadata.title }} {{.revision}}'
    const { status, stdout } = await deposit(['show', ...ids, '--template', template])
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `${ids[0]}\tone 0\n${ids[1]}\t 0\n`,
    })
    const listed = await deposit(['list', '--all', '--template', '{{.id}}'])
    expect(listed.stdout.split('\n')).toEqual(expect.arrayContaining(ids))
  })

  it('names a field or a part that is not known', async () => {
    const list = (template: string) => deposit(['list', '--template', template])
    expectFailure(await list('{{.titel}}'), 2, 'titel: no such field')
    for (const part of ['{{range .}}', '{{', '\\x', '{{.id | upper}}'])
      expectFailure(await list(`a ${part}`), 2, `${part} is not known: a template has {{.FIELD}}`)
    expectFailure(await deposit(['list', '--template', 'x', '--jq', '.']), 2, 'without --jq')
  })
})

describe('several deposits', () => {
  it('are shown, published and deleted by one command each', async () => {
    const ids = [await newDraft('--title', 'one'), await newDraft('--title', 'two')]
    const shown = await deposit(['show', ...ids, '--json', 'metadata.title'])
    expect(JSON.parse(shown.stdout)).toEqual([
      { 'metadata.title': 'one' },
      { 'metadata.title': 'two' },
    ])
    const rehearsed = await deposit(['publish', ...ids, '--dry-run'])
    expect(rehearsed.stderr).toContain(`Would publish ${ids[0]} and publish ${ids[1]}`)

    const published = await deposit(['publish', ...ids])
    expect(published.stdout.trim().split('\n')).toHaveLength(2)

    const more = [await newDraft(), await newDraft()]
    expect(await deposit(['delete', ...more, '--yes', '--quiet'])).toMatchObject({
      status: 0,
      stdout: `${more.join('\n')}\n`,
    })
  })

  it('are processed except for failed ones, which are reported, with exit status 7', async () => {
    const [first, second, third] = [await newDraft(), await newPublished(), await newDraft()]
    const rehearsed = await deposit(['delete', first, second, third, '--dry-run'])
    expect(rehearsed.status).toBe(7)
    expect(rehearsed.stderr).toContain(`Would delete ${first} and delete ${third}`)
    const outcome = await deposit(['delete', first, second, third, '--yes', '--json'])
    expect(outcome.status).toBe(7)
    expect(outcome.stderr).toContain(
      `could not delete ${second}\n  A published deposit cannot be deleted`,
    )
    expect(JSON.parse(outcome.stdout)).toMatchObject([
      { id: first },
      { id: second, error: { status: 403, code: 'invalid_action' } },
      { id: third },
    ])
    for (const id of [first, third]) expect((await deposit(['show', id])).status).toBe(3)
    const shown = await deposit(['show', first, second, '--quiet'])
    expect(shown).toMatchObject({ status: 7, stdout: `${second}\n` })
  })

  it('end early if every other one would fail, and list finished and skipped ones', async () => {
    const ids = [await newDraft(), await newDraft()]
    const environment = { DEPOSIT_URL: daemonUrl(), DEPOSIT_TOKEN: 'wrong' }
    const outcome = await runCli(['publish', ...ids], { environment })
    expectFailure(outcome, 4, `not reached: ${ids[1]}`)
  })
})

describe('deposit list', () => {
  it('accepts only known statuses, and names unknown fields of a query without results', async () => {
    expectFailure(await deposit(['list', '--status', 'foo']), 2, 'draft, published')
    const { stderr } = await deposit(['list', 'titel:nowhere AND status:draft'])
    expect(stderr).toBe(
      'Showing 0 of 0 deposits\nwarning: "titel" is not a field of the schema; did you mean "title"?\n',
    )
    expect((await deposit(['list', '"a:b" https://example.org/nowhere'])).stderr).toBe(
      'Showing 0 of 0 deposits\n',
    )
  })

  it('lists all pages, or as many as --limit says', async () => {
    for (let made = 0; made < 12; made += 1) await newDraft('--title', 'Paged')
    const list = (...args: readonly string[]) => deposit(['list', 'paged', '--quiet', ...args])
    const lines = async (...args: readonly string[]): Promise<number> =>
      (await list(...args)).stdout.trim().split('\n').length

    expect(await lines()).toBe(10)
    expect(await lines('--all')).toBe(12)
    expect(await lines('--limit', '11')).toBe(11)
    const all = (await list('--all')).stdout.trim().split('\n')
    expect(new Set(all).size).toBe(12)
    expectFailure(await list('--all', '--page', '2'), 2, '--page names one page')
    expectFailure(await list('--limit', '0'), 2, '--limit')
  })
})

describe('deposit download', () => {
  it('writes one file to standard output, and makes no folder', async () => {
    await using folder = await temporaryFolder({ 'data/a.txt': 'alpha\n', 'data/b.txt': 'beta' })
    const id = await newDraft(folder.path)
    await using target = await temporaryFolder()
    const options = { environment: { DEPOSIT_HOME: daemonHome() }, folder: target.path }

    const one = await runCli(['download', id, 'data/a.txt', '-o', '-'], options)
    expect(one).toMatchObject({ status: 0, stdout: 'alpha\n' })
    expectFailure(await runCli(['download', id, '-o', '-'], options), 2, 'it takes one file')
    expectFailure(await runCli(['download', id, '-o', '/dev/stdout'], options), 2, 'not a folder')
    expect(await readdir(target.path)).toEqual([])
  })

  it('accepts folders and patterns, and names the folder by the whole identifier', async () => {
    await using folder = await temporaryFolder({
      'data/a.csv': 'a',
      'data/b.txt': 'b',
      'other.csv': 'c',
    })
    const id = await newDraft(folder.path)
    await using target = await temporaryFolder()
    const options = { environment: { DEPOSIT_HOME: daemonHome() }, folder: target.path }
    const download = (...args: readonly string[]) =>
      runCli(['download', id.slice(0, 8), ...args], options)

    expect((await download('data/*.csv')).status).toBe(0)
    expect(await readdir(target.path)).toEqual([id])
    expect(await readdir(join(target.path, id), { recursive: true })).toEqual([
      'data',
      'data/a.csv',
    ])
    expect((await download('data')).stderr).toContain('Downloaded 1 file')
    expect(await readFile(join(target.path, id, 'data/b.txt'), 'utf8')).toBe('b')
    expect((await download('data/')).stderr).toContain('All 2 files are in')
    expectFailure(await download('*.pdf'), 3, 'no such file')
  })
})

describe('DEPOSIT_TOKEN', () => {
  it('is read without a trailing line break', async () => {
    const { stdout } = await deposit(['token', 'create', '--scope', 'openid'])
    const environment = { DEPOSIT_HOME: daemonHome(), DEPOSIT_TOKEN: `${stdout.trim()}\n` }
    expect((await runCli(['whoami'], { environment })).status).toBe(0)
  })

  it('is named if it is invalid or refused', async () => {
    const environment = { DEPOSIT_HOME: daemonHome(), DEPOSIT_TOKEN: 'two words' }
    expectFailure(await runCli(['list'], { environment }), 2, 'use DEPOSIT_TOKEN')
    const wrong = { ...environment, DEPOSIT_TOKEN: 'dep_pt_wrong' }
    expectFailure(await runCli(['list'], { environment: wrong }), 4, 'unset DEPOSIT_TOKEN and run')
  })
})

describe('a dry run', () => {
  it('of update lists each change', async () => {
    const id = await newDraft('--title', 'old')
    const { stdout } = await deposit(['update', id, '--set', 'title=new', '--dry-run'])
    expect(stdout).toBe('replace /title "new"\n')
    const clearing = await deposit(['clear', id, '--dry-run'])
    expect(clearing.stderr).toContain(`Would clear ${id}`)
  })
})

it('an unknown command gets the name of the command that does the same', async () => {
  expectFailure(await deposit(['view', 'x']), 2, '`deposit show ID`')
  expectFailure(await deposit(['undelete', 'x']), 2, 'depositd undelete')
})

it('open --record refuses a draft, and advises to publish it', async () => {
  const id = await newDraft()
  expectFailure(await deposit(['open', id, '--record']), 5, `deposit check ${id}`)
})
