import { Option, type Command } from 'commander'
import type { TrashBody } from '../../core/contract/history.ts'
import type { FileBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import { ApiFailure } from '../client/api-failure.ts'
import { isFile, isTrash } from '../client/bodies.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { plain } from '../plain.ts'
import { narrate, print } from '../output/print.ts'
import { formatTable } from '../output/table.ts'
import { count, formatBytes, formatTime } from '../output/units.ts'
import type { CliContext } from '../session/context.ts'
import { knownDeposit, newChange, type CommonOptions } from './command.ts'

interface RestoreOptions extends CommonOptions {
  readonly as?: string
  readonly versions?: true
  readonly to?: string
}

/** `deposit restore [id] [name...]`: brings back deleted files. */
export function restoreCommand(context: CliContext): Command {
  return newChange('restore', {
    'deposit restore 4f2a91': 'lists the deleted files that can be brought back',
    'deposit restore': 'lists those of the deposit that the current folder knows',
    'deposit restore . notes.txt': 'brings one of them back',
    'deposit restore 4f2a91 notes.txt': 'brings one back, with all its versions',
    'deposit restore 4f2a91 data/': 'all files of a folder',
    'deposit restore 4f2a91 notes.txt --as old.txt': 'under another name',
    'deposit restore 4f2a91 notes.txt --to previous': 'as it was before it was replaced',
  })
    .description(
      'Bring back files that were deleted from a draft, or list them. Of several files of one name ' +
        'the one that was deleted last is meant; an id names any. Deleted files are kept for some ' +
        'time, usually 30 days, and go earlier where the disk or the quota is short. Once a ' +
        'deposit was published, they cannot be brought back. A file that was replaced has its earlier ' +
        'versions: --versions lists them, and --to makes one the latest again; none is lost by that.',
    )
    .argument(...knownDeposit)
    .argument('[name...]', 'names, folders/ or patterns, or ids; default: list them')
    .option('--as <name>', 'another name for the one file that is brought back')
    .option('--versions', 'list the versions of the one file, the latest first')
    .addOption(
      new Option(
        '--to <version>',
        'the version of the one file that becomes the latest again: its id, the start of it, or `previous`',
      ).conflicts(['as', 'versions']),
    )
    .action((id: string | undefined, names: string[], options: RestoreOptions) =>
      restore(context, id, names, options),
    )
}

async function restore(
  context: CliContext,
  given: string | undefined,
  names: readonly string[],
  options: RestoreOptions,
): Promise<void> {
  const { streams } = context
  const client = await context.client(options)
  const { lookForFiles, readNamed } = await import('../folder/folder-deposit.ts')
  const words = given === undefined ? names : [given, ...names]
  const deposit = await lookForFiles(context, 'restore', words, () =>
    readNamed(context, client, given, options),
  )
  const { id, links } = deposit
  if (options.versions || options.to !== undefined) {
    const { listVersions, restoreVersion } = await import('./restore-version.ts')
    const place = { context, client, deposit }
    const name = soleName(names)
    if (options.to === undefined) return listVersions(place, name, options)
    return restoreVersion(place, { name, wanted: options.to }, options)
  }
  const trash = await client.connection.list(`list the deleted files of ${id}`, isTrash, {
    method: 'GET',
    path: links['trash'] ?? '',
  })
  if (names.length === 0) return list(context, id, trash, options)
  const { pickDeleted } = await import('../transfer/pick-files.ts')
  // Look all of them up first, so that a mistyped name restores nothing.
  const picked = pickDeleted(id, trash, names)
  if (options.dryRun)
    await client.permissions.requirePossible(`restore files of ${id}`, 'upload', deposit)
  const restored: FileBody[] = []
  for (const { filename, links: own } of options.dryRun ? [] : picked) {
    const json = options.as === undefined ? {} : { filename: options.as }
    const request = { method: 'POST', path: own.self, json }
    const tried = `restore ${filename} of ${id}`
    const file = client.connection.json(tried, isFile, request)
    restored.push(await file.catch((error: unknown) => failTaken(error, { id, name: filename })))
  }
  const verb = options.dryRun ? 'Would restore' : 'Restored'
  narrate(streams, options, `${verb} ${count(picked.length, 'file')} of ${id}`)
  const body = options.dryRun ? picked : restored
  const lines = (): readonly string[] => body.map(({ filename }) => plain(filename))
  print(streams, options, { body, ids: body.map((file) => file.id), lines })
}

/** @throws {UsageFailure} there is none, or there are several */
function soleName(names: readonly string[]): string {
  const [name, other] = names
  if (name !== undefined && other === undefined) return name
  throw new UsageFailure({
    tried: 'find the versions of a file',
    said: 'they are listed, or one of them is restored, for one file at a time',
    next: advice.nameOneOfFiles(),
  })
}

/** @throws {Failure} the error; where the name is taken, with the way to another one */
function failTaken(
  error: unknown,
  { id, name }: { readonly id: string; readonly name: string },
): never {
  if (!(error instanceof ApiFailure) || error.problem.code !== 'file_already_exists') throw error
  const { tried, problem, exitCode } = error
  // The rest of its message is about requests, not about this command.
  const reason = problem.errors?.[0]?.message ?? problem.message
  const said = error.said.replace(problem.message, () => reason)
  throw new Failure({ tried, said, next: advice.restoreAs(id, name) }, { cause: error, exitCode })
}

async function list(
  { streams }: CliContext,
  id: string,
  trash: TrashBody,
  options: RestoreOptions,
): Promise<void> {
  const rows = trash.map((file) => [
    plain(file.filename),
    formatBytes(file.filesize),
    formatTime(file.deleted),
    plain(file.expires?.slice(0, 10) ?? ''),
  ])
  const table = await formatTable(streams, columns, rows)
  const lines = (): readonly string[] => (trash.length === 0 ? [] : table)
  print(streams, options, { body: trash, ids: trash.map((file) => file.id), lines })
  narrate(streams, options, `${count(trash.length, 'deleted file')} in ${id}`)
}

const columns = [
  { title: 'NAME', isFlexible: true },
  { title: 'SIZE', align: 'right' },
  { title: 'DELETED' },
  { title: 'KEPT UNTIL' },
] as const
