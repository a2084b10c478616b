import { writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { exportNames, packageNames, type PackageName } from '../../core/contract/exports.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { Connection } from '../client/connection.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'
import { telling } from '../no-write.ts'
import type { CliContext } from '../session/context.ts'
import { narrate, print } from '../output/print.ts'
import { count, formatBytes } from '../output/units.ts'
import { jobs, jobsFor, progressForm } from '../options.ts'
import type { FoundPackage } from '../transfer/export-package.ts'
import { readNamed } from '../folder/folder-deposit.ts'
import { forEachId } from '../session/each-id.ts'
import { knownDeposits, newCommand, type CommonOptions } from './command.ts'

interface ExportOptions extends CommonOptions {
  readonly as: string
  readonly output?: string
  readonly replace?: true
  readonly jobs?: number
}

/** `deposit export <id>`: the metadata in another format, or all files with them. */
export function exportCommand(context: CliContext): Command {
  return newCommand('export', {
    'deposit export 4f2a91 --as bibtex': 'an entry for a bibliography',
    'deposit export 4f2a91 --as datacite-xml --output datacite.xml': 'a file',
    'deposit export 4f2a91 --as cff > CITATION.cff': 'how to cite it, for a repository of code',
    'deposit export 4f2a91 --as bagit --output bag.zip': 'all files in a bag, as one file',
    'deposit export 4f2a91 --as ro-crate --output crate': 'a folder with all files and metadata',
    'deposit export 4f2a91 --as ocfl --output object': 'an OCFL object with every revision',
    'deposit export 4f2a91 77c0d2 --as bagit --output bags': 'a folder in bags/ for each record',
  })
    .description(
      'Print the metadata of a deposit or its record in another format: ' +
        `${exportNames.join(', ')}, and those that the server adds. ` +
        'A draft is written as its record would be. deposit-formats(7) has an example of each.\n\n' +
        'Or save a record with all its files: as zip, ro-crate, bagit or datapackage (Frictionless), to a ZIP archive if ' +
        '--output ends in .zip, else to a folder, or to standard output. A draft can be saved as ' +
        'zip alone. With ro-crate and datapackage, the metadata alone are printed without --output, ' +
        'or if it ends in .json. All bytes are verified: files of the deposit by their SHA-256, those that the ' +
        'server writes by their CRC-32. An export that was interrupted continues when it is run ' +
        'again; an archive has its name only once it is whole.\n\n' +
        'As ocfl, one record is saved as an object of OCFL 1.1: a folder with a version for each ' +
        'revision, of which bytes that several share are there once. Each has the files in files/, ' +
        'and record.json as the API answers it. Run again, it adds the revisions that are new. ' +
        'It has what the API ' +
        'says of the record, not what a service is made of again: for that, see export-ocfl in ' +
        'depositd(8).\n\n' +
        'Several deposits are saved as packages, each in a folder in --output that is named by its ' +
        'record, or by the draft. One that fails does not keep the others back. A public record, named ' +
        'by its identifier or address, is exported without signing in, also if it is not yours.',
    )
    .argument(...knownDeposits)
    .option('--as <name>', 'format or package', 'json')
    .option(
      '-o, --output <path>',
      'file to write, or a folder for a package; - is standard output, the default',
    )
    .option('--replace', 'overwrite existing files of a package that differ')
    .option(...jobs('files fetched at once; default 8, or 32 small ones'))
    .option(...progressForm)
    .action((ids: string[], options: ExportOptions) => exportAll(context, ids, options))
}

function exportAll(
  context: CliContext,
  ids: readonly string[],
  options: ExportOptions,
): Promise<void> {
  const [id = '.', ...others] = new Set(ids)
  return others.length === 0
    ? exportOne(context, id, options)
    : savePackages(context, ids, requireFolder(options))
}

async function exportOne(context: CliContext, id: string, options: ExportOptions): Promise<void> {
  if (options.as === 'ocfl') {
    const { saveObject } = await import('./export-object.ts')
    return saveObject(context, id, options)
  }
  const name = packageOf(options)
  if (name !== undefined) return savePackage(context, id, { ...options, as: name })
  const { output = '-' } = options
  const { deposit, text } = await read(context, id, options, encodeURIComponent(options.as))
  if (output !== '-') await write(resolve(context.folder, output), text)
  else if (options.json === undefined && !options.quiet) {
    context.streams.outBytes.write(text)
    return
  }
  print(context.streams, options, {
    body: { id: deposit.id, format: options.as, text },
    ids: [deposit.id],
    lines: () => [output],
  })
}

/** The package that is asked for; of some, the metadata alone can be meant as well. */
function packageOf({ as, output }: ExportOptions): PackageName | undefined {
  const name = packageNames.find((each) => each === as)
  const isMetadata = output === undefined || /\.json(?:ld)?$/i.test(output)
  const isFormat = exportNames.some((format) => format === name)
  return isFormat && isMetadata ? undefined : name
}

interface PackageOptions extends ExportOptions {
  readonly as: PackageName
}

async function savePackage(
  context: CliContext,
  id: string,
  options: PackageOptions,
): Promise<void> {
  const { streams } = context
  const { as, output = '-' } = options
  if (output === '-') requireSink(context, options)
  const { findPackage, writeArchive } = await import('../transfer/export-package.ts')
  const client = await context.client(options)
  const deposit = await readNamed(context, client, id, options)
  const found = await findPackage(client, deposit, as)
  if (output === '-') {
    const kept = 'the archive is not complete there'
    const place = { path: 'standard output', kept, elsewhere: advice.nameFolder() }
    await telling(place, () => writeArchive(found, client.connection, streams.outBytes))
    return
  }
  const path = resolve(context.folder, output)
  const { isNew, ...body } = await saveAt(path, deposit.id, found, { context, client, options })
  const what = `${count(body.files, 'file')} as ${as}`
  narrate(
    streams,
    options,
    isNew
      ? `Exported ${what} to ${path} (${formatBytes(body.filesize)}); all bytes are verified`
      : `${path} has all of it already`,
  )
  print(streams, options, { body, ids: [deposit.id], lines: () => [output] })
}

interface FolderOptions extends PackageOptions {
  readonly output: string
}

/** Saves each in a folder that is named by its record, or by a draft. */
async function savePackages(
  context: CliContext,
  ids: readonly string[],
  options: FolderOptions,
): Promise<void> {
  const { streams } = context
  const { as, output } = options
  const { findPackage } = await import('../transfer/export-package.ts')
  const client = await context.client(options)
  const all = resolve(context.folder, output)
  const saved = await forEachId(context, ids, async (id) => {
    const deposit = await readNamed(context, client, id, options)
    const found = await findPackage(client, deposit, as)
    return saveAt(resolve(all, found.folder), deposit.id, found, { context, client, options })
  })
  if (saved.results.length > 0) narrate(streams, options, summaryOf(saved.results, as, all))
  print(streams, options, {
    body: await saved.body(({ isNew: _, ...body }) => body),
    ids: saved.results.map(({ id }) => id),
    lines: () => saved.results.map(({ path }) => join(output, basename(path))),
  })
}

function summaryOf(saved: readonly Saved[], as: PackageName, path: string): string {
  const size = saved.reduce((sum, { filesize }) => sum + filesize, 0)
  const complete = saved.filter(({ isNew }) => !isNew).length
  const exported = `Exported ${count(saved.length, 'deposit')} as ${as} to ${path}`
  const before = complete > 0 ? `${complete} had all of it already; ` : ''
  return `${exported} (${formatBytes(size)}); ${before}all bytes are verified`
}

/** @throws {UsageFailure} several cannot be saved so */
function requireFolder(options: ExportOptions): FolderOptions {
  const { output = '-' } = options
  const as = packageOf(options)
  if (as !== undefined && output !== '-' && !isArchive(output)) return { ...options, as, output }
  throw new UsageFailure({
    tried: 'export several deposits',
    said: `that needs --as ${packageNames.slice(0, -1).join(', ')} or ${packageNames.at(-1)}, and a folder as --output`,
    next: advice.seeHelp('deposit export'),
  })
}

/** A package that is saved. */
interface Saved {
  readonly id: string
  readonly format: PackageName
  readonly path: string
  /** Bytes. */
  readonly filesize: number
  /** Number of files of the deposit. */
  readonly files: number
  /** Something was written. */
  readonly isNew: boolean
}

interface Saving {
  readonly context: CliContext
  readonly client: DepositClient
  readonly options: PackageOptions
}

/** @param path of an archive or a folder */
async function saveAt(
  path: string,
  id: string,
  found: FoundPackage,
  { context, client, options }: Saving,
): Promise<Saved> {
  const kept = 'all that has arrived is kept'
  const place = { path, kept, elsewhere: advice.nameFolder() }
  const written = await telling(place, () => save(client.connection, path, found, context, options))
  const filesize = found.remote.size
  const isNew = written.length > 0
  return { id, format: options.as, path, filesize, files: found.files.length, isNew }
}

/** Whether a path names an archive, not a folder. */
function isArchive(output: string): boolean {
  return /\.zip$/i.test(output)
}

/**
 * Writes an archive or a folder.
 *
 * @returns the paths that were not there before
 */
async function save(
  connection: Connection,
  path: string,
  found: FoundPackage,
  { streams }: CliContext,
  options: PackageOptions,
): Promise<readonly string[]> {
  const [{ findContent, saveArchive, saveFolder }, { startProgress }] = await Promise.all([
    import('../transfer/export-package.ts'),
    import('../output/progress.ts'),
  ])
  const content = isArchive(options.output ?? path)
    ? undefined
    : await findContent(found, connection)
  for (const note of content?.notes ?? []) narrate(streams, options, note)
  const bytes = found.remote.size
  const files = content ? content.files.length + content.written.length : 1
  const transfer = { verb: 'Exporting', files, bytes }
  using progress = await startProgress(streams, transfer, options.quiet === true)
  const { jobs: number = jobsFor(transfer), replace = false } = options
  const to = { connection, progress, replace, jobs: number }
  if (content) return await saveFolder(path, found, content, to)
  const written = await saveArchive(path, found, to)
  progress.fileDone()
  return written === undefined ? [] : [written]
}

/** @throws {UsageFailure} standard output is no place for an archive */
function requireSink({ streams }: CliContext, { as, output, json }: PackageOptions): void {
  const said =
    json === undefined
      ? 'it is an archive, and standard output is a terminal'
      : 'standard output takes it without --json'
  if (json === undefined && (output === '-' || !streams.isOutTerminal)) return
  throw new UsageFailure({ tried: `print the ${as} package`, said, next: advice.nameFolder() })
}

/** @param name of the format, as the end of an address */
async function read(
  context: CliContext,
  given: string | undefined,
  options: CommonOptions,
  name: string,
): Promise<{ readonly deposit: DepositBody; readonly text: string }> {
  const client = await context.client(options)
  const deposit = await readNamed(context, client, given, options)
  return { deposit, text: await client.readExport(deposit, name) }
}

/** @throws {Failure} the file cannot be written */
async function write(path: string, text: string): Promise<void> {
  const place = { path, kept: 'nothing was written', elsewhere: advice.nameFile() }
  await telling(place, () => writeFile(path, text))
}
