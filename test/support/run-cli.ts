import { Readable, Writable } from 'node:stream'
import { createContext } from '../../cli/session/context.ts'
import type { Environment } from '../../cli/config.ts'
import type { ExitCode } from '../../cli/exit-codes.ts'
import { run } from '../../cli/program/program.ts'
import { house } from './house.ts'

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

/** The arguments of every command that {@link runCli} has run in this process. */
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
