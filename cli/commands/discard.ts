import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { narrate, printDeposit } from '../output/print.ts'
import { depositId, idempotencyKey, newChange, type ActionOptions } from './command.ts'

/** `deposit discard <id>`: discards the changes since the last publish. */
export function discardCommand(context: CliContext): Command {
  return newChange('discard', {
    'deposit discard 4f2a91': 'restores what is published',
  })
    .description(
      'Give up the changes since the last publish. A draft that was never published has nothing ' +
        'to go back to: `deposit delete` removes it.',
    )
    .argument(...depositId)
    .option(...idempotencyKey)
    .action((id: string, options: ActionOptions) => discard(context, id, options))
}

async function discard(context: CliContext, id: string, options: ActionOptions): Promise<void> {
  const client = await context.client(options)
  const deposit = await client.runAction(id, 'discard', options.idempotencyKey)
  narrate(
    context.streams,
    options,
    `Discarded the changes to ${deposit.id}; it is again as it was published`,
  )
  printDeposit(context.streams, options, deposit)
}
