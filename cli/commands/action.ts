import { advice } from '../advice.ts'
import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { ApiFailure } from '../client/api-failure.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { Failure } from '../failure.ts'
import { actionsOf } from '../output/deposit-facts.ts'
import { narrate, printDeposit } from '../output/print.ts'
import { depositId, idempotencyKey, newChange, unasked, type ActionOptions } from './command.ts'

interface RunOptions extends ActionOptions {
  readonly yes?: true
}

/** `deposit action <id> <name>`: runs any action that the server has. */
export function actionCommand(context: CliContext): Command {
  return newChange('action', {
    'deposit action 4f2a91 register': 'locks the record for good: it cannot be edited',
  })
    .description(
      'Run an action of a deposit by its name, also one that only this server has. publish, edit, ' +
        'discard, merge and newversion have commands of their own. A terminal asks before publish ' +
        'and register, which cannot be undone.',
    )
    .argument(...depositId)
    .argument('<name>', 'publish, edit, discard, newversion, merge, register, …')
    .option(...unasked)
    .option(...idempotencyKey)
    .action((id: string, name: string, options: RunOptions) =>
      runAction(context, id, name, options),
    )
}

async function runAction(
  context: CliContext,
  id: string,
  name: string,
  options: RunOptions,
): Promise<void> {
  const client = await context.client(options)
  const { asksFirst } = await import('../session/confirm.ts')
  if (final.has(name) && asksFirst(context, options)) await askToRun(context, client, id, name)
  const deposit = await client
    .runAction(id, name, options.idempotencyKey)
    .catch((error: unknown) => explainUnknown(client, id, name, error))
  const isOther = deposit.id !== (await client.resolve(id))
  narrate(context.streams, options, sayDone(name, id, isOther ? deposit.id : undefined))
  printDeposit(context.streams, options, deposit)
}

/** Actions that cannot be undone. */
const final: ReadonlySet<string> = new Set(['publish', 'register'])

/** @throws {Failure} the answer was not yes, or the server would refuse */
async function askToRun(
  context: CliContext,
  client: DepositClient,
  id: string,
  name: string,
): Promise<void> {
  const tried = `${name} ${id}`
  const deposit = await client.read(id, tried)
  await client.permissions.requirePossible(tried, name, deposit)
  const { confirm, summaryOf } = await import('../session/confirm.ts')
  const question = `Run ${name}? It cannot be undone.`
  await confirm(context, { tried, summary: [summaryOf(deposit)], question })
}

/** @param other the deposit that an action made or changed in place of `id` */
function sayDone(name: string, id: string, other: string | undefined): string {
  if (other === undefined) return `Ran the action ${name} of ${id}`
  return name === 'newversion'
    ? `Started a new version of ${id}: draft ${other}`
    : `Ran the action ${name} of ${id}: see ${other}`
}

/** Replaces the 404 of an unknown action by the names of the known ones. */
async function explainUnknown(
  client: DepositClient,
  id: string,
  name: string,
  cause: unknown,
): Promise<never> {
  if (!(cause instanceof ApiFailure) || cause.problem.code !== 'not_found') throw cause
  const known = actionsOf(await client.read(id))
  throw new Failure(
    {
      tried: cause.tried,
      said: `the server has no action of that name; it has ${known.join(', ')}`,
      next: advice.nameAction(id),
    },
    { cause, exitCode: cause.exitCode },
  )
}
