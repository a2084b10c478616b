import { advice } from '../advice.ts'
import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { UsageFailure } from '../failure.ts'
import { narrate } from '../output/print.ts'
import { depositId, newChange, type CommonOptions } from './command.ts'
import { printFiles } from './files.ts'

interface SortOptions extends CommonOptions {
  readonly by?: string
}

/** `deposit sort <id> [key...]`: changes the order of the files. */
export function sortCommand(context: CliContext): Command {
  return newChange('sort', {
    'deposit sort 4f2a91 README.md data.csv': 'moves these two to the front',
    'deposit sort 4f2a91 --by name': 'puts all into path order',
  })
    .description(
      'Change the order of the files of a draft. The other files follow in the order they had.',
    )
    .argument(...depositId)
    .argument('[key...]', 'names of the files to put first')
    .option('--by <what>', 'the order of the rest: name')
    .action((id: string, keys: string[], options: SortOptions) => sort(context, id, keys, options))
}

async function sort(
  context: CliContext,
  id: string,
  keys: readonly string[],
  options: SortOptions,
): Promise<void> {
  if (options.by !== undefined && options.by !== 'name') throw unknownOrder(id, options.by)
  if (options.by === undefined && keys.length === 0) throw noOrder(id)
  const [{ inOrder, toId }, { pickFiles }, { comparePaths }] = await Promise.all([
    import('../transfer/send-files.ts'),
    import('../transfer/pick-files.ts'),
    import('../transfer/read-folder.ts'),
  ])
  const client = await context.client(options)
  const files = await client.listFiles(id)
  const first = pickFiles(id, files, keys).map(({ filename }) => filename)
  const names = files.map(({ filename }) => filename)
  const rest = options.by === 'name' ? names.toSorted(comparePaths) : names
  const order = inOrder(files, [...first, ...rest]).map(toId)
  const sorted = await client.sortFiles(id, order)
  narrate(context.streams, options, `Sorted the files of ${id}`)
  await printFiles(context, options, sorted)
}

function unknownOrder(id: string, by: string): UsageFailure {
  const next = advice.nameOrder(id)
  return new UsageFailure({ tried: `sort ${id}`, said: `files cannot be sorted by "${by}"`, next })
}

function noOrder(id: string): UsageFailure {
  const next = advice.nameOrder(id)
  return new UsageFailure({ tried: `sort ${id}`, said: 'no order was given', next })
}
