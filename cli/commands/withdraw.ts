import { Option, type Command } from 'commander'
import { withdrawalReasons, type WithdrawalRequest } from '../../core/contract/withdrawal.ts'
import { advice } from '../advice.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { ApiFailure } from '../client/api-failure.ts'
import { isDeposit } from '../client/bodies.ts'
import { UsageFailure } from '../failure.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { isOfAllVersions, statusOf } from '../output/deposit-facts.ts'
import { narrate, printDeposit } from '../output/print.ts'
import { plain } from '../plain.ts'
import type { CliContext } from '../session/context.ts'
import { idempotencyKey, lineOf, newChange, unasked, type ActionOptions } from './command.ts'

interface WithdrawOptions extends ActionOptions {
  readonly reason?: WithdrawalRequest['reason']
  readonly note?: string
  readonly replacedBy?: string
  readonly destroyBytes?: true
  readonly yes?: true
}

/** `deposit withdraw <id>`: takes a record out of sight. */
export function withdrawCommand(context: CliContext): Command {
  return newChange('withdraw', {
    'deposit withdraw 4f2a91 --reason retracted': 'its address says so, and why',
    'deposit withdraw 4f2a91 --reason duplicate --replaced-by 6q4wn-8c158': 'and names another',
    'deposit withdraw 4f2a91 --reason personal-data --destroy-bytes --yes': 'for good, in a script',
  })
    .description(
      'Withdraw a published record. Its description, files and exports are gone for everybody but ' +
        'its owners; its address says what it was, who withdrew it, when and why, and its DOI leads ' +
        'there. An owner can withdraw a record for some time after publishing it, usually 30 days; ' +
        'an administrator always can. `deposit restore-record` undoes it, unless --destroy-bytes ' +
        'was given. A terminal asks first; without one, with --json, or where CI is set, it needs ' +
        '--yes.',
    )
    .argument(
      '<id>',
      'identifier of the deposit or of its record, an address of one of them, or a folder that knows its deposit',
    )
    .addOption(
      new Option('--reason <reason>', 'why it is withdrawn, which everybody reads').choices(
        withdrawalReasons,
      ),
    )
    .option('--note <text>', 'more about it; shown to everybody')
    .option('--replaced-by <identifier>', 'a record of this service, a DOI or an address')
    .option('--destroy-bytes', 'remove the files for good: the record cannot be restored')
    .option(...unasked)
    .option(...idempotencyKey)
    .action((id: string, options: WithdrawOptions) => withdraw(context, id, options))
}

async function withdraw(context: CliContext, given: string, options: WithdrawOptions) {
  const { reason, note, replacedBy, destroyBytes, yes, dryRun, idempotencyKey: key } = options
  const { asksFirst, confirm, summaryOf } = await import('../session/confirm.ts')
  if (reason === undefined)
    throw new UsageFailure({
      tried: `withdraw ${given}`,
      said: `it needs --reason, one of ${withdrawalReasons.join(', ')}`,
      next: advice.seeHelp('deposit withdraw'),
    })
  const client = await context.client(options)
  const { findNamed } = await import('../folder/folder-deposit.ts')
  const { id: named } = await findNamed(context, client, given, options)
  const id = await client.resolve(named)
  const tried = `withdraw ${id}`
  const request: WithdrawalRequest = {
    reason,
    ...(note !== undefined && { note }),
    ...(replacedBy !== undefined && { replaced_by: await recordOf(client, replacedBy) }),
    ...(destroyBytes && { destroy_bytes: true }),
  }
  const deposit = await client.read(id, tried)
  requireOneVersion(given, deposit, options)
  const asks = asksFirst(context, options)
  if (asks || !yes || dryRun) {
    const after = await rehearseWithdrawal(client, deposit, request)
    const kept = after.withdrawn?.bytes_kept_by ?? []
    const left = [
      ...(kept.length > 0 ? await tellKept(client, kept) : []),
      ...(await tellCopies(context, client, deposit)),
    ]
    if (!asks && !dryRun) {
      throw new UsageFailure({
        tried,
        said: 'it needs --yes where no question can be asked (no terminal, --json, or CI is set)',
        next: advice.confirmWithdrawal(`${lineOf(['withdraw', id], options)} --yes`),
      })
    }
    if (dryRun && destroyBytes)
      narrate(context.streams, options, 'Its files would be removed for good')
    if (dryRun) for (const line of left) narrate(context.streams, options, line)
    if (asks) {
      const question = destroyBytes
        ? 'Withdraw the record and remove its files for good?'
        : 'Withdraw the record?'
      const summary = [summaryOf(deposit), `Its address: ${citedAs(deposit)}`]
      await confirm(context, { tried, summary, further: left, question })
    }
  }
  const withdrawn = await client.runAction(id, 'withdraw', key, request)
  narrate(context.streams, options, `Withdrew the record of ${id}`)
  const kept = withdrawn.withdrawn?.bytes_kept_by ?? []
  const left = [
    ...(kept.length > 0 ? await tellKept(client, kept) : []),
    ...(await tellCopies(context, client, deposit)),
  ]
  for (const line of left) narrate(context.streams, options, line)
  printDeposit(context.streams, options, withdrawn)
}

