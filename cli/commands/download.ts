import { advice } from '../advice.ts'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { FileBody } from '../../core/contract/schemas.ts'
import type { Connection } from '../client/connection.ts'
import { RehearsalEnd } from '../client/rehearsal.ts'
import type { CliContext } from '../session/context.ts'
import { UsageFailure } from '../failure.ts'
import { plain } from '../plain.ts'
import { narrate, print } from '../output/print.ts'
import { count } from '../output/units.ts'
import { knownDeposit, newChange, type CommonOptions } from './command.ts'
import { jobs, jobsFor, progressForm } from '../options.ts'

interface DownloadOptions extends CommonOptions {
  readonly output?: string
  readonly replace?: true
  readonly jobs?: number
}

/** `deposit download <id> [key...]`: fetches files; prints the paths written. */
export function downloadCommand(context: CliContext): Command {
  return newChange('download', {
    'deposit download 4f2a91': 'all files, into a folder named after the deposit',
    'deposit download 4f2a91 --output data': 'into ./data',
    'deposit download 4f2a91 README.md data/': 'one file, and a folder of them',
    "deposit download 4f2a91 'data/*.csv'": 'the files that a pattern matches',
    'deposit download 4f2a91 README.md --output -': 'one file to standard output',
    'deposit download --output ../copy': 'those of the deposit that the current folder knows',
  })
    .description(
      'Download the files of a deposit with their folders. Digests are verified; existing files ' +
        'with the same bytes are kept. Nothing is written outside of the folder, nor through a ' +
        'link. Names that have a meaning to programs (`.git`, `.hg`, `.deposit.json`) get a leading ' +
        'underscore. A public record, named by its identifier or address, is downloaded without ' +
        'signing in, also if it is not yours.',
    )
    .argument(...knownDeposit)
    .argument('[key...]', 'names of files, folders or patterns; default: all files')
    .option('-o, --output <dir>', 'folder to write to, created if missing; - for standard output')
    .option('--replace', 'overwrite existing files that differ')
    .option(...jobs('files fetched at once; default 8, or 32 small ones'))
    .option(...progressForm)
    .action((given: string | undefined, keys: string[], options: DownloadOptions) =>
      download(context, given, keys, options),
    )
}

async function download(
  context: CliContext,
  given: string | undefined,
  keys: readonly string[],
  options: DownloadOptions,
): Promise<void> {
  const [{ pickFiles }, { requireNoFileAsFolder, requireSafeNames }, { toLocalNames }] =
    await Promise.all([
      import('../transfer/pick-files.ts'),
      import('../transfer/safe-target.ts'),
      import('../transfer/local-names.ts'),
    ])
  const { streams } = context
  const client = await context.client(options)
  const { findNamed } = await import('../folder/folder-deposit.ts')
  const { id, dir } = await findNamed(context, client, given, options)
  if (dir !== undefined && options.output === undefined) throw noPlace(id, dir)
  const all = await client.listFiles(id)
  const files = keys.length === 0 ? all : pickFiles(id, all, keys)
  if (options.output === '-') {
    await writeOut(context, client.connection, files, options)
    return
  }
  requireSafeNames(files, 'download the files')
  requireNoFileAsFolder(files)
  const local = toLocalNames(files)
  for (const note of local.notes) narrate(streams, options, note)
  const root = resolve(context.folder, options.output ?? (await client.nameOf(id)))
  await requireFolder(root)
  if (options.dryRun) {
    await rehearse(context, root, local.files, options)
    return
  }
  const written = await fetchFiles(context, client.connection, root, local.files, options)
  narrate(streams, options, summarize(written.length, files.length, root))
  print(streams, options, { body: files, ids: files.map((file) => file.id), lines: () => written })
}

/** Beside the data, the copy would be part of them. */
function noPlace(id: string, dir: string): UsageFailure {
  const folder = dir === '.' ? 'the current folder' : dir
  return new UsageFailure({
    tried: `download ${id}, the deposit of ${folder}`,
    said: 'no folder was named for the copy',
    next: advice.nameFolder(),
  })
}

