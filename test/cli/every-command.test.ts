import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createContext } from '../../cli/session/context.ts'
import { readDaemonFile } from '../../cli/local-daemon/find.ts'
import { exitPage } from '../../man/overview.ts'
import { outline } from '../../cli/program/outline.ts'
import { jsonFields } from '../../cli/program/json-option.ts'
import {
  daemonHome,
  deposit,
  expectFailure,
  useDaemon,
  workFolder,
} from '../support/cli-at-daemon.ts'
import { credentialsFile } from '../support/house.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { nobody, type CommandCase } from './command-case.ts'
import { commandCases } from './command-cases.ts'

// So that there is something to reserve.
useDaemon({ DEPOSIT_PID_MINTER: 'ark', DEPOSIT_REVIEW: 'optional' })

let ownHome: TemporaryFolder
beforeAll(async () => {
  ownHome = await temporaryFolder()
  const $schema = 'https://example.org/schemas/deposits/none-v1.0.0.json'
  await writeFile(join(workFolder(), 'unknown.yaml'), `$schema: ${$schema}\n`)
  const patch = [{ op: 'replace', path: '/title', value: 'y' }]
  await writeFile(join(workFolder(), 'patch.json'), JSON.stringify(patch))
})
afterAll(async () => {
  await atOwnHome('daemon', 'stop')
  await ownHome[Symbol.asyncDispose]()
})

/** The commands without subcommands, by their full names, such as `token create`. */
const commands = new Map((await Promise.all(outline.map(leavesOf))).flat())

async function leavesOf({ name, load }: (typeof outline)[number]): Promise<[string, Command][]> {
  const sink = process.stderr
  const context = createContext({
    environment: {},
    stdin: process.stdin,
    stdout: sink,
    stderr: sink,
    folder: '.',
    signal: new AbortController().signal,
  })
  const command = (await load())(context)
  if (command.commands.length === 0) return [[name, command]]
  return command.commands.map((sub) => [`${name} ${sub.name()}`, sub])
}

function caseOf(name: string): CommandCase {
  const found = commandCases[name]
  if (found === undefined) throw new Error(`deposit ${name} has no case in command-cases.ts`)
  return found
}

/** Makes the arguments with which the command then succeeds. */
async function prepare(name: string): Promise<readonly string[]> {
  const { works, ownHome: state } = caseOf(name)
  if (state !== undefined) await atOwnHome('daemon', state === 'running' ? 'start' : 'stop')
  return works()
}

/** Runs a command as the owner of the daemon, or in its own home. */
function run(name: string, args: readonly string[]): Promise<Outcome> {
  const line = [...name.split(' '), ...args]
  const { ownHome: state, stdin = '' } = caseOf(name)
  return state === undefined ? deposit(line, { stdin }) : atOwnHome(...line)
}

function atOwnHome(...line: readonly string[]): Promise<Outcome> {
  return runCli(line, { environment: { DEPOSIT_HOME: ownHome.path }, folder: workFolder() })
}

/** Everything that a command may change: deposits with their revisions, tokens, and sign-ins. */
async function world(): Promise<readonly unknown[]> {
  const [list, tokens] = [
    ['list', '--size', '1000'],
    ['token', 'list'],
  ]
  const answers = [await deposit([...list, '--json']), await deposit([...tokens, '--json'])]
  // Includes the daemon in the command's own home, and the stored sign-in.
  const daemon = await readDaemonFile(ownHome.path)
  return [...answers, daemon, await readFile(credentialsFile, 'utf8')]
}

/** Commands that change nothing. All others have a dry run. */
const readOnly = [
  'list',
  'show',
  'history',
  'files',
  'cat',
  'diff',
  'verify',
  'status',
  'export',
  'cite',
  'check',
  'open',
  'reviews',
  'whoami',
  'remote list',
  'remote check',
  'token list',
  'people',
  'link list',
  'daemon status',
  'daemon logs',
  'doctor',
  'completion',
]

const changing = [...commands.keys()].filter((name) => !readOnly.includes(name))