/**
 * The deposit as it would be after a withdrawal; nothing changes. A server from before withdrawals
 * could be rehearsed answers nothing of the kind: the deposit is as it is then.
 *
 * @throws {ApiFailure} as the withdrawal would
 */
async function rehearseWithdrawal(
  client: DepositClient,
  deposit: DepositBody,
  { reason, replaced_by: by, destroy_bytes: destroys }: WithdrawalRequest,
): Promise<DepositBody> {
  const tried = `withdraw ${deposit.id}`
  const query = new URLSearchParams({
    reason,
    ...(by !== undefined && { replaced_by: by }),
    ...(destroys && { destroy_bytes: 'true' }),
  })
  try {
    const path = `${deposit.links['withdraw']}?${query.toString()}`
    return await client.connection.json(tried, isDeposit, { method: 'GET', path })
  } catch (error) {
    if (!(error instanceof ApiFailure && error.problem.code === 'method_not_allowed')) throw error
    await client.permissions.requirePossible(tried, 'withdraw', deposit)
    return deposit
  }
}

/** The record of a deposit, where that is named; what else is named is for the server to judge. */
async function recordOf(client: DepositClient, named: string): Promise<string> {
  if (!/^[\da-f]{32}$/.test(named)) return named
  const { links } = await client.read(named)
  return links['record_html'] ?? named
}

/** The DOI of a record as an address, or that of its page. */
function citedAs({ links, pids }: DepositBody): string {
  const { doi } = pids ?? {}
  const isPublic = doi?.status === 'registered'
  return (isPublic ? doi.url : links['record_html']) ?? ''
}

/**
 * A withdrawal is of one version. The identifier of all versions stands for the newest one
 * elsewhere, which is not clear enough here.
 *
 * @throws {UsageFailure} there are several versions, and none is named
 */
function requireOneVersion(given: string, deposit: DepositBody, options: WithdrawOptions): void {
  if (!isOfAllVersions(given, deposit) || deposit.links['previous_version'] === undefined) return
  const page = deposit.links['record_html'] ?? ''
  throw new UsageFailure({
    tried: `withdraw ${given}`,
    said: 'it is the identifier of all versions, and each is withdrawn by itself',
    next: advice.withdrawNewest(lineOf(['withdraw', deposit.id], options), page),
  })
}

/** Deposits whose files have the same bytes still, each with the command that removes them. */
async function tellKept(client: DepositClient, ids: readonly string[]): Promise<readonly string[]> {
  const lines = await Promise.all(
    ids.slice(0, 10).map(async (id) => {
      const isDraft = statusOf(await client.read(id)) === 'draft'
      return `  ${advice.destroyToo(id, isDraft)}`
    }),
  )
  const more = ids.length > lines.length ? [`  and ${ids.length - lines.length} more`] : []
  const said = 'Note: the same bytes are left in other deposits. To remove them there too:'
  return [said, ...lines, ...more]
}

/** Copies that were pushed to other repositories, and that no withdrawal here reaches. */
async function tellCopies(
  context: CliContext,
  client: DepositClient,
  deposit: DepositBody,
): Promise<readonly string[]> {
  const { standingsOfDeposit } = await import('../remote/standing.ts')
  // The withdrawal is what counts.
  const found = await standingsOfDeposit(context, client, deposit).catch(() => [])
  return found
    .filter(({ status }) => status === 'published')
    .map(
      ({ name, doi, url }) =>
        `Note: a copy is public at ${name}, as ${doi ?? url}: have it removed there, ${plain(url)}`,
    )
}

/** `deposit restore-record <id>`: undoes a withdrawal. */
export function restoreRecordCommand(context: CliContext): Command {
  return newChange('restore-record', {
    'deposit restore-record 4f2a91': 'everybody can read the record again',
  })
    .description(
      'Restore a record that was withdrawn, as long as its files are there. An owner can restore ' +
        'what an owner withdrew, for as long as it could be withdrawn; an administrator always can.',
    )
    .argument(
      '<id>',
      'identifier of the deposit or of its record, an address of one of them, or a folder that knows its deposit',
    )
    .option(...idempotencyKey)
    .action((id: string, options: ActionOptions) => restore(context, id, options))
}

async function restore(context: CliContext, given: string, options: ActionOptions) {
  const client = await context.client(options)
  const { findNamed } = await import('../folder/folder-deposit.ts')
  const { id: named } = await findNamed(context, client, given, options)
  const id = await client.resolve(named)
  const deposit = await client.runAction(id, 'restore-record', options.idempotencyKey)
  narrate(context.streams, options, `Everybody can read the record of ${id} again`)
  printDeposit(context.streams, options, deposit)
}
