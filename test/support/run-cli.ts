import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { afterAll } from 'vitest'
import { createContext } from '../../cli/session/context.ts'
import type { Environment } from '../../cli/config.ts'
import type { ExitCode } from '../../cli/exit-codes.ts'
import { run } from '../../cli/program/program.ts'

/** Exit status and output of a command. */
export interface Outcome {
  readonly status: ExitCode
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  readonly environment?: Environment
  /** The working directory. */
  readonly folder?: string
  readonly stdin?: string
  /** Whether standard input is a terminal as well, where a person types. */
  readonly isTyped?: true
  readonly signal?: AbortSignal
  /** A terminal of this many columns instead of pipes. */
  readonly terminal?: number
}

/** Keeps tests away from the sign-ins of the person who runs them. */
const house = mkdtempSync(join(tmpdir(), 'deposit-user-'))
process.env['HOME'] = house
process.env['XDG_CONFIG_HOME'] = join(house, 'config')
process.env['XDG_DATA_HOME'] = join(house, 'data')
process.env['XDG_CACHE_HOME'] = join(house, 'cache')
// And from their name in git.
process.env['GIT_CONFIG_NOSYSTEM'] = '1'
process.env['GIT_CONFIG_GLOBAL'] = join(house, 'gitconfig')
afterAll(() => rmSync(house, { recursive: true, force: true }))

/** The folder of the sign-ins of this test file's commands (on Linux). */
export const credentialsFile = join(house, 'config/deposit/credentials.json')

/** The arguments of every command that {@link runCli} has run in this test file. */
export const commandsRun: (readonly string[])[] = []

/** Runs the command line in this process. */
export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  commandsRun.push(args)
  const { environment = {}, folder = house, stdin = '', terminal } = options
  const [stdout, stderr] = [new Sink(terminal), new Sink(terminal)]
  const signal = options.signal ?? new AbortController().signal
  using context = createContext({
    environment,
    stdin: Object.assign(Readable.from([stdin]), options.isTyped && { isTTY: true }),
    stdout,
    stderr,
    folder,
    signal,
  })
  const status = await run(args, context)
  return { status, stdout: stdout.text, stderr: stderr.text }
}

class Sink extends Writable {
  text = ''
  readonly isTTY: boolean
  readonly columns: number

  constructor(columns: number | undefined) {
    super({ decodeStrings: false })
    this.isTTY = columns !== undefined
    this.columns = columns ?? 80
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk)
    done()
  }
}
