import { exitCodes, type ExitCode } from '../exit-codes.ts'
import { Failure, isInterruption } from '../failure.ts'
import { paragraph } from './paragraph.ts'
import { plain } from './plain.ts'
import type { Streams } from './streams.ts'

/** Tells why a command failed, in three lines, and answers with the exit status that says so. */
export async function report(streams: Streams, error: unknown): Promise<ExitCode> {
  if (isInterruption(error)) {
    streams.note('deposit: interrupted')
    return exitCodes.interrupted
  }
  const failure = error instanceof Failure ? error : unexpected(error)
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: streams.hasColor ? 1 : 0 })
  const [first, said, next] = [
    `deposit: could not ${plain(failure.tried)}`,
    `  ${plain(failure.said)}`,
    `  next: ${plain(failure.next)}`,
  ].map((line) => paragraph(streams, line))
  streams.note(first?.replace('deposit:', chalk.bold.red('deposit:')) ?? '')
  streams.note(said ?? '')
  streams.note(next?.replace('next:', chalk.bold('next:')) ?? '')
  return failure.exitCode
}

/** Something nobody expected: of the machine, or a mistake of ours. */
function unexpected(cause: unknown): Failure {
  const isOfTheMachine = cause instanceof Error && 'code' in cause && 'syscall' in cause
  const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  const next = isOfTheMachine
    ? 'see to what is named above and run the command again'
    : 'this is a mistake in deposit: please report it, with what you ran'
  return new Failure({ tried: 'go on', said, next }, { cause })
}
