import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { recordUrl } from '../output/deposit-facts.ts'
import { narrate, print } from '../output/print.ts'
import { spinWhile } from '../output/spinner.ts'
import { newCommand, type CommonOptions } from './command.ts'

/** `deposit publish <id>`: prints the URL of the record. */
export function publishCommand(context: CliContext): Command {
  return newCommand('publish', {
    'deposit publish 4f2a91': "publishes it and prints the record's URL",
    'deposit publish 4f2a91 --json links.record': 'prints where the record is as JSON',
  })
    .description(
      'Publish a draft as a record: its metadata and a snapshot of its files. After an edit, ' +
        'the changes are merged with what was published meanwhile.',
    )
    .argument('<id>', 'identifier of the deposit')
    .action((id: string, options: CommonOptions) => publish(context, id, options))
}

async function publish(context: CliContext, id: string, options: CommonOptions): Promise<void> {
  const { streams } = context
  const client = await context.client(options)
  const waiting = { quiet: options.quiet === true, text: 'Publishing' }
  const deposit = await spinWhile(streams, waiting, () => client.runAction(id, 'publish'))
  narrate(streams, options, `Published ${deposit.id}`)
  const lines = (): readonly string[] => [recordUrl(deposit) ?? deposit.id]
  print(streams, options, { body: deposit, ids: [deposit.id], lines })
}
