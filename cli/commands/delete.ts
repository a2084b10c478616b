import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { narrate, print } from '../output/print.ts'
import { newChange, type CommonOptions } from './command.ts'

interface DeleteOptions extends CommonOptions {
  readonly keep?: true
}

/** `deposit delete <id>`: removes a draft with its files. */
export function deleteCommand(context: CliContext): Command {
  return newChange('delete', {
    'deposit delete 4f2a91c0…': 'removes the draft, its files and their bytes',
    'deposit delete 4f2a91c0… --keep': 'an operator can bring it back for some time',
  })
    .description(
      'Delete a draft that was never published, with its files. It takes the whole identifier.',
    )
    .argument('<id>', 'whole identifier of the deposit')
    .option('--keep', 'keep it out of sight for a while (`depositd undelete`)')
    .action((id: string, options: DeleteOptions) => remove(context, id, options))
}

async function remove(context: CliContext, id: string, options: DeleteOptions): Promise<void> {
  const client = await context.client(options)
  await client.delete(id, { force: options.keep !== true })
  narrate(context.streams, options, `Deleted ${id}`)
  print(context.streams, options, { body: { id }, ids: [id], lines: () => [] })
}
