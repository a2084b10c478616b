import type { Command } from 'commander'
import { advice } from '../advice.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'
import { recordUrl, titleOf } from '../output/deposit-facts.ts'
import { narrate, print, printDeposit } from '../output/print.ts'
import { formatTable } from '../output/table.ts'
import { count, formatAge, formatBytes } from '../output/units.ts'
import type { CliContext } from '../session/context.ts'
import {
  depositId,
  idempotencyKey,
  knownDeposit,
  lineOf,
  newChange,
  newCommand,
  unasked,
  type ActionOptions,
  type CommonOptions,
} from './command.ts'

interface MessageOptions extends ActionOptions {
  readonly message?: string
}

/** `deposit submit [id]`: sends a draft to the reviewers. */
export function submitCommand(context: CliContext): Command {
  return newChange('submit', {
    'deposit submit': 'submits the draft that the current folder knows',
    'deposit submit 4f2a91 --message "As in the paper"': 'tells the reviewers something',
  })
    .description(
      'Submit a draft for review. It does not change until a reviewer accepts it, which publishes ' +
        'it, or returns it, or until `deposit take-back` takes it back. A token with the scope ' +
        'deposit:write alone can submit a draft, and publish none.',
    )
    .argument(...knownDeposit)
    .option('--message <text>', 'for the reviewers')
    .option(...idempotencyKey)
    .action((given: string | undefined, options: MessageOptions) => submit(context, given, options))
}

async function submit(context: CliContext, given: string | undefined, options: MessageOptions) {
  const { message } = options
  const { client, id } = await named(context, given, options)
  const input = message === undefined ? undefined : { message }
  const deposit = await client.runAction(id, 'submit', options.idempotencyKey, input)
  narrate(context.streams, options, `Submitted ${id}: it waits for review`)
  // It is submitted, whether or not this can be asked.
  const warnings = await accessWarnings(client, id).catch(() => [])
  for (const warning of warnings) narrate(context.streams, options, warning)
  printDeposit(context.streams, options, deposit)
}

/** What publishing changes in who may have the files, for those who submit and accept. */
async function accessWarnings(client: DepositClient, id: string): Promise<readonly string[]> {
  const { toWarnings } = await import('../output/finding.ts')
  const { warnings } = await client.rehearse(id)
  return toWarnings(warnings.filter(({ field }) => field === '/access'))
}

/** `deposit take-back [id]`: makes a submitted draft one that can be changed. */
export function takeBackCommand(context: CliContext): Command {
  return newChange('take-back', {
    'deposit take-back 4f2a91': 'the draft can be changed, and submitted again',
  })
    .description('Take back a draft that was submitted for review, to change it.')
    .argument(...knownDeposit)
    .option(...idempotencyKey)
    .action(async (given: string | undefined, options: ActionOptions) => {
      const { client, id } = await named(context, given, options)
      const deposit = await client.runAction(id, 'take-back', options.idempotencyKey)
      narrate(context.streams, options, `Took back ${id}: it can be changed again`)
      printDeposit(context.streams, options, deposit)
    })
}

/** `deposit return <id>`: gives a submitted draft back to its owners. */
export function returnCommand(context: CliContext): Command {
  return newChange('return', {
    'deposit return 4f2a91 --message "Please name the instrument"': 'its owners can change it',
  })
    .description(
      'Return a submitted draft to its owners, with a message. Needs the role of a reviewer, a ' +
        'curator or an administrator.',
    )
    .argument(...depositId)
    .option('--message <text>', 'what has to be changed')
    .option(...idempotencyKey)
    .action(async (given: string, options: MessageOptions) => {
      const { message } = options
      if (message === undefined)
        throw new UsageFailure({
          tried: `return ${given}`,
          said: 'it needs --message, which tells its owners what to change',
          next: advice.seeHelp('deposit return'),
        })
      const { client, id } = await named(context, given, options)
      const input = { message }
      const deposit = await client.runAction(id, 'return', options.idempotencyKey, input)
      narrate(context.streams, options, `Returned ${id} to its owners`)
      printDeposit(context.streams, options, deposit)
    })
}

interface AcceptOptions extends MessageOptions {
  readonly revision?: string
  readonly yes?: true
}

