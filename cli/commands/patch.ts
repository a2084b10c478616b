import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { narrate, printDeposit } from '../output/print.ts'
import { depositId, newChange, type CommonOptions } from './command.ts'

/** `deposit patch <id> <file>`: applies a JSON Patch. */
export function patchCommand(context: CliContext): Command {
  return newChange('patch', {
    'deposit patch 4f2a91 changes.json': 'applies the operations in the file',
    'deposit patch 4f2a91 - < changes.yaml': 'takes them from a pipe',
  })
    .description('Apply a JSON Patch (RFC 6902) to the metadata of a draft: all of it, or nothing.')
    .argument(...depositId)
    .argument('<file>', 'the patch in JSON or YAML; - reads standard input')
    .action((id: string, file: string, options: CommonOptions) => patch(context, id, file, options))
}

async function patch(
  context: CliContext,
  id: string,
  file: string,
  options: CommonOptions,
): Promise<void> {
  const { readDocument } = await import('../metadata/read-metadata.ts')
  const operations = await readDocument(context, file)
  const client = await context.client(options)
  const deposit = await client.patch(id, operations)
  narrate(context.streams, options, `Patched ${deposit.id}`)
  printDeposit(context.streams, options, deposit)
}
