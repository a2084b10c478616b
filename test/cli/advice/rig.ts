import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect } from 'vitest'
import type { advice, Advice } from '../../../cli/advice.ts'
import { readVersion } from '../../../cli/version.ts'
import type { ProblemCode } from '../../../core/contract/problems.ts'
import { problems } from '../../../core/contract/problems.ts'
import type { DepositBody } from '../../../core/contract/schemas.ts'
import { startDeposit, type Ended } from '../../support/deposit-process.ts'
import { commandsRun, runCli, type Outcome } from '../../support/run-cli.ts'
import { approveAsOwner } from '../../support/sign-in.ts'
import { answerJson, strangeServer, type StrangeServer } from '../../support/strange-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../../support/test-daemon.ts'
import type { User } from '../../support/user.ts'

export type Rows<Name extends keyof typeof advice = keyof typeof advice> = Readonly<
  Record<Name, () => Promise<unknown>>
>

/** Most deposits in a list at the endpoint `lab`: fewer than the command line requests. */
export const mostListed = 40

/** One daemon for all rows; it is the local daemon if `DEPOSIT_HOME` is its home. */
export const daemon = await testDaemon({
  env: {
    DEPOSIT_REVIEW: 'optional',
    DEPOSIT_MAX_FILE_SIZE: '100',
    DEPOSIT_REST_ENDPOINTS: JSON.stringify({
      lab: { item_route: '/labs/item/{pid_value}', max_result_window: mostListed },
    }),
  },
})
export const ada: User = daemon.as('ada')

const folder = await temporaryFolder({
  'a.csv': '1',
  'b.csv': '2',
  'large.csv': 'x'.repeat(200),
  'half.csv': 'y'.repeat(51),
  'whole.yaml':
    'title: x\ncreators: [{name: Ada}]\npublication_date: "2026"\nresource_type: dataset\n' +
    `license: CC0-1.0\nkeywords: [tide]\nreferences: [Tides]\ndescription: ${'y'.repeat(50)}\n`,
  'patch.json': '[{"op":"remove","path":"/nothing"}]',
  'schema.yaml': '$schema: none.json\n',
  'no-schema.yaml': 'title: x\n',
  'data/metadata.yaml': 'title: Tides\n',
  'data/a.csv': '1',
  'odd/a.csv': '1',
  'draft-data/metadata.yaml': 'title: Tides\n',
  'draft-data/large.csv': 'x'.repeat(200),
})

const { origin: url, home } = daemon
const started = new Date().toISOString()
const running = { pid: process.pid, url, version: readVersion(), started }
await writeFile(join(home, 'daemon.json'), JSON.stringify(running))

afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** A path in the folder where the commands run. */
export function pathTo(name: string): string {
  return join(folder.path, name)
}

/** Writes a file into the folder where the commands run. */
export function write(name: string, text: string | Uint8Array): Promise<void> {
  return writeFile(pathTo(name), text)
}

/** The user, environment and input of a command. */
export interface Asked {
  readonly as?: User
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly stdin?: string
  /** Questions are asked; the lines of `stdin` answer them. */
  readonly isTyped?: true
  /** Where it runs, below the folder of all commands. */
  readonly within?: string
}

/** The local daemon, with an automatic sign-in. */
export const atHome = (): Asked => ({
  environment: { DEPOSIT_HOME: daemon.home, DEPOSIT_URL: undefined, DEPOSIT_TOKEN: undefined },
})

/** The same with a token. */
export const atHomeWith = (token: string): Asked => ({
  environment: { ...atHome().environment, DEPOSIT_TOKEN: token },
})

/** Another server, or none. */
export const at = (url: string): Asked => ({
  environment: { DEPOSIT_URL: url, DEPOSIT_TOKEN: 't' },
})

/** Runs a command as written in a hint, with `deposit` at its start. */
export async function run(
  command: string,
  { as = ada, environment = {}, stdin = '', isTyped, within = '.' }: Asked = {},
): Promise<Outcome> {
  const { authorization = '' } = await as.authorization()
  const own = { DEPOSIT_URL: daemon.origin, DEPOSIT_TOKEN: authorization.replace('Bearer ', '') }
  return runCli(wordsOf(command), {
    environment: { ...own, ...(isTyped && { NO_COLOR: '1' }), ...environment },
    folder: pathTo(within),
    stdin,
    ...(isTyped && { isTyped, terminal: 100 }),
  })
}

function wordsOf(command: string): readonly string[] {
  const words = command.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? []
  const inner = (_: string, single?: string, double?: string): string => single ?? double ?? ''
  return words.slice(1).map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, inner))
}

/** The same in its own process, with `variables` in addition to those of {@link run}. */
export async function runApart(
  command: string,
  variables: Readonly<Record<string, string>> = {},
  wrap: readonly string[] = [],
): Promise<Ended> {
  const { authorization = '' } = await ada.authorization()
  const own = { DEPOSIT_URL: daemon.origin, DEPOSIT_TOKEN: authorization.replace('Bearer ', '') }
  const started = { folder: folder.path, wrap }
  commandsRun.push(wordsOf(command))
  using child = startDeposit(wordsOf(command), { ...own, ...variables }, started)
  return await child.ended
}

