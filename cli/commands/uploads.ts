import { advice } from '../advice.ts'
import type { Command } from 'commander'
import { UsageFailure } from '../failure.ts'
import type { UploadBody } from '../client/bodies.ts'
import type { CliContext } from '../session/context.ts'
import { plain } from '../plain.ts'
import { narrate, print } from '../output/print.ts'
import { formatTable } from '../output/table.ts'
import { count, formatBytes } from '../output/units.ts'
import { knownDeposit, newChange, type CommonOptions } from './command.ts'

interface UploadsOptions extends CommonOptions {
  readonly delete?: true
  readonly all?: true
}

/** `deposit uploads [id] [name...]`: lists or deletes unfinished uploads. */
export function uploadsCommand(context: CliContext): Command {
  return newChange('uploads', {
    'deposit uploads 4f2a91': 'the unfinished uploads, and how much has arrived',
    'deposit uploads': 'those of the deposit that the current folder knows',
    'deposit uploads 4f2a91 large.bin --delete': 'deletes one unfinished upload',
    'deposit uploads 4f2a91 --all --delete': 'deletes all of them',
  })
    .description(
      'List the unfinished uploads of a deposit, of this or any other program, or delete them. ' +
        'To finish one, run the command that began it once more: only the rest is sent.',
    )
    .argument(...knownDeposit)
    .argument('[name...]', 'names of files, folders/ or patterns, or ids of uploads; default: all')
    .option('--delete', 'delete the parts that have arrived')
    .option('--all', 'with --delete: all uploads')
    .action((id: string | undefined, names: string[], options: UploadsOptions) =>
      uploads(context, id, names, options),
    )
}

async function uploads(
  context: CliContext,
  given: string | undefined,
  names: readonly string[],
  options: UploadsOptions,
): Promise<void> {
  const { streams } = context
  if (options.delete && names.length === 0 && !options.all) throw nothingNamed(given ?? '.')
  const { pickUploads } = await import('../transfer/pick-files.ts')
  const client = await context.client(options)
  const { findNamed } = await import('../folder/folder-deposit.ts')
  const { id } = await findNamed(context, client, given, options)
  const all = await client.listUploads(id)
  // Look all of them up first, so that a mistyped name deletes nothing.
  const picked = names.length === 0 ? all : pickUploads(id, all, names)
  if (options.delete && !options.dryRun) for (const one of picked) await client.deleteUpload(one)
  const table = await formatTable(streams, columns, picked.map(toRow))
  const lines = (): readonly string[] => (picked.length === 0 || options.delete ? [] : table)
  print(streams, options, { body: picked, ids: picked.map((one) => one.id), lines })
  narrate(streams, options, told(id, picked.length, options))
}

function told(id: string, number: number, options: UploadsOptions): string {
  const what = count(number, 'unfinished upload')
  if (!options.delete) return `${what} in ${id}`
  return `${options.dryRun ? 'Would delete' : 'Deleted'} ${what} of ${id}`
}

function nothingNamed(id: string): UsageFailure {
  return new UsageFailure({
    tried: `delete unfinished uploads of ${id}`,
    said: 'no file is named',
    next: advice.nameUploads(id),
  })
}

const columns = [
  { title: 'NAME', isFlexible: true },
  { title: 'ARRIVED', align: 'right' },
  { title: 'SIZE', align: 'right' },
  { title: 'KEPT UNTIL' },
] as const

function toRow(upload: UploadBody): readonly string[] {
  const { filename, offset, filesize, length_deferred: isUnknown, expires } = upload
  const size = isUnknown ? 'not known' : formatBytes(filesize)
  return [plain(filename), formatBytes(offset), size, plain(expires.slice(0, 10))]
}
