import type { Command } from 'commander'
import type { DepositClient } from '../client/deposit-client.ts'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { recordUrl } from '../output/deposit-facts.ts'
import { narrate, print } from '../output/print.ts'
import { spinWhile } from '../output/spinner.ts'
import { idempotencyKey, newChange, type ActionOptions } from './command.ts'

/** `deposit publish <id>`: prints the URL of the record. */
export function publishCommand(context: CliContext): Command {
  return newChange('publish', {
    'deposit publish 4f2a91': "publishes it and prints the record's URL",
    'deposit publish 4f2a91 --json links.record': 'prints where the record is as JSON',
  })
    .description(
      'Publish a draft as a record: its metadata and a snapshot of its files. After an edit, ' +
        'the changes are merged with what was published meanwhile.',
    )
    .argument('<id>', 'identifier of the deposit')
    .option(...idempotencyKey)
    .action((id: string, options: ActionOptions) => publish(context, id, options))
}

async function publish(context: CliContext, id: string, options: ActionOptions): Promise<void> {
  const { streams } = context
  const client = await context.client(options)
  if (options.dryRun) await requirePublishable(context, client, id, options)
  const waiting = { quiet: options.quiet === true, text: 'Publishing' }
  const deposit = await spinWhile(streams, waiting, () =>
    client.runAction(id, 'publish', options.idempotencyKey),
  )
  narrate(streams, options, `Published ${deposit.id}`)
  const lines = (): readonly string[] => [recordUrl(deposit) ?? deposit.id]
  print(streams, options, { body: deposit, ids: [deposit.id], lines })
}

/** A rehearsal tells everything that stands in the way. */
async function requirePublishable(
  { streams }: CliContext,
  client: DepositClient,
  id: string,
  options: ActionOptions,
): Promise<void> {
  const { toLine, toWarning } = await import('../check/finding.ts')
  const { errors, warnings } = await client.rehearse(id)
  for (const warning of warnings) narrate(streams, options, toWarning(warning))
  if (errors.length === 0) return
  throw new Failure(
    {
      tried: `publish ${id}`,
      said: errors.map(toLine).join('; '),
      next: `correct that, and run \`deposit check ${id}\``,
    },
    { exitCode: exitCodes.refused },
  )
}
