import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { logFile } from '../../cli/local-daemon/launch.ts'
import { daemonHome, deposit, newDraft, newPublished } from '../support/cli-at-daemon.ts'
import { runDepositd } from '../support/depositd.ts'
import { nobody, type CommandCase, type Refusal } from './command-case.ts'
import { remoteCases } from './remote-cases.ts'
import { sharingCases } from './sharing-cases.ts'

/** For most commands: the deposit does not exist. */
const notFound = (...rest: readonly string[]): Refusal => ({
  args: () => [nobody, ...rest],
  status: 3,
})

/** The deposit is published, and its files are frozen. */
const frozen = (...rest: readonly string[]): Refusal => ({
  args: async () => [await newPublished(), ...rest],
  status: 5,
})

/** For commands that need no deposit: the token is unknown. */
const unknownToken = (...args: readonly string[]): Refusal => ({
  args: () => args,
  status: 4,
  token: 'unknown',
})

/** A draft whose metadata were changed. */
async function newChanged(): Promise<readonly string[]> {
  const id = await newDraft('--title', 'Levels')
  await deposit(['update', id, '--set', 'title=Tides'])
  return [id]
}

async function newSubmitted(): Promise<string> {
  const { stdout } = await deposit(['whoami', '--json'])
  const { email } = JSON.parse(stdout) as { readonly email: string }
  await runDepositd(daemonHome(), ['role', 'grant', email, 'reviewer'])
  const id = await newDraft()
  await deposit(['submit', id])
  return id
}

const localAlone = 'it sends the local daemon no request that could be refused'