it('--dry-run exists for exactly the commands that change something', () => {
  const rehearsed = [...commands].flatMap(([name, { options }]) =>
    options.some(({ long }) => long === '--dry-run') ? [name] : [],
  )

  expect(rehearsed).toEqual(changing)
})

it('each command has a case, and each case a command', () => {
  expect(Object.keys(commandCases).toSorted()).toEqual([...commands.keys()].toSorted())
})

describe.for([...commands.keys()])('deposit %s', (name) => {
  it('succeeds, with --quiet without notes', async () => {
    expect(await run(name, [...(await prepare(name)), '--quiet'])).toMatchObject({
      status: 0,
      stderr: '',
    })
  })

  it('prints only JSON, or fields of it, on standard output', async () => {
    const { status, stdout } = await run(name, [...(await prepare(name)), '--json'])

    expect(status).toBe(0)
    if (caseOf(name).hasOwnFormat) return
    const body: unknown = JSON.parse(stdout)
    expect(jsonFields[name]).toEqual(expect.arrayContaining([...fieldsOf(body)]))
  })

  it('exits with 2 for an invalid command line', async () => {
    const outcome = await run(name, caseOf(name).misused)

    expectFailure(outcome, 2, 'next:')
  })

  it('exits with 2 if --json names an unknown field', async ({ skip }) => {
    if (jsonFields[name]?.length === 0) return skip('it prints no JSON')
    const args = [...(await prepare(name)), '--json', 'nosuch']
    const { status, stdout, stderr } = await run(name, args)
    expect(status).toBe(2)
    expect(stderr).toContain(jsonFields[name]?.join(', '))
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage' } })
  })

  it('exits with 2 for an empty argument, and names it', async ({ skip }) => {
    const { registeredArguments: places = [] } = commands.get(name) ?? {}
    if (places.length === 0) return skip('it takes no arguments')
    for (const at of places.keys()) {
      const args = places.map((_, place) => (place === at ? '' : nobody))
      expectFailure(await run(name, args), 2, 'is empty')
    }
  })

  it('reports a refusal in the words of the server', async ({ skip }) => {
    const { refused } = caseOf(name)
    if (typeof refused === 'string') return skip(refused)
    const line = [...name.split(' '), ...(await refused.args())]
    const token = refused.token === undefined ? {} : { DEPOSIT_TOKEN: refused.token }
    const environment = { DEPOSIT_HOME: daemonHome(), ...token }
    const stdin = refused.stdin ?? ''

    const options = { environment, folder: workFolder(), stdin }
    const outcome = await runCli(line, options)

    expectFailure(outcome, refused.status, ', request ')
    if (caseOf(name).hasOwnFormat || line.includes('--')) return
    const { status, stdout } = await runCli([...line, '--json'], options)
    expect(status).toBe(refused.status)
    const { error } = JSON.parse(stdout) as { readonly error: { readonly code: string } }
    expect(exitPage()).toContain(`\n\\fB${error.code}\\fP\n`)
    expect(Object.keys(error).toSorted()).toEqual(
      expect.arrayContaining(['code', 'errors', 'message', 'next', 'request_id', 'status']),
    )
  })
})

describe.for(changing)('deposit %s --dry-run', (name) => {
  it('reports what would be done, also as JSON, and changes nothing', async () => {
    const args = await prepare(name)
    const before = await world()

    const { status, stdout, stderr } = await run(name, [...args, '--dry-run', '--json'])

    expect(status).toBe(0)
    expect(stderr).toContain('Would ')
    expect(JSON.parse(stdout)).toEqual(expect.any(Object))
    expect(await world()).toEqual(before)
  })
})

/** Names of the fields of an object, or of the items of a list or a page of results. */
function fieldsOf(body: unknown): readonly string[] {
  if (Array.isArray(body)) return [...new Set(body.flatMap(fieldsOf))]
  if (isPage(body)) return fieldsOf(body.hits.hits)
  return typeof body === 'object' && body !== null ? Object.keys(body) : []
}

function isPage(body: unknown): body is { readonly hits: { readonly hits: unknown } } {
  return typeof body === 'object' && body !== null && 'hits' in body
}
