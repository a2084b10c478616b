import { advice } from '../advice.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { exitCodes } from '../exit-codes.ts'
import { Declined, Failure, isInterruption, UsageFailure } from '../failure.ts'
import { closedFiles, ownMetadata, titleOf } from '../output/deposit-facts.ts'
import type { JsonOption } from '../output/json.ts'
import { paragraph } from '../output/print.ts'
import { count, formatBytes } from '../output/units.ts'
import { plain } from '../plain.ts'
import type { CliContext } from './context.ts'
import { canAsk, openKeyboard } from './keyboard.ts'

interface AskOptions {
  readonly yes?: true
  readonly json?: JsonOption
  readonly dryRun?: true
}

/** True where a step that cannot be undone is shown first, and a person is asked. */
export function asksFirst(context: CliContext, { yes, json, dryRun }: AskOptions): boolean {
  if (yes || dryRun || json !== undefined || context.config.isUnattended) return false
  return canAsk(context)
}

/**
 * Publishing at a repository of others needs an answer.
 *
 * @param command to be run again, with `--yes`
 * @throws {UsageFailure} there is no `--yes`, and nobody can be asked
 */
export function requireAnswer(
  context: CliContext,
  options: AskOptions & { readonly publish?: true },
  { tried, command }: { readonly tried: string; readonly command: string },
): void {
  const { publish, yes, dryRun } = options
  if (!publish || yes || dryRun || asksFirst(context, options)) return
  const said =
    '--publish needs --yes where no question can be asked (no terminal, --json, or CI is set)'
  throw new UsageFailure({ tried, said, next: advice.confirmPush(`${command} --yes`) })
}

interface Question {
  /** As in {@link Failure}. */
  readonly tried: string
  /** Shown before the question. */
  readonly summary: readonly string[]
  /** Lines that are not wrapped: they may have commands. */
  readonly further?: readonly string[]
  /** Answered with yes or no: `Delete it?` */
  readonly question: string
  /** Told where the answer is not yes: `Nothing was` and this. */
  readonly undone?: 'changed' | 'deleted' | 'published'
}

/** @throws {Declined} the answer was not yes */
export async function confirm(context: CliContext, asked: Question): Promise<void> {
  const { tried, summary, further = [], question, undone = 'changed' } = asked
  for (const line of summary) context.streams.note(paragraph(context.streams, plain(line)))
  for (const line of further) context.streams.note(line)
  // Closed at once: an open keyboard takes the Ctrl-C that is meant for the command.
  using keyboard = await openKeyboard(context)
  const next = advice.answerYes()
  const answer = await keyboard.ask(`${question} [y/N] `).catch((cause: unknown) => {
    if (!isInterruption(cause)) throw cause
    // The cursor is behind the question.
    context.streams.note('')
    const exitCode = exitCodes.interrupted
    throw new Failure({ tried, said: 'interrupted', next }, { cause, exitCode })
  })
  if (/^y(?:es)?$/i.test(answer)) return
  const headline = `Nothing was ${undone}`
  throw new Declined({ headline, tried, said: 'the answer was not y', next })
}

/** `"Tides of 2024", 3 files (1.2 MB), CC-BY-4.0, files open on 1 May 2027 (00:00 UTC)`. */
export function summaryOf(deposit: DepositBody): string {
  const { count: number = 0, size = 0 } = deposit.files ?? {}
  const { license } = ownMetadata(deposit.metadata)
  const terms = typeof license === 'string' ? [license] : []
  const files = `${count(number, 'file')} (${formatBytes(size)})`
  const closed = closedFiles(deposit.metadata)
  const access = closed === undefined ? [] : [closed.replace(/^F/, 'f')]
  return [`"${titleOf(deposit)}"`, files, ...terms, ...access].join(', ')
}
