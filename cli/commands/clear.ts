import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { narrate, printDeposit } from '../output/print.ts'
import { depositId, newChange, type CommonOptions } from './command.ts'

/** `deposit clear <id>`: empties the metadata. */
export function clearCommand(context: CliContext): Command {
  return newChange('clear', { 'deposit clear 4f2a91': 'leaves the draft without metadata' })
    .description('Empty the metadata of a draft. Its files, id and owners stay.')
    .argument(...depositId)
    .action((id: string, options: CommonOptions) => clear(context, id, options))
}

async function clear(context: CliContext, id: string, options: CommonOptions): Promise<void> {
  const client = await context.client(options)
  const deposit = await client.replace(id, {})
  narrate(context.streams, options, `Cleared ${deposit.id}`)
  printDeposit(context.streams, options, deposit)
}