/** `deposit accept <id>`: publishes a submitted draft. */
export function acceptCommand(context: CliContext): Command {
  return newChange('accept', {
    'deposit accept 4f2a91': 'shows the draft, asks, and publishes it',
    'deposit accept 4f2a91 --revision 7': 'publishes it, if that is still its revision',
  })
    .description(
      'Accept a submitted draft: its revision that was looked at is published as a record. If it ' +
        'has changed since, nothing is published. Needs the role of a reviewer, a curator or an ' +
        'administrator. A terminal shows the draft and asks first; without one, with --json, or ' +
        'where CI is set, it needs --revision, as `deposit show` tells it.',
    )
    .argument(...depositId)
    .option('--revision <number>', 'the revision that was looked at')
    .option('--message <text>', 'for its owners')
    .option(...unasked)
    .option(...idempotencyKey)
    .action((given: string, options: AcceptOptions) => accept(context, given, options))
}

async function accept(context: CliContext, given: string, options: AcceptOptions): Promise<void> {
  const { message, dryRun } = options
  const { asksFirst, confirm, summaryOf } = await import('../session/confirm.ts')
  const seen = revisionOf(options)
  const { client, id } = await named(context, given, options)
  const tried = `accept ${id}`
  const deposit = await client.read(id, tried)
  if (seen === undefined && !dryRun) {
    if (!asksFirst(context, options))
      throw new UsageFailure({
        tried,
        said: 'it needs --revision, the one that was looked at, where no question can be asked',
        next: advice.acceptRevision(id, `${lineOf(['accept', id], options)} --revision REVISION`),
      })
    await client.permissions.requirePossible(tried, 'accept', deposit)
    const question = 'Publish it for good? Its record is public and its files cannot change.'
    const warnings = await accessWarnings(client, id)
    const summary = [summaryOf(deposit), `Its page: ${deposit.links['html'] ?? ''}`, ...warnings]
    await confirm(context, { tried, summary, question, undone: 'published' })
  }
  const input = { revision: seen ?? deposit.revision, ...(message !== undefined && { message }) }
  const accepted = await client.runAction(id, 'accept', options.idempotencyKey, input)
  narrate(context.streams, options, `Published ${id}`)
  const lines = (): readonly string[] => [recordUrl(accepted) ?? accepted.id]
  print(context.streams, options, { body: accepted, ids: [accepted.id], lines })
}

/** @throws {UsageFailure} */
function revisionOf({ revision }: AcceptOptions): number | undefined {
  if (revision === undefined) return undefined
  if (/^\d{1,9}$/.test(revision)) return Number(revision)
  throw new UsageFailure({
    tried: 'use --revision',
    said: `it takes a whole number from 0, not "${revision}"`,
    next: advice.correctOption('--revision'),
  })
}

interface ReviewsOptions extends CommonOptions {
  readonly page?: string
}

/** `deposit reviews`: the drafts that wait. */
export function reviewsCommand(context: CliContext): Command {
  return newCommand('reviews', {
    'deposit reviews': 'the drafts that wait for review, longest first',
    'deposit reviews --quiet | xargs deposit show': 'shows each of them',
  })
    .description(
      'List the drafts that wait for review, longest first: all of them for reviewers, curators ' +
        'and administrators, and your own otherwise.',
    )
    .option('--page <number>', 'the page to print')
    .action((options: ReviewsOptions) => reviews(context, options))
}

async function reviews(context: CliContext, options: ReviewsOptions): Promise<void> {
  const { streams } = context
  const { page } = options
  const client = await context.client(options)
  const found = await client.search({ review: 'submitted', ...(page !== undefined && { page }) })
  const { hits: deposits, total } = found.hits
  const digits = streams.isOutTerminal ? 8 : 32
  const rows = await formatTable(
    streams,
    columns,
    deposits.map((deposit) => toRow(deposit, digits)),
  )
  const ids = deposits.map(({ id }) => id)
  print(streams, options, { body: found, ids, lines: () => (deposits.length === 0 ? [] : rows) })
  narrate(streams, options, `${count(total, 'draft')} waiting for review`)
}

const columns = [
  { title: 'ID' },
  { title: 'TITLE', isFlexible: true },
  { title: 'REVISION', align: 'right' },
  { title: 'SIZE', align: 'right' },
  { title: 'SUBMITTED' },
] as const

function toRow(deposit: DepositBody, digits: number): readonly string[] {
  const { id, revision, files, review, updated } = deposit
  return [
    id.slice(0, digits),
    titleOf(deposit),
    String(revision),
    formatBytes(files?.size ?? 0),
    formatAge(review?.at ?? updated, Date.now()),
  ]
}

async function named(
  context: CliContext,
  given: string | undefined,
  options: CommonOptions,
): Promise<{ readonly client: DepositClient; readonly id: string }> {
  const { findNamed } = await import('../folder/folder-deposit.ts')
  const client = await context.client(options)
  const { id } = await findNamed(context, client, given, options)
  return { client, id: await client.resolve(id) }
}
