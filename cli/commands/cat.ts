import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { depositOrFolder, newCommand, type CommonOptions } from './command.ts'
import { writeFileOut } from './download.ts'

/** `deposit cat <id> <key...>`: writes files to standard output. */
export function catCommand(context: CliContext): Command {
  return newCommand('cat', {
    'deposit cat 4f2a91 README.md': 'prints the file',
    'deposit cat . README.md': 'the one of the deposit that the current folder knows',
    "deposit cat 4f2a91 'data/*.csv' | wc -l": 'one file after the other',
  })
    .description(
      'Write files of a deposit to standard output, one after the other. Digests are verified: ' +
        'if the bytes are not those of the deposit, the command fails after it wrote them.',
    )
    .usage('[options] <id> <key...>')
    .argument(...depositOrFolder)
    .argument('[key...]', 'names of files, folders or patterns')
    .action((id: string, keys: string[], options: CommonOptions) => cat(context, id, keys, options))
}

async function cat(
  context: CliContext,
  given: string,
  keys: readonly string[],
  options: CommonOptions,
): Promise<void> {
  const { findNamed, lookForFiles, requireFileNames } = await import('../folder/folder-deposit.ts')
  await requireFileNames(context, 'cat', given, keys)
  const { pickFiles } = await import('../transfer/pick-files.ts')
  const client = await context.client(options)
  const { id, listed } = await lookForFiles(context, 'cat', [given, ...keys], async () => {
    const { id } = await findNamed(context, client, given, options)
    return { id, listed: await client.listFiles(id) }
  })
  for (const file of pickFiles(id, listed, keys))
    await writeFileOut(context, client.connection, file)
}
