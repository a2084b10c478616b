import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, isInterruption, UsageFailure } from '../failure.ts'
import type { ComparedDescription } from '../check/compare-description.ts'
import { recordUrl } from '../output/deposit-facts.ts'
import type { Finding } from '../output/finding.ts'
import { narrate, print } from '../output/print.ts'
import { reasonOf } from '../reason.ts'
import type { CliContext } from '../session/context.ts'
import {
  conclude,
  countUndigested,
  findName,
  findRecord,
  readRecord,
  sayRecord,
  sayUndigested,
  type AtServer,
  type Verdict,
} from '../check/compared-record.ts'
import type { Compared } from '../check/verify-package.ts'
import { toPackageLine } from '../packages/contents.ts'
import type { OpenPackage } from '../packages/open-package.ts'
import { newCommand, type CommonOptions } from './command.ts'
import { progressForm } from '../options.ts'

/** `deposit verify <path> [id]`: whether a copy is complete and unchanged. */
export function verifyCommand(context: CliContext): Command {
  return newCommand('verify', {
    'deposit verify abcde-12345.zip': 'a package that was downloaded',
    'deposit verify bag/': 'a bag, by its own digests',
    'deposit verify exports/': 'each package in a folder of them',
    'deposit verify 4f2a91/ 4f2a91': 'the files of a deposit in a folder',
    'deposit verify archive/': 'every object of an OCFL storage root',
    'deposit verify bag/ abcde-12345 --json': 'every fault, for a script',
  })
    .description(
      'Check a copy of a record: whether it is complete and unchanged, and which record it ' +
        'is. It may be a folder, a bag (BagIt 0.93 to 1.0, RFC 8493), a crate (RO-Crate 1.0 to ' +
        '1.2), a Data Package (Frictionless), a ZIP archive of one, which is read without ' +
        'unpacking it to disk, or an object or a whole storage root of OCFL 1.0 or 1.1.\n\n' +
        'The digests in the manifests of a bag, in a crate and in a datapackage.json are ' +
        'checked, and so are the checksums of an archive. The files are also compared with ' +
        'those at the server, if you name the deposit or record, or the package names one that ' +
        'the server has, or the folder knows one (.deposit.json). What a bag, a crate or a datapackage.json says of the record is compared ' +
        'with what the server writes for it, and the revision is told. No other server is asked, and nothing is fetched from an address in a ' +
        'package. The objects of a storage root are judged by the rules of OCFL alone; each ' +
        'fault has its code.\n\n' +
        'In a folder that holds several packages and is none itself, each is verified.\n\n' +
        'Each fault is a line on standard output. Links, paths that lead out of the package, ' +
        'and archives that would unpack to more than 1 GB and 100 times their size are faults. ' +
        'The exit status is 8 if there are faults or differences.',
    )
    .argument('<path>', 'folder or ZIP archive')
    .argument(
      '[id]',
      'identifier of the deposit or of its record, or an address of either; by default the one that the package names',
    )
    .option(...progressForm)
    .action((path: string, id: string | undefined, options: CommonOptions) =>
      verify(context, path, id, options),
    )
}

async function verify(
  context: CliContext,
  path: string,
  id: string | undefined,
  options: CommonOptions,
): Promise<void> {
  const found = await judge(context, path, id, options)
  const isOne = found[0]?.path === path
  const lines = found.flatMap(({ path: at, errors }) =>
    errors.map(isOne ? toPackageLine : (each) => toPackageLine(inside(at, each))),
  )
  const body = isOne ? found[0] : found
  print(context.streams, options, { body, ids: lines, lines: () => lines })
  if (lines.length > 0) context.end(exitCodes.differences)
}

function inside(path: string, { field, message }: Finding): Finding {
  return { field: field === '' ? path : join(path, field), message }
}

/** The packages in a folder that is none itself, each judged whatever is found about the others. */
async function judgeEach(
  context: CliContext,
  path: string,
  options: CommonOptions,
): Promise<readonly Verdict[]> {
  const { findPackages } = await import('../check/verify-package.ts')
  const { packages, others } = await findPackages(resolve(context.folder, path))
  if (packages.length === 0) throw unknownRecord(path)
  const found: Verdict[] = []
  for (const name of packages) {
    const each = join(path, name)
    try {
      found.push(...(await judge(context, each, undefined, options, true)))
    } catch (error) {
      if (!(error instanceof Failure) || isInterruption(error)) throw error
      const errors = [{ field: '', message: error.said }]
      found.push(
        conclude(context, { path: each, files: 0, bytes: 0, errors }, options, { more: '' }),
      )
    }
  }
  for (const name of others)
    narrate(context.streams, options, `warning: ${join(path, name)} is no package: not verified`)
  return found
}

