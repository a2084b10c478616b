import { afterAll, beforeAll, expect } from 'vitest'
import { houseDaemon, type HousedDaemon } from './daemon-house.ts'
import { runCli, type Outcome } from './run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

let daemon: HousedDaemon
let folder: TemporaryFolder

/** One daemon for each test file, configured by `env`, and a folder to work in. */
export function useDaemon(env: Readonly<Record<string, string>> = {}): void {
  beforeAll(async () => {
    daemon = await houseDaemon(env)
    folder = await temporaryFolder({
      'data/metadata.yaml': 'title: Water levels\nkeywords: [tide]\n',
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
}

/** Origin of the daemon of this test file. */
export function daemonUrl(): string {
  return daemon.url
}

/** The data folder of this test file's daemon. */
export function daemonHome(): string {
  return daemon.home
}

/** The working folder of this test file's commands. */
export function workFolder(): string {
  return folder.path
}

/** Runs a command against the daemon of this test file, as its owner. */
export function deposit(
  args: readonly string[],
  options: {
    readonly stdin?: string
    readonly isTyped?: true
    readonly terminal?: number
    readonly folder?: string
    readonly environment?: Readonly<Record<string, string>>
    readonly signal?: AbortSignal
  } = {},
): Promise<Outcome> {
  return runCli(args, {
    environment: { DEPOSIT_HOME: daemon.home },
    folder: folder.path,
    ...options,
  })
}

/** The id of a new draft, which its folder does not know. */
export async function newDraft(...args: readonly string[]): Promise<string> {
  const { stdout } = await deposit(['create', '--quiet', '--no-remember', ...args])
  return stdout.trim()
}

/** The id of a new published deposit. */
export async function newPublished(): Promise<string> {
  return newDraft('data', '--publish')
}

/** The deposit as the server has it. */
export async function read(id: string): Promise<unknown> {
  return JSON.parse((await deposit(['show', id, '--json'])).stdout)
}

/** The names of the files, in their order. */
export async function namesOf(id: string): Promise<readonly string[]> {
  const { stdout } = await deposit(['files', id])
  const lines = stdout.split('\n').filter((line) => line !== '')
  return lines.flatMap((line) => line.split('\t', 1))
}

/** Expects a failure: three lines on standard error, and nothing on standard output. */
export function expectFailure(
  { status, stdout, stderr }: Outcome,
  expected: number,
  words: string,
): void {
  expect({ status, stdout }).toEqual({ status: expected, stdout: '' })
  expect(stderr).toContain(words)
  expect(stderr.trimEnd().split('\n').slice(-3).join('\n')).toMatch(
    /^deposit: could not .+\n {2}.+\n {2}next: .+$/,
  )
}