/** Each command by its whole name. */
export const commandCases: Readonly<Record<string, CommandCase>> = {
  init: {
    works: newFolder,
    misused: ['data', 'data'],
    refused: 'it writes a file of this machine alone',
  },
  create: {
    works: () => ['data'],
    misused: ['data', 'data'],
    refused: { args: () => ['--metadata', 'unknown.yaml'], status: 1 },
  },
  list: { works: () => [], misused: ['--nosuch'], refused: { args: () => ['a:('], status: 2 } },
  show: { works: async () => [await newDraft()], misused: [], refused: notFound() },
  update: {
    works: async () => [await newDraft(), '--set', 'title=Other'],
    misused: [nobody],
    refused: { args: async () => [await newPublished(), '--set', 'title=Other'], status: 5 },
  },
  patch: {
    works: async () => [await newDraft('--title', 'x'), 'patch.json'],
    misused: [nobody],
    refused: { args: async () => [await newDraft(), 'patch.json'], status: 1 },
  },
  clear: { works: async () => [await newDraft('data')], misused: [], refused: frozen() },
  history: { works: newChanged, misused: [nobody, nobody], refused: notFound() },
  undo: { works: newChanged, misused: ['--to', 'yesterday'], refused: frozen() },
  delete: {
    works: async () => [await newDraft(), '--yes'],
    misused: [],
    refused: frozen('--yes'),
  },
  upload: {
    works: async () => [await newDraft(), 'extra.txt'],
    misused: [nobody],
    refused: frozen('extra.txt'),
  },
  files: { works: async () => [await newDraft('data')], misused: [], refused: notFound() },
  export: {
    works: async () => [await newDraft('data'), '--as', 'bibtex'],
    misused: [nobody, 'another'],
    refused: { args: async () => [await newPublished(), '--as', 'none'], status: 3 },
  },
  cite: {
    works: async () => [await newPublished(), '--style', 'ieee'],
    misused: [],
    refused: notFound(),
  },
  download: {
    works: async () => [await newDraft('data'), '--output', `out-${randomUUID()}`],
    misused: ['--jobs', 'many', nobody],
    refused: notFound(),
  },
  cat: {
    works: async () => [await newDraft('data'), 'README.md'],
    misused: [nobody],
    refused: notFound('README.md'),
    hasOwnFormat: true,
  },
  sort: {
    works: async () => [await newDraft('data'), 'b/empty.csv'],
    misused: [nobody, '--by', 'colour'],
    refused: notFound('--by', 'name'),
  },
  rename: {
    works: async () => [await newDraft('data'), 'README.md', 'read-me.md'],
    misused: [nobody, 'README.md'],
    refused: frozen('README.md', 'read-me.md'),
  },
  diff: {
    works: async () => ['data', await newDraft()],
    misused: [nobody],
    refused: { args: () => ['data', nobody], status: 3 },
  },
  verify: {
    works: newDownload,
    misused: [nobody],
    refused: { args: () => ['data', nobody], status: 3 },
  },
  sync: {
    works: async () => ['data', await newDraft()],
    misused: [nobody],
    refused: { args: async () => ['data', await newDraft('--publish', '--yes')], status: 5 },
  },
  uploads: {
    works: async () => [await newDraft(), '--all', '--delete'],
    misused: [nobody, '--delete'],
    refused: notFound(),
  },
  rm: {
    works: async () => [await newDraft('data'), 'README.md'],
    misused: [nobody],
    refused: frozen('README.md'),
  },
  restore: {
    works: async () => {
      const id = await newDraft('data')
      await deposit(['rm', id, 'README.md'])
      return [id, 'README.md']
    },
    misused: [],
    refused: notFound(),
  },
  batch: {
    works: newBatch,
    misused: ['none.csv'],
    refused: { args: newBatch, status: 4, token: 'unknown' },
  },
  check: { works: () => ['data'], misused: ['data', 'data'], refused: notFound() },
  publish: { works: async () => [await newDraft('data')], misused: [], refused: frozen() },
  edit: {
    works: async () => [await newPublished()],
    misused: [],
    refused: { args: async () => [await newDraft()], status: 5 },
  },
  discard: {
    works: async () => {
      const id = await newPublished()
      await deposit(['edit', id])
      return [id]
    },
    misused: [],
    refused: frozen(),
  },
  action: {
    works: async () => [await newPublished(), 'newversion'],
    misused: [nobody],
    refused: { args: async () => [await newDraft(), 'register'], status: 5 },
  },
  merge: {
    works: async () => {
      const id = await newPublished()
      await deposit(['edit', id])
      return [id]
    },
    misused: [nobody, '--ours', '--theirs'],
    refused: { args: async () => [await newDraft()], status: 5 },
  },
  release: {
    works: async () => {
      const [path = ''] = await newFolder()
      await writeFile(join(path, 'metadata.yaml'), 'title: Tides\n')
      return [path]
    },
    misused: [nobody, nobody],
    refused: { args: () => ['data', '--of', nobody], status: 3 },
  },
  submit: {
    works: async () => [await newDraft()],
    misused: ['x', 'y'],
    refused: { args: async () => [await newPublished()], status: 5 },
  },
  'take-back': {
    works: async () => [await newSubmitted()],
    misused: ['x', 'y'],
    refused: { args: async () => [await newDraft()], status: 5 },
  },
  reviews: { works: () => [], misused: ['x'], refused: unknownToken() },
  accept: {
    works: async () => [await newSubmitted(), '--revision', '1'],
    misused: ['x', '--revision', 'last'],
    refused: notFound('--revision', '0'),
  },
  return: {
    works: async () => [await newSubmitted(), '--message', 'x'],
    misused: [nobody],
    refused: notFound('--message', 'x'),
  },
  withdraw: {
    works: async () => [await newPublished(), '--reason', 'test', '--yes'],
    misused: ['x', '--reason', 'boredom', '--yes'],
    refused: { args: async () => [await newDraft(), '--reason', 'test', '--yes'], status: 5 },
  },
  'restore-record': {
    works: async () => {
      const id = await newPublished()
      await deposit(['withdraw', id, '--reason', 'test', '--yes'])
      // Its identifiers are hidden behind the command.
      while ((await deposit(['show', id, '--json', 'pids'])).stdout.includes('"pending"'));
      return [id]
    },
    misused: [],
    refused: { args: async () => [await newPublished()], status: 5 },
  },
  reserve: {
    works: async () => [await newDraft()],
    misused: [],
    // Of a published one it prints the identifiers that there are.
    refused: { args: () => [nobody], status: 3 },
  },
  newversion: {
    works: async () => [await newPublished()],
    misused: [],
    refused: { args: async () => [await newDraft()], status: 5 },
  },
  status: {
    works: () => ['data'],
    misused: ['data', 'data'],
    refused: { args: strayFolder, status: 3 },
  },
  open: { works: async () => [await newDraft()], misused: ['--record'], refused: notFound() },
  ...remoteCases,
  ...sharingCases,
  login: {
    works: () => [],
    misused: ['--scope', 'nosuch'],
    refused: { args: () => ['--with-token'], status: 4, stdin: 'unknown\n' },
  },
  logout: {
    works: signedIn,
    misused: ['everywhere'],
    refused: 'signed out here, it tells what the server said, and that is no failure',
  },
  whoami: { works: () => [], misused: ['I'], refused: unknownToken() },
  'token create': {
    works: () => ['--scope', 'deposit:write'],
    misused: ['--scope', 'deposit:write', '--expires', 'soon'],
    refused: { args: () => ['--scope', 'deposit:write', '--deposit', nobody], status: 3 },
  },
  'token list': { works: () => [], misused: ['all'], refused: unknownToken() },
  'token revoke': {
    works: async () => {
      const made = await deposit(['token', 'create', '--scope', 'openid', '--json'])
      const { id } = JSON.parse(made.stdout) as { readonly id: string }
      return [id]
    },
    misused: [],
    refused: unknownToken('0b7c1f00-0000'),
  },
  'daemon start': { works: () => [], misused: ['x'], refused: localAlone, ownHome: 'stopped' },
  'daemon stop': { works: () => [], misused: ['x'], refused: localAlone, ownHome: 'running' },
  'daemon status': { works: () => [], misused: ['x'], refused: localAlone },
  'daemon logs': {
    works: withLog,
    misused: ['--lines', 'few'],
    refused: localAlone,
    hasOwnFormat: true,
  },
  doctor: {
    works: () => [],
    misused: ['me'],
    refused: 'what the server refuses is a line of what it has found',
  },
  completion: {
    works: () => ['bash'],
    misused: ['tcsh'],
    refused: 'it asks no server',
    hasOwnFormat: true,
  },
}