function summarize(written: number, all: number, root: string): string {
  if (all === 0) return 'The deposit has no files'
  const there = all - written
  if (written === 0)
    return `${there === 1 ? 'The file is' : `All ${there} files are`} in ${root} already`
  const rest = there === 0 ? '' : `; ${count(there, 'file')} already there`
  return `Downloaded ${count(written, 'file')} to ${root}${rest}`
}

/** @throws {Failure} something else has the name of the folder */
async function requireFolder(root: string): Promise<void> {
  const found = await stat(root).catch(() => undefined)
  if (found === undefined || found.isDirectory()) return
  throw new UsageFailure({
    tried: `write to ${root}`,
    said: 'it is not a folder',
    next: advice.nameFolder(),
  })
}

/**
 * Streams one file to standard output; its digest is compared at the end.
 *
 * @throws {Failure} there are several, or the bytes were not those of the deposit
 */
async function writeOut(
  { streams }: CliContext,
  connection: Connection,
  files: readonly FileBody[],
  options: DownloadOptions,
): Promise<void> {
  const [file] = files
  if (file === undefined || files.length > 1 || options.json !== undefined) {
    throw new UsageFailure({
      tried: `write ${count(files.length, 'file')} to standard output`,
      said: 'it takes one file, and cannot be combined with --json',
      next: advice.nameOneFile(),
    })
  }
  if (options.dryRun) throw new RehearsalEnd(`download ${file.filename}`)
  await writeFileOut({ streams }, connection, file)
}

/** @throws {Failure} standard output cannot be written, or the bytes were not those of the deposit */
export async function writeFileOut(
  { streams }: Pick<CliContext, 'streams'>,
  connection: Connection,
  file: FileBody,
): Promise<void> {
  const { fetchTo } = await import('../transfer/fetch-part.ts')
  try {
    await fetchTo(streams.outBytes, connection, file)
  } catch (error) {
    const { noWrite } = await import('../no-write.ts')
    const kept = 'the file is not complete there'
    const tried = `download ${file.filename}`
    const place = { tried, path: 'standard output', kept, elsewhere: advice.nameFolder() }
    throw noWrite(error, place) ?? error
  }
}

async function rehearse(
  { streams }: CliContext,
  root: string,
  files: readonly FileBody[],
  options: DownloadOptions,
): Promise<void> {
  const { findAbsent } = await import('../transfer/download-files.ts')
  const absent = await findAbsent({ root, replace: options.replace === true }, files)
  narrate(streams, options, `Would download ${count(absent.length, 'file')} to ${root}`)
  const lines = () => absent.map(({ filename }) => plain(filename))
  print(streams, options, { body: absent, ids: absent.map((file) => file.id), lines })
}

async function fetchFiles(
  { streams }: CliContext,
  connection: Connection,
  root: string,
  files: readonly FileBody[],
  options: DownloadOptions,
): Promise<readonly string[]> {
  const [{ downloadFiles }, { startProgress }] = await Promise.all([
    import('../transfer/download-files.ts'),
    import('../output/progress.ts'),
  ])
  const bytes = files.reduce((sum, { filesize }) => sum + filesize, 0)
  const transfer = { verb: 'Downloading', files: files.length, bytes }
  using progress = await startProgress(streams, transfer, options.quiet === true)
  const { jobs: number = jobsFor(transfer), replace = false } = options
  const to = { connection, root, replace, jobs: number, progress }
  try {
    return await downloadFiles(to, files)
  } catch (error) {
    const { noWrite } = await import('../no-write.ts')
    const kept = 'all that has arrived is kept'
    const place = { tried: 'download the files', path: root, kept, elsewhere: advice.nameFolder() }
    throw noWrite(error, place) ?? error
  }
}
