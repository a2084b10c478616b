import { advice } from '../advice.ts'
import type { Command } from 'commander'
import { safeKey } from '../../core/contract/file-key.ts'
import type { CliContext } from '../session/context.ts'
import { UsageFailure } from '../failure.ts'
import { quoted } from '../plain.ts'
import { narrate, print } from '../output/print.ts'
import { depositId, newChange, type CommonOptions } from './command.ts'

/** `deposit rename <id> <key> <new-key>`: gives a file another name. */
export function renameCommand(context: CliContext): Command {
  return newChange('rename', {
    'deposit rename 4f2a91 a.csv data/a.csv': 'moves it into a folder',
  })
    .description('Rename a file of a draft. An existing name is refused.')
    .argument(...depositId)
    .argument('<key>', 'name of the file')
    .argument('<new-key>', 'its new name; folders with slashes')
    .action((id: string, key: string, newKey: string, options: CommonOptions) =>
      rename(context, id, { key, newKey }, options),
    )
}

async function rename(
  { client: connect, streams }: CliContext,
  id: string,
  { key, newKey }: { readonly key: string; readonly newKey: string },
  options: CommonOptions,
): Promise<void> {
  if (key === newKey) throw unusable(id, key, 'that is the name it has')
  if (newKey.split(/[\\/]/).includes('..'))
    throw unusable(id, key, `${quoted(newKey)} leads out of the deposit`)
  const safe = safeKey(newKey)
  if ('reason' in safe) throw unusable(id, key, `${quoted(newKey)}: ${safe.reason}`)
  const client = await connect(options)
  const file = await client.renameFile(id, key, newKey)
  narrate(streams, options, `Renamed ${key} to ${file.filename}`)
  print(streams, options, { body: file, ids: [file.id], lines: () => [file.filename] })
}

function unusable(id: string, key: string, said: string): UsageFailure {
  return new UsageFailure({
    tried: `rename ${key} of ${id}`,
    said,
    next: advice.giveOtherName(id, key),
  })
}
