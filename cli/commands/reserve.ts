import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { findNamed } from '../folder/folder-deposit.ts'
import { narrate, print } from '../output/print.ts'
import { providedPids, recordUrl } from '../output/deposit-facts.ts'
import { idempotencyKey, knownDeposit, newChange, type ActionOptions } from './command.ts'

/** `deposit reserve [id]`: prints the DOI that the record will have. */
export function reserveCommand(context: CliContext): Command {
  return newChange('reserve', {
    'deposit reserve 4f2a91': 'prints the DOI that the record will have',
    'deposit reserve': 'of the deposit that the current folder knows',
    'deposit reserve 4f2a91 --json pids.doi': 'the DOI with its status',
  })
    .description(
      'Reserve the DOI of a draft, so that it can be written into the files before they are ' +
        'published. It works as a link once the draft is published and the DOI registered. Run ' +
        'again, it prints the same DOI; deleting the draft gives it up. The server must register DOIs.',
    )
    .argument(...knownDeposit)
    .option(...idempotencyKey)
    .action((given: string | undefined, options: ActionOptions) => reserve(context, given, options))
}

async function reserve(
  context: CliContext,
  given: string | undefined,
  options: ActionOptions,
): Promise<void> {
  const client = await context.client(options)
  const { id, deposit: known } = await findNamed(context, client, given, options)
  const before = known ?? (await client.read(id))
  const made = providedPids(before).map(([, { value }]) => value)
  if (recordUrl(before) !== undefined && made.length > 0) {
    narrate(context.streams, options, `${before.id} was published: its record has its DOI`)
    print(context.streams, options, { body: before, ids: made, lines: () => made })
    return
  }
  const deposit = await client.runAction(id, 'reserve', options.idempotencyKey)
  const values = providedPids(deposit).map(([, { value }]) => value)
  narrate(
    context.streams,
    options,
    `Reserved for ${deposit.id}; it works as a link once the draft is published and the DOI registered`,
  )
  print(context.streams, options, { body: deposit, ids: values, lines: () => values })
}
