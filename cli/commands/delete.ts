import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { narrate, print } from '../output/print.ts'
import { newChange, type CommonOptions } from './command.ts'
import { forEachId } from '../session/each-id.ts'

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
    .argument('<id...>', 'whole identifiers of deposits, or addresses of their pages')
    .option('--keep', 'keep it hidden for some time, for `depositd undelete`')
    .action((ids: string[], options: DeleteOptions) => removeAll(context, ids, options))
}

async function removeAll(
  context: CliContext,
  ids: readonly string[],
  options: DeleteOptions,
): Promise<void> {
  const { streams } = context
  const client = await context.client(options)
  const deleted = await forEachId(context, ids, async (id) => {
    const whole = await client.resolveWhole(id)
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
