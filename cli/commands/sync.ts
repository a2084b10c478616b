import type { Command } from 'commander'
import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { statusOf } from '../output/deposit-facts.ts'
import type { CliContext } from '../session/context.ts'
import { narrate, print } from '../output/print.ts'
import { count, firstOf } from '../output/units.ts'
import type { Changes, Comparison } from '../transfer/compare-folder.ts'
import { exclude, followLinks, newChange, strict, unasked, type CommonOptions } from './command.ts'
import { jobs, progressForm } from '../options.ts'

interface SyncOptions extends CommonOptions {
  readonly metadata?: string
  readonly exclude?: readonly string[]
  readonly followLinks?: true
  readonly delete?: true
  readonly yes?: true
  readonly strict?: true
  readonly jobs?: number
}

/** `deposit sync <dir> <id>`: makes a deposit match a folder; prints what was changed. */
export function syncCommand(context: CliContext): Command {
  return newChange('sync', {
    'deposit sync results/ 4f2a91 --dry-run': 'lists the changes',
    'deposit sync results/ 4f2a91': 'adds, replaces and renames files, and sets the metadata',
    'deposit sync': 'brings the current folder to the deposit that it knows',
    'deposit sync results/ 4f2a91 --delete': 'also deletes files that are not in the folder',
  })
    .description(
      'Make a draft match a folder: upload new and changed files, rename files whose ' +
        'content is the same, set the metadata, sort the files by path. Files that the folder leaves ' +
        'out (hidden files, .depositignore, --exclude) are not touched. With --delete, a terminal ' +
        'lists the files that will be deleted, and asks first. A copy elsewhere that the deposit says ' +
        'it is identical to, as `deposit push` does, stays, also where the metadata of the folder do ' +
        'not have it: `deposit update` can remove it. Interrupted? Run the command again.',
    )
    .argument('[dir]', 'the folder; the current one by default')
    .argument('[id]', 'the deposit; by default the one that the folder knows')
    .option('--metadata <file>', 'metadata in YAML or JSON, instead of those in the folder')
    .option(...exclude)
    .option(...followLinks)
    .option('--delete', 'delete files that are not in the folder')
    .option(...unasked)
    .option(...strict)
    .option(...jobs('files sent at once; default 8, or 32 small ones'))
    .option(...progressForm)
    .action((dir: string | undefined, id: string | undefined, options: SyncOptions) =>
      sync(context, dir ?? '.', id, options),
    )
}

async function sync(
  context: CliContext,
  dir: string,
  given: string | undefined,
  options: SyncOptions,
): Promise<void> {
  const { changedNames, changeLines, compareFolder, lostValues, summarize, toChangesBody } =
    await import('../transfer/compare-folder.ts')
  const { streams } = context
  const { findToCompare } = await import('../folder/folder-deposit.ts')
  const find = () => findToCompare(context, { dir, given }, options)
  const found = await compareFolder(context, dir, options, find)
  for (const remark of found.folder.remarks) narrate(streams, options, remark)
  await examine(context, found, options)
  const isOfFolder = given === undefined
  const compared = isOfFolder ? await toDraft(context, dir, found, options) : found
  const changes = wanted(compared.changes, options)
  const summary = summarize(changes)
  for (const line of lostValues(changes, compared.deposit)) narrate(streams, options, line)
  if (changes.deleted.length > 0) await askToDelete(context, compared, changes, options)
  if (options.dryRun) await rehearse(compared, changes)
  else await apply(context, { ...compared, changes }, options)
  const verb = options.dryRun ? 'Would change' : 'Changed'
  narrate(streams, options, summary === undefined ? 'Nothing to change' : `${verb}: ${summary}`)
  const [body, ids] = [toChangesBody(changes), changedNames(changes)]
  print(streams, options, { body, ids, lines: () => changeLines(changes) })
}

/**
 * A published deposit cannot get the changes of its folder: a terminal offers a new version.
 *
 * @throws {Failure} it was not wanted, or nobody could be asked
 */
