import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { exitCodes, type ExitCode } from '../exit-codes.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { advice } from '../advice.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { findMetadataFile } from '../metadata/find-metadata-file.ts'
import { findOtherAccess, type OtherAccess } from '../metadata/other-access.ts'
import {
  readMetadata,
  type Input,
  type MetadataFile,
  describeNotTaken,
} from '../metadata/read-metadata.ts'
import { isPackage } from '../transfer/open-place.ts'
import { prepare, type Prepared } from '../transfer/prepare.ts'
import { lackOf } from './preflight.ts'
import { checkMetadata } from './check-document.ts'
import type { Finding, Findings } from '../output/finding.ts'

interface CheckOptions {
  readonly followLinks?: boolean
  /** Deposits without metadata may be published. */
  readonly yes?: true
  /** The folder, where it has been read before. */
  readonly folder?: Prepared
}

/** The findings, and the exit status of a publish that would be refused. */
export interface Checked {
  readonly findings: Findings
  readonly exitCode: ExitCode
}

/**
 * Checks a folder as `deposit create` would take it, or a metadata file; nothing is sent. Undefined
 * if neither exists under this name.
 *
 * @throws {UsageFailure} a metadata file cannot be read; with line and column
 */
export async function checkLocal(
  input: Input,
  path: string,
  options: CheckOptions,
): Promise<Checked | undefined> {
  const stats = await stat(resolve(input.folder, path)).catch(() => undefined)
  if (stats === undefined) return undefined
  if (await isPackage(input, path)) return checkPackage(input, path, options)
  if (stats.isFile() && /\.(?:csv|tsv|jsonl|ndjson)$/i.test(path)) throw isTable(path)
  return stats.isDirectory() ? checkFolder(input, path, options) : checkFile(input, path, options)
}

function isTable(path: string): UsageFailure {
  const next = advice.checkBatch(path)
  return new UsageFailure({ tried: `check ${path}`, said: 'it is the table of a batch', next })
}

/** A bag, or an archive. */
async function checkPackage(input: Input, dir: string, options: CheckOptions): Promise<Checked> {
  const found = (message: string): Finding => ({ field: '', file: dir, message })
  try {
    const prepared = options.folder ?? (await prepare(input, dir, { ...options, archives: true }))
    const { metadata, source, other, warnings: said, misnamed } = prepared
    const { errors, warnings } = await checkMetadata(metadata, { source, other }, 'publish')
    const findings = {
      errors: misnamed === undefined ? errors : [...errors, found(misnamed)],
      warnings: [...warnings, ...said.map(found)],
    }
    return withLack(metadata, findings, source?.file ?? dir, options)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { findings: faultsOf(error, dir), exitCode: exitCodes.usage }
  }
}

function faultsOf({ faults, said }: Failure, file: string): Findings {
  const found = said.split('; ').map((message) => ({ field: '', file, message }))
  const errors = faults.length > 0 ? faults.map((fault) => ({ ...fault, file })) : found
  return { errors, warnings: [] }
}

async function checkFolder(input: Input, dir: string, options: CheckOptions): Promise<Checked> {
  const metadata = options.folder
    ? await checkPrepared(options.folder, dir, options)
    : await readAndCheck(input, dir, options)
  const names = await checkNames(input, dir, options)
  return {
    findings: merge(metadata.findings, names),
    // Publishing checks the names first.
    exitCode: names.errors.length > 0 ? exitCodes.usage : metadata.exitCode,
  }
}

/** The metadata as they were read before. */
async function checkPrepared(
  { source, other }: Prepared,
  dir: string,
  options: CheckOptions,
): Promise<Checked> {
  if (source !== undefined) return checkSource(source, other, options, dir)
  return checkAccess(other ?? { access: {}, unread: [] }, dir, options)
}

async function readAndCheck(input: Input, dir: string, options: CheckOptions): Promise<Checked> {
  const folder = resolve(input.folder, dir)
  const found = await findMetadataFile(folder)
  if (found === undefined) return checkAccess(await findOtherAccess({ folder, dir }), dir, options)
  return checkFile(input, dir === '.' ? found.file : join(dir, found.file), options, dir)
}

function merge(one: Findings, other: Findings): Findings {
  return {
    errors: [...one.errors, ...other.errors],
    warnings: [...one.warnings, ...other.warnings],
  }
}

/** Adds the error for a deposit without metadata. */
function withLack(
  metadata: Metadata,
  findings: Findings,
  file: string,
  { yes }: CheckOptions,
): Checked {
  const lack = yes ? undefined : lackOf(metadata)
  if (lack === undefined) return { findings, exitCode: exitCodes.failed }
  const found = { field: '', message: lack.said, file }
  // Of the same it would also warn.
  const warnings = findings.warnings.filter(({ message }) => message !== `${lack.why}.`)
  return {
    findings: { errors: [found, ...findings.errors], warnings },
    exitCode: findings.errors.length > 0 ? exitCodes.failed : exitCodes.usage,
  }
}

/** A folder with no metadata: other files there may restrict access. */
async function checkAccess(
  other: OtherAccess,
  dir: string,
  options: CheckOptions,
): Promise<Checked> {
  const { errors, warnings } = await checkMetadata(other.access, { other }, 'publish')
  const findings = { errors, warnings: [...warnings, ...notes(other, dir)] }
  return withLack(other.access, findings, dir, options)
}

function notes({ unread }: OtherAccess, file = ''): readonly Finding[] {
  return unread.map((message) => ({ field: '', message, file }))
}

/** @param dir the folder that the file was found in; other files there may restrict access */
async function checkFile(
  input: Input,
  file: string,
  options: CheckOptions,
  dir?: string,
): Promise<Checked> {
  const source = await readMetadata(input, file)
  const path = resolve(input.folder, file)
  const other =
    dir === undefined
      ? undefined
      : await findOtherAccess({ folder: resolve(input.folder, dir), dir, used: source, path })
  return checkSource(source, other, options, dir)
}

/** A metadata file that was read. */
async function checkSource(
  source: MetadataFile,
  other: OtherAccess | undefined,
  options: CheckOptions,
  dir: string | undefined,
): Promise<Checked> {
  const { file } = source
  const metadata = { ...source.metadata, ...other?.access }
  const { errors, warnings } = await checkMetadata(metadata, { source, other }, 'publish')
  const lost = describeNotTaken(source)
  const further = lost === undefined ? [] : [{ field: '', message: lost, file }]
  const found = [...warnings, ...further, ...(other === undefined ? [] : notes(other, dir))]
  const findings = { errors, warnings: found }
  return withLack(metadata, findings, file, options)
}

/** Finds invalid or colliding names, links, and unreadable files. */
async function checkNames(input: Input, dir: string, options: CheckOptions): Promise<Findings> {
  const found = (message: string): Finding => ({ field: '', file: dir, message })
  try {
    const { plan, misnamed } = options.folder ?? (await prepare(input, dir, options))
    const errors = misnamed === undefined ? [] : [found(misnamed)]
    return { errors, warnings: plan.warnings.map(found) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return faultsOf(error, dir)
  }
}
