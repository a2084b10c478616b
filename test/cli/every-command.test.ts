import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createContext } from '../../cli/context.ts'
import { outline } from '../../cli/outline.ts'
import { settleJsonOption } from '../../cli/output/json-option.ts'
import {
  daemonHome,
  deposit,
  expectFailure,
  useDaemon,
  workFolder,
} from '../support/cli-at-daemon.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { commandCases, type CommandCase } from './command-cases.ts'

useDaemon()

let ownHome: TemporaryFolder
beforeAll(async () => {
  ownHome = await temporaryFolder()
  await writeFile(join(workFolder(), 'wrong.yaml'), 'title: [1]\n')
  const patch = [{ op: 'replace', path: '/title', value: 'y' }]
  await writeFile(join(workFolder(), 'patch.json'), JSON.stringify(patch))
})
afterAll(async () => {
  await runCli(['daemon', 'stop'], { environment: { DEPOSIT_HOME: ownHome.path } })
  await ownHome[Symbol.asyncDispose]()
})

/** The commands that do something, by their whole names: `token create`. */
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

/** Runs a command as the owner of the daemon, or of a home of its own. */
function run(name: string, args: readonly string[]): Promise<Outcome> {
  const line = [...name.split(' '), ...args]
  return caseOf(name).ownHome
    ? runCli(line, { environment: { DEPOSIT_HOME: ownHome.path }, folder: workFolder() })
    : deposit(line)
}

/** Deposits with their revisions, and tokens: what a command may change at the server. */
async function world(): Promise<readonly Outcome[]> {
  const [list, tokens] = [
    ['list', '--size', '1000'],
    ['token', 'list'],
  ]
  return [await deposit([...list, '--json']), await deposit([...tokens, '--json'])]
}

const changing = [...commands].flatMap(([name, { options }]) =>
  options.some(({ long }) => long === '--dry-run') ? [name] : [],
)

it('each command has a case, and each case a command', () => {
  expect(Object.keys(commandCases).toSorted()).toEqual([...commands.keys()].toSorted())
})

describe.for([...commands.keys()])('deposit %s', (name) => {
  it('succeeds; with --quiet nothing is told', async () => {
    const { works } = caseOf(name)

    expect(await run(name, [...(await works()), '--quiet'])).toMatchObject({
      status: 0,
      stderr: '',
    })
  })

  it('prints JSON and nothing else on standard output, or fields of it', async () => {
    const { works, hasOwnFormat } = caseOf(name)
    const { status, stdout } = await run(name, [...(await works()), '--json'])

    expect(status).toBe(0)
    if (hasOwnFormat) return
    const body: unknown = JSON.parse(stdout)
    for (const field of fieldsOf(body))
      expect(settleJsonOption([name, '--json', field])).toEqual([name, `--json=${field}`])
  })

  it('ends with 2 where the command line cannot be understood', async () => {
    const outcome = await run(name, caseOf(name).misused)

    expectFailure(outcome, 2, 'next:')
  })

  it('tells what the server said where it refuses', async ({ skip }) => {
    const { refused } = caseOf(name)
    if (typeof refused === 'string') return skip(refused)
    const line = [...name.split(' '), ...(await refused.args())]
    const token = refused.token === undefined ? {} : { DEPOSIT_TOKEN: refused.token }
    const environment = { DEPOSIT_HOME: daemonHome(), ...token }
    const stdin = refused.stdin ?? ''

    const outcome = await runCli(line, { environment, folder: workFolder(), stdin })

    expectFailure(outcome, refused.status, ', request ')
  })
})

describe.for(changing)('deposit %s --dry-run', (name) => {
  it('tells what would be done, and changes nothing at the server', async () => {
    const args = await caseOf(name).works()
    const before = await world()

    const { status, stderr } = await run(name, [...args, '--dry-run'])

    expect(status).toBe(0)
    expect(stderr).toContain('Would ')
    expect(await world()).toEqual(before)
  })
})

/** Names at the top of an object, or of the items of a list. */
function fieldsOf(body: unknown): readonly string[] {
  if (Array.isArray(body)) return [...new Set(body.flatMap(fieldsOf))]
  return typeof body === 'object' && body !== null ? Object.keys(body) : []
}