async function judge(
  context: CliContext,
  path: string,
  id: string | undefined,
  options: CommonOptions,
  isInside = false,
): Promise<readonly Verdict[]> {
  const { streams } = context
  const folder = resolve(context.folder, path)
  const { kindOf } = await import('../../core/packages/ocfl/check-root.ts')
  const ocfl = await kindOf(folder)
  if (ocfl !== undefined) {
    const { judgeOcfl } = await import('../check/judge-ocfl.ts')
    return [await judgeOcfl(context, { path, folder, kind: ocfl, id }, options)]
  }
  await using opened = await open(context, path)
  const known = id === undefined ? await recall(context, path, opened, options) : undefined
  const named = id ?? known ?? findName(opened, resolve(context.folder, path))
  // A folder alone has no digests: it can only be compared.
  const mustCompare = id !== undefined || opened.kind === 'folder'
  if (named === undefined && mustCompare) {
    if (isInside) throw unknownRecord(path)
    return await judgeEach(context, path, options)
  }
  const record = await (named !== undefined && mustCompare
    ? readRecord(await context.client(options), named)
    : findRecord(context, named, options))
  const errors = await readAll(context, opened, record, options)
  const description =
    record === undefined || errors.length > 0 ? undefined : await describe(context, opened, record)
  const { kind } = opened
  const undigested = record === undefined ? countUndigested(opened) : 0
  const warnings = [...opened.warnings, ...strangeTo(record, description)]
  for (const warning of warnings) narrate(streams, options, `warning: ${toPackageLine(warning)}`)
  const body = {
    path,
    kind,
    record: record?.id ?? named ?? null,
    compared: record !== undefined,
    revision: description?.revision ?? null,
    described: description === undefined ? null : description.revision !== undefined,
    newer: description?.newer ?? null,
    undigested,
    files: opened.payload.length,
    bytes: opened.payload.reduce((sum, { file }) => sum + file.size, 0),
    errors,
    warnings,
  }
  const more = sayRecord(record, named) + sayDescription(description)
  const unseen = record === undefined ? sayUndigested(opened) : undefined
  return [conclude(context, body, options, { more, unseen })]
}

/** The deposit that a folder knows which is no package. */
async function recall(
  context: CliContext,
  path: string,
  { kind }: OpenPackage,
  options: CommonOptions,
): Promise<string | undefined> {
  if (kind !== 'folder') return undefined
  const [{ readSoundMemory }, { findFolderDeposit }] = await Promise.all([
    import('../folder/memory.ts'),
    import('../folder/folder-deposit.ts'),
  ])
  const memory = await readSoundMemory(context, path)
  if (memory?.deposit === undefined) return undefined
  return (await findFolderDeposit(context, await context.client(options), path, options)).id
}

/** Compares what a package says of its record with what the server says. */
async function describe(
  { signal }: CliContext,
  opened: OpenPackage,
  { client, deposit }: AtServer,
): Promise<Described | undefined> {
  signal.throwIfAborted()
  const [{ compareDescription }, { findNewest }] = await Promise.all([
    import('../check/compare-description.ts'),
    import('../folder/folder-deposit.ts'),
  ])
  const compared = await compareDescription(client, deposit, opened)
  if (compared === undefined) return undefined
  const newest = await findNewest(client, deposit)
  return { ...compared, newer: newest.id === deposit.id ? undefined : recordUrl(newest) }
}

interface Described extends ComparedDescription {
  /** Address of a newer version of the record. */
  readonly newer: string | undefined
}

/** Descriptions may change without a revision: with identifiers, and with newer versions. */
function strangeTo(
  record: Compared | undefined,
  description: Described | undefined,
): readonly Finding[] {
  if (description === undefined || description.revision !== undefined) return []
  const differs =
    `differs from that of ${record?.id}: somebody changed it, or identifiers or versions of the ` +
    'record came since'
  const { differing } = description
  if (differing.length === 0) return [{ field: '', message: `the description ${differs}` }]
  return differing.map((field) => ({ field, message: `it ${differs}` }))
}

function sayDescription(description: Described | undefined): string {
  if (description === undefined) return ''
  const { revision, latest, newer } = description
  const which = revision === undefined ? ', but for its description' : `, revision ${revision}`
  const isOld = revision !== undefined && revision < latest
  return [
    which,
    ...(isOld ? [`; it was corrected since: revision ${latest}`] : []),
    ...(newer === undefined ? [] : [`; there is a newer version: ${newer}`]),
  ].join('')
}

/** @throws {UsageFailure} there is no such path, or it is no archive */
async function open({ folder }: CliContext, path: string): Promise<OpenPackage> {
  const { openPackage } = await import('../packages/open-package.ts')
  return openPackage(resolve(folder, path)).catch((cause: unknown) => {
    const isOther = cause instanceof Error && cause.name === 'NoArchive'
    const said = isOther ? 'it is a file, and not a ZIP archive or a folder' : reasonOf(cause)
    throw new UsageFailure({ tried: `verify ${path}`, said, next: advice.checkPath() }, { cause })
  })
}

async function readAll(
  { streams, signal }: CliContext,
  opened: OpenPackage,
  record: Compared | undefined,
  options: CommonOptions,
): Promise<readonly Finding[]> {
  const [{ verifyPackage }, { startProgress }] = await Promise.all([
    import('../check/verify-package.ts'),
    import('../output/progress.ts'),
  ])
  const { files } = opened.contents
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const reading = { verb: 'Verifying', files: files.length, bytes }
  using progress = await startProgress(streams, reading, options.quiet === true)
  return await verifyPackage(opened, record, {
    fileDone: () => progress.fileDone(),
    advance: (read) => {
      signal.throwIfAborted()
      progress.advance(read)
    },
  })
}

function unknownRecord(path: string): UsageFailure {
  return new UsageFailure({
    tried: `verify ${path}`,
    said: 'it is not a bag, a crate or an archive, and does not say which record it is',
    next: advice.nameRecord(path),
  })
}