/** A folder without metadata yet. */
async function newFolder(): Promise<readonly string[]> {
  const path = join(daemonHome(), `folder-${randomUUID()}`)
  await mkdir(path)
  return [path, '--yes']
}

/** A folder with the files of a draft, and the draft. */
async function newDownload(): Promise<readonly string[]> {
  const [id, path] = [await newDraft('data'), join(daemonHome(), `copy-${randomUUID()}`)]
  await deposit(['download', id, '--output', path])
  return [path, id]
}

/** A folder that names a deposit that does not exist. */
async function strayFolder(): Promise<readonly string[]> {
  const [path = ''] = await newFolder()
  await writeFile(join(path, '.deposit.json'), `{"server":"local","id":"${'f'.repeat(32)}"}`)
  return [path]
}

/** A new batch, without a journal. */
async function newBatch(): Promise<readonly string[]> {
  const path = join(daemonHome(), `batch-${randomUUID()}.csv`)
  await writeFile(path, `title\nTides ${randomUUID()}\n`)
  return [path]
}

/** Signs in, so that `logout` has a sign-in to remove. */
async function signedIn(): Promise<readonly string[]> {
  await deposit(['login'])
  return []
}

/** Writes a log in the home, because the daemon of a test writes its log elsewhere. */
async function withLog(): Promise<readonly string[]> {
  const file = logFile(daemonHome())
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '{"level":"info"}\n')
  return []
}
