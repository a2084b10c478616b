import type { Command } from 'commander'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { jobs, progressForm } from '../options.ts'
import { recordUrl } from '../output/deposit-facts.ts'
import { narrate, notAsked, print, printPlan } from '../output/print.ts'
import { count, formatBytes } from '../output/units.ts'
import { plain } from '../plain.ts'
import type { CliContext } from '../session/context.ts'
import type { Prepared } from '../transfer/prepare.ts'
import {
  collect,
  followLinks,
  idempotencyKey,
  lineOf,
  newChange,
  strict,
  type CommonOptions,
} from './command.ts'

interface ReleaseOptions extends CommonOptions {
  readonly of?: string
  readonly metadata?: string
  readonly exclude?: readonly string[]
  readonly followLinks?: true
  readonly yes?: true
  readonly strict?: true
  readonly jobs?: number
  readonly idempotencyKey?: string
}

/** `deposit release [dir]`: publishes a folder, as a new version where there is a record. */
export function releaseCommand(context: CliContext): Command {
  return newChange('release', {
    'deposit release results/': 'publishes the folder, or a new version of its record',
    'deposit release results/ --of xjahe-c4x84': 'publishes it as the next version of that record',
    'deposit release results/ --dry-run': 'tells which version would be published, and its changes',
  })
    .description(
      'Publish a folder, and print the URL of the record: a new version if there is a record, ' +
        'otherwise the first one. The record is that of --of, or the one that the folder knows, and ' +
        'its newest version is compared with the folder. Without changes, nothing is published, ' +
        'and the URL of that version is printed. Otherwise the new version gets exactly the files ' +
        'and the metadata of the folder. Interrupted, or run by a job that is repeated? Run the ' +
        'same command again: it finishes the same draft, and no version is published twice. ' +
        'Everything is checked before anything is sent, as by `deposit create --publish`. A ' +
        'terminal asks first.',
    )
    .argument('[dir]', 'the folder; the current one by default')
    .option(
      '--of <record>',
      'the record, any version of it; by default the one that the folder knows',
    )
    .option('--metadata <file>', 'metadata in YAML or JSON, instead of those in the folder')
    .option('--exclude <pattern>', 'leave out, as in .gitignore; may be repeated', collect)
    .option(...followLinks)
    .option('--yes', 'ask nothing; publish even where there is no metadata at all')
    .option(...strict)
    .option(...jobs('files sent at once; default 8, or 32 small ones'))
    .option(...progressForm)
    .option(...idempotencyKey)
    .action((dir: string | undefined, options: ReleaseOptions) =>
      release(context, dir ?? '.', options),
    )
}

/** A folder on its way to a record. */
interface Release {
  readonly context: CliContext
  readonly client: DepositClient
  readonly dir: string
  readonly folder: Prepared
  readonly options: ReleaseOptions
}

async function release(context: CliContext, dir: string, options: ReleaseOptions): Promise<void> {
  const { readyFolder } = await import('../check/ready-folder.ts')
  const ready = await readyFolder(context, dir, { ...options, publish: true })
  // A file that the folder leaves out by now is not carried over from the version before.
  const folder = { ...ready, isIgnored: () => false }
  const client = await openFor(context, dir, options)
  if (client === undefined) {
    narrate(context.streams, options, notAsked)
    tellFirst(context, folder, options)
    return
  }
  const job = { context, client, dir, folder, options }
  const { findNewest } = await import('../folder/folder-deposit.ts')
  const base = await findBase(job)
  if (base !== undefined) return publishNext(job, await findNewest(client, base))
  if (options.dryRun) {
    const size = folder.plan.files.reduce((sum, file) => sum + file.size, 0)
    await client.requireMayCreate(true, size)
    await client.requireSchemaForNew(folder.metadata['$schema'])
    tellFirst(context, folder, options)
    return
  }
  await ask(job, 'It is the first version of a new record.')
  const draft = await createFirst(job)
  // A key that was used before finds a deposit, perhaps published.
  const isDraft = recordUrl(draft) === undefined
  if (isDraft) await publishDraft(job, draft)
  else await publishNext(job, await findNewest(client, draft))
}

/** Undefined where a dry run would have to start the local daemon for a first version. */
async function openFor(
  context: CliContext,
  dir: string,
  options: ReleaseOptions,
): Promise<DepositClient | undefined> {
  if (!options.dryRun || options.of !== undefined) return context.client(options)
  const { readMemory } = await import('../folder/memory.ts')
  const memory = await readMemory(context, dir)
  return memory?.deposit === undefined ? context.runningClient(options) : context.client(options)
}

/** The deposit that `--of` names, or that the folder knows. */
async function findBase({
  context,
  client,
  dir,
  options,
}: Release): Promise<DepositBody | undefined> {
  if (options.of !== undefined) {
    const base = await client.read(options.of)
    if (recordUrl(base) === undefined) throw neverPublished(base)
    return base
  }
  const [{ findFolderDeposit }, { readMemory }] = await Promise.all([
    import('../folder/folder-deposit.ts'),
    import('../folder/memory.ts'),
  ])
  const memory = await readMemory(context, dir)
  if (memory?.deposit === undefined) return undefined
  return findFolderDeposit(context, client, dir, options)
}

