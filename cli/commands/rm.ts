import type { Command } from 'commander'
import type { FileBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { CliContext } from '../session/context.ts'
import { plain } from '../plain.ts'
import { narrate, print } from '../output/print.ts'
import { count } from '../output/units.ts'
import { depositOrFolder, newChange, type CommonOptions } from './command.ts'

/** `deposit rm <id> <key...>`: deletes files of a draft. */
export function rmCommand(context: CliContext): Command {
  return newChange('rm', {
    'deposit rm 4f2a91 notes.txt': 'deletes a file with its versions',
    'deposit rm . notes.txt': 'of the deposit that the current folder knows',
    'deposit rm 4f2a91 a.csv data/b.csv': 'deletes several',
    'deposit rm 4f2a91 data/ --dry-run': 'lists the files of a folder that would be deleted',
  })
    .description(
      'Delete files of a draft, with all their versions. A name that ends in / is a folder, one ' +
        'with * or ? a pattern. A terminal shows how to bring them back.',
    )
    .usage('[options] <id> <key...>')
    .argument(...depositOrFolder)
    .argument('[key...]', 'names of files, folders/ or patterns')
    .action((id: string, keys: string[], options: CommonOptions) => rm(context, id, keys, options))
}

async function rm(
  context: CliContext,
  given: string,
  keys: readonly string[],
  options: CommonOptions,
): Promise<void> {
  const { findNamed, lookForFiles, requireFileNames } = await import('../folder/folder-deposit.ts')
  await requireFileNames(context, 'rm', given, keys)
  const { pickFiles } = await import('../transfer/pick-files.ts')
  const client = await context.client(options)
  const { id, listed } = await lookForFiles(context, 'rm', [given, ...keys], async () => {
    const { id } = await findNamed(context, client, given, options)
    return { id, listed: await client.listFiles(id) }
  })
  // Look all of them up first, so that a mistyped name deletes nothing.
  const files = pickFiles(id, listed, keys, 'marked')
  if (options.dryRun) {
    await client.permissions.requirePossible(
      `delete files of ${id}`,
      'delete file',
      await client.read(id),
    )
  }
  const deleted = options.dryRun ? [] : files
  for (const { filename } of deleted) await client.deleteFile(id, filename)
  const verb = options.dryRun ? 'Would delete' : 'Deleted'
  narrate(context.streams, options, `${verb} ${count(files.length, 'file')} of ${id}`)
  const ids = files.map((file) => file.id)
  const lines = (): readonly string[] =>
    options.dryRun ? files.map(({ filename }) => plain(filename)) : []
  print(context.streams, options, { body: files, ids, lines })
  const { streams } = context
  const isForPerson = streams.isOutTerminal && streams.isWatched && !options.quiet
  if (isForPerson && deleted.length > 0) await tellOfTrash(context, client, id, deleted)
}

/** Says how to bring files back, where the server keeps them: it may keep none, or have no room. */
async function tellOfTrash(
  { streams }: CliContext,
  client: DepositClient,
  id: string,
  files: readonly FileBody[],
): Promise<void> {
  const [{ advice }, { isTrash }] = await Promise.all([
    import('../advice.ts'),
    import('../client/bodies.ts'),
  ])
  const { links } = await client.read(id)
  const path = links['trash']
  if (path === undefined) return
  const tried = `list the deleted files of ${id}`
  const trash = await client.connection.list(tried, isTrash, { method: 'GET', path })
  const kept = new Set(trash.map(({ filename }) => filename))
  const names = files.map(({ filename }) => filename).filter((name) => kept.has(name))
  if (names.length === 0) return
  streams.note(advice.restoreDeleted(id, names.length > mostNamed ? [] : names))
}

/** More names make no line. */
const mostNamed = 5
