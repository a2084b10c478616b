import { advice } from '../advice.ts'
import type { Command } from 'commander'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { CliContext } from '../session/context.ts'
import { UsageFailure } from '../failure.ts'
import { recordUrl } from '../output/deposit-facts.ts'
import { narrate, print } from '../output/print.ts'
import { spinWhile } from '../output/spinner.ts'
import { depositIds, idempotencyKey, newChange, type ActionOptions } from './command.ts'
import { forEachId } from '../session/each-id.ts'

/** `deposit publish <id>`: prints the URL of the record. */
export function publishCommand(context: CliContext): Command {
  return newChange('publish', {
    'deposit publish 4f2a91': "publishes it and prints the record's URL",
    'deposit publish 4f2a91 --json links.record_html': "the record's URL as JSON",
    'deposit publish 4f2a91 81c07d': 'publishes both, one after the other',
  })
    .description(
      'Publish a draft as a record: its metadata and a snapshot of its files. After an edit, the ' +
        'changes are merged with those that others made to the record since. Where both changed ' +
        'the same field nothing is published, and all three values are shown: `deposit action ID ' +
        'merge` keeps those of the draft and takes over the rest.',
    )
    .argument(...depositIds)
    .option(...idempotencyKey)
    .action((ids: string[], options: ActionOptions) => publishAll(context, ids, options))
}

async function publishAll(
  context: CliContext,
  ids: readonly string[],
  options: ActionOptions,
): Promise<void> {
  if (options.idempotencyKey !== undefined) requireOne(ids)
  const client = await context.client(options)
  const published = await forEachId(context, ids, async (id) => {
    const deposit = await publish(context, client, id, options)
    const lines = (): readonly string[] => [recordUrl(deposit) ?? deposit.id]
    if (options.json === undefined)
      print(context.streams, options, { body: deposit, ids: [deposit.id], lines })
    return deposit
  })
  if (options.json !== undefined)
    print(context.streams, options, {
      body: await published.body((deposit) => deposit),
      ids: [],
      lines: () => [],
    })
}

/** @throws {UsageFailure} a key stands for one request */
function requireOne(ids: readonly string[]): void {
  if (ids.length === 1) return
  throw new UsageFailure({
    tried: `publish ${ids.join(' ')}`,
    said: '--idempotency-key is for a single deposit',
    next: advice.publishEach(),
  })
}

async function publish(
  context: CliContext,
  client: DepositClient,
  id: string,
  options: ActionOptions,
): Promise<DepositBody> {
  const { streams } = context
  if (options.dryRun) await requirePublishable(context, client, id, options)
  const waiting = { quiet: options.quiet === true, text: 'Publishing' }
  const deposit = await spinWhile(streams, waiting, () =>
    client.runAction(id, 'publish', options.idempotencyKey),
  )
  narrate(streams, options, `Published ${deposit.id}`)
  return deposit
}

/** Refuses what publishing would be refused for, all of it. */
async function requirePublishable(
  { streams }: CliContext,
  client: DepositClient,
  id: string,
  options: ActionOptions,
): Promise<void> {
  const [{ toWarning }, { requireFaultless }] = await Promise.all([
    import('../output/finding.ts'),
    import('../client/rehearsal.ts'),
  ])
  const { errors, warnings } = await client.rehearse(id)
  await client.requireMayPublish(id)
  for (const warning of warnings) narrate(streams, options, toWarning(warning))
  requireFaultless(`publish ${id}`, id, errors)
}