async function toDraft(
  context: CliContext,
  dir: string,
  found: Comparison,
  options: SyncOptions,
): Promise<Comparison> {
  const { client, deposit, folder } = found
  const { summarize, comparePrepared } = await import('../transfer/compare-folder.ts')
  const summary = summarize(wanted(found.changes, options))
  if (statusOf(deposit) !== 'published' || summary === undefined) return found
  const [{ asksFirst, confirm, summaryOf }, { findNewest, sayVersion }, { remember }] =
    await Promise.all([
      import('../session/confirm.ts'),
      import('../folder/folder-deposit.ts'),
      import('../folder/memory.ts'),
    ])
  const tried = `update ${deposit.id}`
  const { findWithdrawn, sayWithdrawn } = await import('../folder/withdrawn-version.ts')
  const withdrawn = await findWithdrawn(client, await findNewest(client, deposit), [deposit])
  const noted = withdrawn && sayWithdrawn(withdrawn)
  if (!asksFirst(context, options)) {
    if (noted !== undefined) {
      const said = `${noted}, and cannot get the changes of the folder`
      const lines = { tried, said, next: advice.followWithdrawn(dir) }
      throw new Failure(lines, { exitCode: exitCodes.refused })
    }
    const said = 'it is published already, without the changes of the folder'
    const { metadata: _, ...ofFiles } = wanted(found.changes, options)
    const isOfFiles = Object.values(ofFiles).some(({ length }) => length > 0)
    const next = isOfFiles ? advice.nextVersion(dir) : advice.correctRecord(dir)
    const lines = { tried, said, next }
    throw new Failure(lines, { exitCode: exitCodes.refused })
  }
  const changed = `It is published. Changes of the folder: ${summary}`
  const question = 'Start a new version with them, as a draft?'
  const note = noted === undefined ? [] : [`Note: ${noted}`]
  await confirm(context, { tried, summary: [summaryOf(deposit), ...note, changed], question })
  const { id } = await findNewest(client, deposit)
  const draft = await client.runAction(id, 'newversion')
  narrate(context.streams, options, sayVersion(id, draft))
  narrate(context.streams, options, await remember({ context, client, dir }, draft))
  return comparePrepared(folder, { client, deposit: draft })
}

/** The metadata of the folder, as they are to be set. */
async function examine(
  { streams }: CliContext,
  { folder, deposit }: Comparison,
  options: SyncOptions,
): Promise<void> {
  const { metadata, source, other, warnings: further } = folder
  const tried = `update ${deposit.id}`
  const [{ preflight, refuseWarnings }, { toWarnings }] = await Promise.all([
    import('../check/preflight.ts'),
    import('../output/finding.ts'),
  ])
  if (source === undefined) {
    if (options.strict) refuseWarnings(tried, [], further)
    return
  }
  const warnings = await preflight({
    metadata,
    source,
    other,
    purpose: 'draft',
    tried,
    strict: options.strict && { further },
  })
  for (const warning of toWarnings(warnings)) narrate(streams, options, warning)
}

/** @throws {Failure} the answer was not yes, or the server would refuse */
async function askToDelete(
  context: CliContext,
  compared: Comparison,
  changes: Changes,
  options: SyncOptions,
): Promise<void> {
  const { asksFirst, confirm, summaryOf } = await import('../session/confirm.ts')
  if (!asksFirst(context, options)) return
  await rehearse(compared, changes)
  const { deposit } = compared
  const names = changes.deleted.map(({ filename }) => filename)
  const question = `Delete ${count(names.length, 'file')} that the folder does not have?`
  const summary = [summaryOf(deposit), ...firstOf(names, 20).map((name) => `  delete ${name}`)]
  await confirm(context, { tried: `update ${deposit.id}`, summary, question })
}

async function rehearse({ client, deposit }: Comparison, changes: Changes): Promise<void> {
  const { metadata, added, replaced, renamed, deleted } = changes
  const tried = `update ${deposit.id}`
  if ([added, replaced, renamed, deleted].some(({ length }) => length > 0))
    await client.permissions.requirePossible(tried, 'upload', deposit)
  if (metadata.length > 0) await client.permissions.requirePossible(tried, 'update', deposit)
}

function wanted(changes: Changes, options: SyncOptions): Changes {
  return options.delete ? changes : { ...changes, deleted: [] }
}

async function apply(
  { streams }: CliContext,
  compared: Comparison,
  options: SyncOptions,
): Promise<void> {
  const { applyChanges } = await import('../transfer/apply-changes.ts')
  await applyChanges({ streams, jobs: options.jobs, quiet: options.quiet === true }, compared)
}
