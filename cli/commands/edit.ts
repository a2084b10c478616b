import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { narrate, printDeposit } from '../output/print.ts'
import { newCommand, type CommonOptions } from './command.ts'

/** `deposit edit <id>`: opens a published deposit for changes. */
export function editCommand(context: CliContext): Command {
  return newCommand('edit', {
    'deposit edit 4f2a91': 'makes it a draft again; the record stays as it is',
    'deposit update 4f2a91 --set title="Tides, corrected"': 'changes the draft',
    'deposit publish 4f2a91': 'publishes the change',
  })
    .description('Open a published deposit for changes of its metadata. Its files stay.')
    .argument('<id>', 'identifier of the deposit')
    .action((id: string, options: CommonOptions) => edit(context, id, options))
}

async function edit(context: CliContext, id: string, options: CommonOptions): Promise<void> {
  const client = await context.client(options)
  const deposit = await client.runAction(id, 'edit')
  narrate(context.streams, options, `${deposit.id} is a draft again`)
  printDeposit(context.streams, options, deposit)
}
