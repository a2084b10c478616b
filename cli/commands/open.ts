import type { Command } from 'commander'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { recordUrl } from '../output/deposit-facts.ts'
import { print } from '../output/print.ts'
import { newCommand, type CommonOptions } from './command.ts'

interface OpenOptions extends CommonOptions {
  readonly record?: true
}

/** `deposit open <id>`: its page in the browser. */
export function openCommand(context: CliContext): Command {
  return newCommand('open', {
    'deposit open 4f2a91': 'opens the page of the deposit',
    'deposit open 4f2a91 --record': 'opens the published record',
  })
    .description(
      'Open the page of a deposit in the browser and print its address. Where nobody watches ' +
        '(a script, a pipe), the address is printed alone.',
    )
    .argument('<id>', 'identifier of the deposit')
    .option('--record', 'the record, instead of the page to edit')
    .action((id: string, options: OpenOptions) => openPage(context, id, options))
}

async function openPage(context: CliContext, id: string, options: OpenOptions): Promise<void> {
  const { streams, config, http } = context
  const client = await context.client(options)
  const deposit = await client.read(id)
  const record = options.record ? requireRecord(deposit) : undefined
  const url = record ?? deposit.links['html'] ?? deposit.id
  print(streams, options, { body: deposit, ids: [deposit.id], lines: () => [url] })
  if (!streams.isWatched || !streams.isOutTerminal) return
  const [{ openInBrowser }, { withTicket }] = await Promise.all([
    import('../output/browser.ts'),
    import('../auth/browser-ticket.ts'),
  ])
  // The ticket goes to the browser alone: what is printed may be kept or shared.
  const needsTicket = record === undefined && config.hasDesktop
  const owners = deposit.metadata._deposit?.owners ?? []
  const opened = needsTicket ? await withTicket(config, await http(), url, owners) : url
  await openInBrowser(opened, config.hasDesktop)
}

/** @throws {Failure} the deposit was never published */
function requireRecord(deposit: DepositBody): string {
  const url = recordUrl(deposit)
  if (url !== undefined) return url
  throw new Failure(
    {
      tried: `open the record of ${deposit.id}`,
      said: 'the deposit was never published',
      next: `see whether it is ready with \`deposit check ${deposit.id}\`, then publish it`,
    },
    { exitCode: exitCodes.refused },
  )
}