function neverPublished({ id }: DepositBody): Failure {
  const tried = `release a new version of ${id}`
  const lines = { tried, said: 'it was never published', next: advice.checkAndPublish(id) }
  return new Failure(lines, { exitCode: exitCodes.refused })
}

/** Publishes the folder as the version after `newest`, or finishes the draft that this is. */
async function publishNext(job: Release, newest: DepositBody): Promise<void> {
  const { context, client, dir, folder, options } = job
  const [{ comparePrepared, summarize }, { remember }] = await Promise.all([
    import('../transfer/compare-folder.ts'),
    import('../folder/memory.ts'),
  ])
  const { changes } = await comparePrepared(folder, { client, deposit: newest })
  const [record, summary] = [recordUrl(newest), summarize(changes)]
  if (record !== undefined && summary === undefined) {
    if (!options.dryRun) await remember({ context, client, dir }, newest)
    narrate(context.streams, options, `Published already: ${newest.id} has no changes to publish`)
    print(context.streams, options, { body: newest, ids: [newest.id], lines: () => [record] })
    return
  }
  const version = record === undefined ? `draft ${newest.id}` : `a new version of ${record}`
  const changed = summary ?? 'no changes'
  if (options.dryRun) {
    await client.requirePossible(`release ${dir}`, record ? 'newversion' : 'update', newest)
    await client.requireMayPublish(newest.id)
    narrate(context.streams, options, `Would publish ${version}: ${changed}`)
    printPlan(context.streams, options, folder.metadata, folder.plan.files)
    return
  }
  await ask(job, `It becomes ${version}: ${changed}.`)
  if (record === undefined) return publishDraft(job, newest)
  const draft = await client.runAction(newest.id, 'newversion')
  narrate(context.streams, options, `Started a new version of ${newest.id}: draft ${draft.id}`)
  narrate(context.streams, options, await remember({ context, client, dir }, draft))
  await publishDraft(job, draft)
}

/** An empty draft: whatever the folder has by now, a command that is run again finds it. */
async function createFirst({ context, client, dir, options }: Release): Promise<DepositBody> {
  const { createRemembered, remember } = await import('../folder/memory.ts')
  const place = { context, client, dir }
  const { idempotencyKey: key } = options
  if (key === undefined) {
    const { draft, note } = await createRemembered(place, {})
    narrate(context.streams, options, note)
    return draft
  }
  const { id } = await client.create({}, key)
  const draft = await client.read(id)
  narrate(context.streams, options, await remember(place, draft))
  return draft
}

/** Brings the folder to the draft, and publishes it. */
async function publishDraft(job: Release, draft: DepositBody): Promise<void> {
  const { context, client, dir, folder, options } = job
  const { streams } = context
  const [{ comparePrepared, summarize }, { applyChanges }, { keepDraft }, { askServer }] =
    await Promise.all([
      import('../transfer/compare-folder.ts'),
      import('../transfer/apply-changes.ts'),
      import('../transfer/keep-draft.ts'),
      import('../check/preflight.ts'),
    ])
  const { id } = draft
  const work = async (): Promise<DepositBody> => {
    const compared = await comparePrepared(folder, { client, deposit: draft })
    const { metadata, ...files } = compared.changes
    if (metadata.length > 0) {
      const { revision } = await client.read(id)
      await client.replace(id, folder.metadata, revision)
    }
    await askServer(client, id, [...files.added, ...files.replaced.map(({ local }) => local)])
    const sending = { streams, jobs: options.jobs, quiet: options.quiet === true }
    await applyChanges(sending, { ...compared, changes: { ...files, metadata: [] } })
    const summary = summarize(compared.changes)
    narrate(streams, options, summary === undefined ? 'Nothing to change' : `Changed: ${summary}`)
    return client.runAction(id, 'publish')
  }
  const again = lineOf(['release', dir], options)
  const deposit = await keepDraft(id, again, work).catch(async (cause: unknown) => {
    if (!(cause instanceof Failure) || cause.exitCode !== exitCodes.refused) throw cause
    if (recordUrl(await client.read(id)) === undefined) throw cause
    // Another run of the command has published it since.
    return undefined
  })
  if (deposit === undefined) return publishNext(job, await client.read(id))
  narrate(streams, options, `Published ${id}`)
  const lines = (): readonly string[] => [recordUrl(deposit) ?? id]
  print(streams, options, { body: deposit, ids: [id], lines })
}

/** @throws {Failure} the answer was not yes */
async function ask({ context, dir, folder, options }: Release, version: string): Promise<void> {
  const { asksFirst, confirm } = await import('../session/confirm.ts')
  if (!asksFirst(context, options)) return
  const { files } = folder.plan
  const size = files.reduce((sum, file) => sum + file.size, 0)
  const { title } = folder.metadata
  const name = typeof title === 'string' ? plain(title) : '(no title)'
  const summary = [`"${name}", ${count(files.length, 'file')} (${formatBytes(size)})`, version]
  const question = 'Publish it for good? Its record is public and its files cannot change.'
  await confirm(context, { tried: `release ${dir}`, summary, question })
}

function tellFirst(
  { streams }: CliContext,
  { metadata, plan }: Prepared,
  options: ReleaseOptions,
): void {
  const files = count(plan.files.length, 'file')
  narrate(streams, options, `Would publish the first version of a record, with ${files}`)
  printPlan(streams, options, metadata, plan.files)
}