/** The same without the right of root to read every file. */
export function runUnprivileged(command: string): Promise<Ended> {
  const wrap = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []
  return runApart(command, {}, wrap)
}

/** `deposit login` of a user who is not the owner of the machine, approved by the owner. */
export async function logsIn(
  environment: Readonly<Record<string, string>>,
  place: Pick<TestDaemon, 'origin' | 'home'> = daemon,
): Promise<void> {
  commandsRun.push(['login'])
  using login = startDeposit(['login'], environment)
  const [, code = ''] = await login.told(/code (\S+)/)
  expect((await approveAsOwner(place, code)).status).toBe(200)
  expect(await login.ended).toMatchObject({ status: 0 })
}

/** Writes the table of a batch; returns the command that runs it. */
export async function batch(name: string, text: string): Promise<string> {
  await write(name, text)
  return `deposit batch ${name}`
}

/** The commands of a hint, with `values` in place of their names in capitals. */
export function commandsIn(
  hint: Advice,
  values: Readonly<Record<string, string>> = {},
): readonly string[] {
  return [...hint.matchAll(/`([^`]+)`/g)]
    .map(([, command = '']) => command)
    .map((command) => command.replaceAll(/\b[A-Z]{2,}\b/g, (name) => values[name] ?? name))
}

/** Runs a command that succeeds; returns its output. */
export async function follow(command: string | undefined, asked: Asked = {}): Promise<string> {
  const { status, stdout, stderr } = await run(command ?? '', asked)
  expect({ command, status, stderr: status === 0 ? '' : stderr }).toEqual({
    command,
    status: 0,
    stderr: '',
  })
  return stdout
}

/** Runs a command of the system that succeeds; returns its output. */
export function followInShell(command: string | undefined): string {
  return execFileSync('/bin/sh', ['-c', command ?? 'false'], { cwd: folder.path, encoding: 'utf8' })
}

/** The command fails with exactly this hint after `next:`. */
export async function refuse(command: string, hint: Advice, asked: Asked = {}): Promise<string> {
  const { status, stderr } = await run(command, asked)
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(`  next: ${hint}`)
  expect(status).not.toBe(0)
  return stderr
}

/** The command `wrong` is refused with this hint, and `right` succeeds. */
export async function correct(wrong: string, hint: Advice, right: string): Promise<void> {
  await refuse(wrong, hint)
  await follow(right)
}

/** A deposit in the answer of an imitated server. */
export const shown = {
  id: 'abc',
  metadata: { _deposit: { status: 'draft' } },
  links: { self: '/' },
  revision: 0,
}

/** A proxy that changes the digests in the answers of a daemon, and drops their headers. */
export function changingProxy(origin: () => string): Promise<StrangeServer> {
  return proxyOf(origin, { answer: (text) => text.replaceAll(/sha256:\w/g, 'sha256:-') })
}

interface ProxyOptions {
  /** Runs before each request. */
  readonly before?: () => Promise<void>
  /** The answer that is sent in place of the daemon's. */
  readonly answer?: (text: string) => string
}

/** A proxy before a daemon, which drops the headers of its answers. */
export function proxyOf(
  origin: () => string,
  { before, answer: change = (text) => text }: ProxyOptions,
): Promise<StrangeServer> {
  return strangeServer(async (request, response) => {
    await before?.()
    const { method = 'GET', url = '', headers } = request
    const { host: _host, connection: _connection, ...sent } = headers
    const body = method === 'GET' ? {} : { body: await buffer(request) }
    const answer = await fetch(origin() + url, {
      method,
      headers: sent as Record<string, string>,
      ...body,
    })
    const text = change(await answer.text())
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
}

/** Follows the hint at a server that answers with the problem `code` until then. */
export async function atServerWith(code: ProblemCode, hint: Advice): Promise<void> {
  let isMended = false
  const { status, message } = problems[code]
  const problem = { status, code, message, request_id: 'r-17' }
  await using server = await strangeServer((request, response) => {
    request.resume()
    if (isMended) answerJson(response, shown)
    else answerJson(response, problem, status)
  })
  expect(await refuse('deposit patch abc patch.json', hint, at(server.url))).toContain('r-17')
  isMended = true
  await follow('deposit patch abc patch.json', at(server.url))
}

export const draft = async () => (await ada.createDraft()).id
export const published = async (): Promise<DepositBody> =>
  ada.publish(await ada.createDraftWith('a.csv'))
export const edited = async () => ada.edit(await published())

/** A draft of a record with a title that both changed, and notes that only the record has. */
export async function inConflict(metadata: object = { title: 'Theirs' }): Promise<DepositBody> {
  const deposit = await edited()
  const curator = daemon.as('curator', { admin: true })
  await curator.put(deposit.links['record'] ?? '', { notes: 'theirs', ...metadata })
  await follow(`deposit update ${deposit.id} --set title=Ours`)
  return deposit
}
