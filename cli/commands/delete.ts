import type { Command } from 'commander'
import { advice } from '../advice.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { titleOf } from '../output/deposit-facts.ts'
import type { CliContext } from '../session/context.ts'
import { narrate, print } from '../output/print.ts'
import { lineOf, newChange, unasked, type CommonOptions } from './command.ts'
import { forEachId } from '../session/each-id.ts'

interface DeleteOptions extends CommonOptions {
  readonly keep?: true
  readonly yes?: true
}

/** `deposit delete <id>`: removes a draft with its files. */
export function deleteCommand(context: CliContext): Command {
  return newChange('delete', {
    'deposit delete 4f2a91c0…': 'removes the draft, its files and their bytes',
    'deposit delete 4f2a91c0… --yes': 'the same in a script, which answers no question',
    'deposit delete .': 'takes the draft that the current folder knows',
    'deposit delete 4f2a91c0… --keep': 'an operator can bring it back for some time',
  })
    .description(
      'Delete a draft that was never published, with its files. It takes the whole identifier, or a ' +
        'folder that knows the draft; the folder itself stays as it is. ' +
        'A terminal shows the draft and asks first; without one, with --json, or where CI is set, ' +
        'it needs --yes.',
    )
    .argument(
      '<id...>',
      'whole identifiers of deposits, addresses of their pages, or folders that know their deposits',
    )
    .option('--keep', 'keep it hidden for some time, for `depositd undelete`')
    .option(...unasked)
    .action((ids: string[], options: DeleteOptions) => removeAll(context, ids, options))
}

async function removeAll(
  context: CliContext,
  given: readonly string[],
  options: DeleteOptions,
): Promise<void> {
  const { streams } = context
  const [{ asksFirst }, { findNamed }] = await Promise.all([
    import('../session/confirm.ts'),
    import('../folder/folder-deposit.ts'),
  ])
  const asks = asksFirst(context, options)
  const client = await context.client(options)
  const ids: string[] = []
  for (const each of given) ids.push((await findNamed(context, client, each, options)).id)
  if (!asks && !options.yes && !options.dryRun) {
    for (const id of ids) await requireDeletable(client, id, options)
    throw unconfirmed(ids, options)
  }
  const deleted = await forEachId(context, ids, async (id) => {
    const whole = await client.resolveWhole(id)
    await requireWhole(client, whole, options)
    if (asks) await askToDelete(context, client, whole, options)
    await client.delete(whole, { force: options.keep !== true })
    narrate(streams, options, `Deleted ${whole}`)
    return { id: whole }
  })
  print(streams, options, {
    body: await deleted.body((one) => one),
    ids: deleted.results.map(({ id }) => id),
    lines: () => [],
  })
}

/** @throws {Failure} there is none, or the server would refuse: --yes would not help */
async function requireDeletable(
  client: DepositClient,
  id: string,
  options: DeleteOptions,
): Promise<void> {
  const whole = await client.resolveWhole(id)
  await requireWhole(client, whole, options)
  const tried = `delete ${id}`
  await client.permissions.requirePossible(tried, 'delete', await client.read(whole, tried))
}

/** @throws {Failure} it is the beginning of an identifier: another deposit may be meant */
async function requireWhole(
  client: DepositClient,
  id: string,
  options: DeleteOptions,
): Promise<void> {
  const found = await client.resolve(id).catch(() => id)
  if (found === id) return
  const deposit = await client.read(found)
  const said = `it is the beginning of ${found}, "${titleOf(deposit)}"; \`delete\` takes whole identifiers`
  const next = advice.giveThisWhole(lineOf(['delete', found], options))
  throw new Failure({ tried: `delete ${id}`, said, next }, { exitCode: exitCodes.notFound })
}

/** @throws {Failure} the answer was not yes, or the server would refuse */
async function askToDelete(
  context: CliContext,
  client: DepositClient,
  id: string,
  { keep }: DeleteOptions,
): Promise<void> {
  const tried = `delete ${id}`
  const deposit = await client.read(id, tried)
  await client.permissions.requirePossible(tried, 'delete', deposit)
  const { confirm, summaryOf } = await import('../session/confirm.ts')
  const question = keep ? 'Delete the draft?' : 'Delete the draft and its files for good?'
  await confirm(context, { tried, summary: [summaryOf(deposit)], question, undone: 'deleted' })
}

function unconfirmed(ids: readonly string[], options: DeleteOptions): UsageFailure {
  return new UsageFailure({
    tried: `delete ${ids.join(' ')}`,
    said: 'it needs --yes where no question can be asked (no terminal, --json, or CI is set)',
    next: advice.confirmDeletion(`${lineOf(['delete', ...ids], options)} --yes`),
  })
}
