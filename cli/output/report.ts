import { advice, type Advice } from '../advice.ts'
import { exitCodes, ownCodes, type ExitCode } from '../exit-codes.ts'
import { Declined, Failure, isInterruption } from '../failure.ts'
import { paragraph } from './print.ts'
import { atEndpoint, plain, shellWord } from '../plain.ts'
import type { Streams } from './streams.ts'

interface Asked {
  /** The command line. */
  readonly args: readonly string[]
  /** Standard output is read by a program. */
  readonly wantsJson: boolean
}

/**
 * Writes why a command failed in three lines, with `--json` also as JSON on standard output.
 *
 * @returns the exit status that says so
 */
export async function report(streams: Streams, error: unknown, asked: Asked): Promise<ExitCode> {
  const failure = withEndpoint(toFailure(error, asked), asked)
  // A printed result, such as the findings of a check, is the only document of the output.
  if (asked.wantsJson && !streams.hasResult())
    streams.out(JSON.stringify({ error: toErrorBody(failure) }, null, 2))
  await tell(streams, failure)
  return failure.exitCode
}

/** Writes a failure in three lines, after those of its list; with `--progress json` as an event. */
export async function tell(streams: Streams, failure: Failure): Promise<void> {
  if (streams.hasEvents()) {
    streams.event({ event: 'error', error: toErrorBody(failure) })
    return
  }
  if (failure instanceof Declined) {
    streams.note(`${failure.headline}.`)
    return
  }
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: streams.hasColor ? 1 : 0 })
  for (const line of failure.listed) streams.note(paragraph(streams, `error: ${plain(line)}`))
  const [first, said] = [
    `deposit: ${plain(failure.headline)}`,
    `  ${plain(failure.shortly ?? failure.said)}`,
  ].map((line) => paragraph(streams, line))
  streams.note(first?.replace('deposit:', chalk.bold.red('deposit:')) ?? '')
  streams.note(said ?? '')
  // Not wrapped, so that a command can be copied.
  streams.note(`  ${chalk.bold('next:')} ${plain(failure.next)}`)
}

function toFailure(error: unknown, { args }: Asked): Failure {
  if (isInterruption(error)) {
    const next = adviceAfter(args)
    return new Failure(
      { tried: 'finish', said: 'interrupted', next },
      { cause: error, exitCode: exitCodes.interrupted },
    )
  }
  return error instanceof Failure ? error : unexpected(error)
}

/** Adds the `--endpoint` of the failed command to the advised ones. */
function withEndpoint(failure: Failure, { args }: Asked): Failure {
  const at = args.findIndex((word) => /^--endpoint(?:=|$)/.test(word))
  if (at === -1) return failure
  const name = args[at]?.split('=')[1] ?? args[at + 1]
  const withName = (text: string): string => atEndpoint(text, name)
  return Object.create(failure, {
    said: { value: withName(failure.said) },
    listed: { value: failure.listed.map(withName) },
    next: { value: withName(failure.next) },
  }) as Failure
}

/** Run again, some commands would make a second deposit or token. */
function adviceAfter(args: readonly string[]): Advice {
  const [name, part = '-'] = args
  const isForgotten =
    part.startsWith('-') || args.includes('--new') || args.includes('--no-remember')
  if (name === 'create' && isForgotten) return advice.seeDeposits()
  if (name === 'token' && part === 'create') return advice.seeTokens()
  return advice.continueWith(['deposit', ...args].map((word) => shellWord(word)).join(' '))
}

/** The server's words where it gave any; otherwise ours. */
export function toErrorBody(failure: Failure) {
  const { exitCode, said, next, problem, faults } = failure
  const ours = { status: null, code: codeOf(exitCode), message: said, request_id: null }
  // An answer without an identifier, such as that of a repository, has none to tell.
  const request = problem?.request_id === '' && { request_id: null }
  return { ...ours, errors: faults, ...problem, ...request, next }
}

function codeOf(exitCode: ExitCode): string {
  return Object.entries(ownCodes).find(([status]) => Number(status) === exitCode)?.[1] ?? 'failed'
}

/** An unexpected error: of the machine, or a bug. */
function unexpected(cause: unknown): Failure {
  const isOfTheMachine = cause instanceof Error && 'code' in cause && 'syscall' in cause
  const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  const next = isOfTheMachine ? advice.correctAbove() : advice.reportBug()
  return new Failure({ tried: 'finish', said, next }, { cause })
}
