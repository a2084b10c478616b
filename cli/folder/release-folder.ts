import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { recordUrl, sayPublished } from '../output/deposit-facts.ts'
import { narrate, notAsked, print, printPlan } from '../output/print.ts'
import type { ShowProgress } from '../output/progress.ts'
import { count, formatAge, formatBytes } from '../output/units.ts'
import { plain } from '../plain.ts'
import type { CliContext } from '../session/context.ts'
import type { ConnectOptions } from '../session/open-client.ts'
import type { Prepared } from '../transfer/prepare.ts'

/** What is released, and how. */
export interface ReleaseOptions extends ConnectOptions {
  /** Any version of the record; by default the one that the folder knows. */
  readonly of?: string
  /** A file of metadata, instead of those in the folder. */
  readonly metadata?: string
  /** Patterns of names to leave out, as in `.gitignore`. */
  readonly exclude?: readonly string[]
  readonly followLinks?: true
  /** The version that was withdrawn, after which this one comes. */
  readonly afterWithdrawal?: string
  /** Asks nothing, and publishes even where there is no metadata at all. */
  readonly yes?: true
  /** Refuses every warning. */
  readonly strict?: true
  readonly jobs?: number
  readonly idempotencyKey?: string
  readonly dryRun?: true
  readonly quiet?: true
}

interface Request extends ReleaseOptions {
  readonly context: CliContext
  readonly dir: string
  /** The command that continues after an interruption. */
  readonly again: string
  /** The command that publishes, without the name of a withdrawn version. */
  readonly command: string
  /** Begins to show the progress of files; without it, it is shown on the streams. */
  readonly show?: ShowProgress | undefined
}

/** A folder on its way to a record. */
interface Release {
  readonly context: CliContext
  readonly client: DepositClient
  readonly dir: string
  readonly folder: Prepared
  readonly again: string
  readonly command: string
  readonly show: ShowProgress | undefined
  readonly options: ReleaseOptions
}

/**
 * Publishes a folder: as a new version where there is a record, otherwise as the first one. Repeated
 * after an interruption, it finishes the same draft; without changes it publishes nothing.
 *
 * @returns the published version; undefined for a dry run
 * @throws {Failure} the folder cannot be published, or somebody said no
 */
export async function releaseFolder({
  context,
  dir,
  again,
  command,
  show,
  ...options
}: Request): Promise<DepositBody | undefined> {
  const { readyFolder } = await import('../check/ready-folder.ts')
  const ready = await readyFolder(context, dir, { ...options, publish: true })
  // A file that the folder leaves out by now is not carried over from the version before.
  const folder = { ...ready, isIgnored: () => false }
  const client = await openFor(context, dir, options)
  if (client === undefined) {
    narrate(context.streams, options, notAsked)
    tellFirst(context, folder, options)
    return undefined
  }
  const job = { context, client, dir, folder, again, command, show, options }
  const { findNewest } = await import('./folder-deposit.ts')
  const base = await findBase(job)
  if (base !== undefined) {
    const newest = await findNewest(client, base)
    return publishNext(job, { newest, base, isOfFolder: options.of === undefined })
  }
  if (options.dryRun) {
    const size = folder.plan.files.reduce((sum, file) => sum + file.size, 0)
    await client.permissions.requireMayCreate(true, size)
    await client.permissions.requireSchemaForNew(folder.metadata['$schema'])
    tellFirst(context, folder, options)
    return undefined
  }
  await ask(job, 'It is the first version of a new record.')
  const draft = await createFirst(job)
  // A key that was used before finds a deposit, perhaps published.
  const isDraft = recordUrl(draft) === undefined
  if (isDraft) return publishDraft(job, draft)
  return publishNext(job, { newest: await findNewest(client, draft), base: draft })
}

/** Undefined where a dry run would have to start the local daemon for a first version. */
async function openFor(
  context: CliContext,
  dir: string,
  options: ReleaseOptions,
): Promise<DepositClient | undefined> {
  if (!options.dryRun || options.of !== undefined) return context.client(options)
  const { readMemory } = await import('./memory.ts')
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
    import('./folder-deposit.ts'),
    import('./memory.ts'),
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

interface Versions {
  /** The newest public version, or the draft of the next one. */
  readonly newest: DepositBody
  /** The version by which it was found. */
  readonly base: DepositBody
  /** The folder knew that one. */
  readonly isOfFolder?: boolean
}

/**
 * Publishes the folder as the version after `newest`, or finishes the draft that this is.
 *
 * @throws {Failure} a version was withdrawn, and the user does not name it
 */
async function publishNext(
  job: Release,
  { newest, base, isOfFolder = false }: Versions,
): Promise<DepositBody | undefined> {
  const { context, client, dir, folder, command, options } = job
  const [
    compare,
    { sayVersion },
    { remember },
    { findWithdrawn, notesOf, requireNamed },
    { noteOpening },
  ] = await Promise.all([
    import('../transfer/compare-folder.ts'),
    import('./folder-deposit.ts'),
    import('./memory.ts'),
    import('./withdrawn-version.ts'),
    import('../check/opening.ts'),
  ])
  const { changedNames, changeLines, comparePrepared, lostValues, summarize, toChangesBody } =
    compare
  const { changes } = await comparePrepared(folder, { client, deposit: newest })
  const [record, summary] = [recordUrl(newest), summarize(changes)]
  if (record !== undefined && summary === undefined && !newest.withdrawn) {
    if (!options.dryRun) await remember({ context, client, dir }, newest)
    narrate(context.streams, options, `Published already: ${newest.id} has no changes to publish`)
    return newest
  }
  const withdrawn = await findWithdrawn(client, newest, [base])
  if (withdrawn)
    requireNamed(withdrawn, options.afterWithdrawal, { tried: `release ${dir}`, command })
  const isSame = summary === undefined && !withdrawn
  const before = isSame ? await findSame(job, newest) : undefined
  if (before !== undefined) {
    const said = `Nothing to publish: the folder is as ${recordUrl(before)}, and so is draft ${newest.id}`
    narrate(context.streams, options, said)
    return before
  }
  const { describeOvertaken } = await import('./overtaken.ts')
  // The newest public version is an older one where that of the folder was withdrawn.
  const overtaken =
    isOfFolder && newest.created > base.created
      ? await describeOvertaken(client, { known: base, newest, changes })
      : undefined
  const noted = withdrawn ? notesOf(withdrawn).map((note) => `Note: ${note}`) : []
  noted.push(...(await noteOpening(job, newest, `release ${dir}`)))
  const lost = [...noted, ...(overtaken?.lines ?? []), ...lostValues(changes, newest)]
  const version = record === undefined ? `draft ${newest.id}` : `a new version of ${record}`
  const changed = summary ?? 'no changes'
  if (options.dryRun) {
    await client.permissions.requirePossible(
      `release ${dir}`,
      record ? 'newversion' : 'update',
      newest,
    )
    await client.permissions.requireMayPublish(newest.id)
    const would = `publish ${version}: ${changed}`
    narrate(context.streams, options, `Would ${would}`)
    for (const line of lost) narrate(context.streams, options, line)
    print(context.streams, options, {
      body: { would, changes: toChangesBody(changes) },
      ids: changedNames(changes),
      lines: () => changeLines(changes),
    })
    return undefined
  }
  if (overtaken && !(await mayOvertake(job)))
    throw new Failure(
      {
        tried: `release ${dir}`,
        said: overtaken.said,
        next: advice.overtake(dir, recordUrl(newest) ?? ''),
      },
      { exitCode: exitCodes.refused },
    )
  await ask(job, `It becomes ${version}: ${changed}.`, lost)
  if (record === undefined) return publishDraft(job, newest)
  const draft = await client.runAction(newest.id, 'newversion')
  await requireOwn(job, draft)
  narrate(context.streams, options, sayVersion(newest.id, draft))
  narrate(context.streams, options, await remember({ context, client, dir }, draft))
  return publishDraft(job, draft)
}

/** Whether a person is asked, agreed before, or nobody could be. */
async function mayOvertake({ context, options }: Release): Promise<boolean> {
  const { asksFirst } = await import('../session/confirm.ts')
  return options.yes === true || context.config.isUnattended || asksFirst(context, options)
}

/** The version before a draft, if the folder has no changes to it either. */
async function findSame(
  { client, folder }: Release,
  { links }: DepositBody,
): Promise<DepositBody | undefined> {
  const path = links['previous_version']
  const before = path === undefined ? undefined : (await client.readRecord(path)).links['deposit']
  if (before === undefined) return undefined
  const { comparePrepared, summarize } = await import('../transfer/compare-folder.ts')
  const deposit = await client.read(before)
  const { changes } = await comparePrepared(folder, { client, deposit })
  return summarize(changes) === undefined ? deposit : undefined
}

/**
 * A draft of the next version that the folder does not know and that has changes: another person
 * works on it. Without a memory, as in a pipeline, it is that of an interrupted run.
 *
 * @throws {Failure} its changes would be lost, and nobody agreed to that
 */
async function requireOwn(job: Release, draft: DepositBody): Promise<void> {
  const { context, client, dir, folder, options } = job
  const { readMemory, readSoundMemory } = await import('./memory.ts')
  const read = options.of === undefined ? readMemory : readSoundMemory
  const memory = await read(context, dir)
  const isOwn = memory?.deposit === undefined || memory.deposit.id === draft.id
  if (isOwn || draft.revision === 0 || options.yes) return
  const { comparePrepared, summarize } = await import('../transfer/compare-folder.ts')
  const { changes } = await comparePrepared(folder, { client, deposit: draft })
  const summary = summarize(changes)
  if (summary === undefined) return
  const tried = `release ${dir}`
  const when = formatAge(draft.updated, Date.now())
  const said = `draft ${draft.id} of the next version was changed ${when}, not by this folder, which would change it: ${summary}`
  const { asksFirst, confirm } = await import('../session/confirm.ts')
  if (!asksFirst(context, options)) {
    const lines = { tried, said, next: advice.replaceDraft(dir, draft.id) }
    throw new Failure(lines, { exitCode: exitCodes.refused })
  }
  const question = 'Replace its files and metadata with those of the folder?'
  await confirm(context, { tried, summary: [`Note: ${said}`], question })
}

/** An empty draft: whatever the folder has by now, a command that is run again finds it. */
async function createFirst({ context, client, dir, options }: Release): Promise<DepositBody> {
  const { createRemembered, remember } = await import('./memory.ts')
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
async function publishDraft(job: Release, draft: DepositBody): Promise<DepositBody | undefined> {
  const { context, client, folder, again, show, options } = job
  const { streams } = context
  const [{ comparePrepared, summarize }, { applyChanges }, { keepDraft }, { tellServerWarnings }] =
    await Promise.all([
      import('../transfer/compare-folder.ts'),
      import('../transfer/apply-changes.ts'),
      import('../transfer/keep-draft.ts'),
      import('../check/server-warnings.ts'),
    ])
  const { id } = draft
  const work = async (): Promise<DepositBody> => {
    const compared = await comparePrepared(folder, { client, deposit: draft })
    const { metadata, ...files } = compared.changes
    if (metadata.length > 0) await replaceMetadata(client, id, compared.folder.metadata)
    await tellServerWarnings(job, id)
    const sending = { streams, jobs: options.jobs, quiet: options.quiet === true, show }
    await applyChanges(sending, { ...compared, changes: { ...files, metadata: [] } })
    const summary = summarize(compared.changes)
    narrate(streams, options, summary === undefined ? 'Nothing to change' : `Changed: ${summary}`)
    return client.runAction(id, 'publish')
  }
  const deposit = await keepDraft(id, again, work).catch(async (cause: unknown) => {
    if (!(cause instanceof Failure) || cause.exitCode !== exitCodes.refused) throw cause
    if (recordUrl(await client.read(id)) === undefined) throw cause
    // Another run of the command has published it since.
    return undefined
  })
  if (deposit === undefined) return publishNext(job, { newest: await client.read(id), base: draft })
  narrate(streams, options, sayPublished(deposit))
  return deposit
}

/** Another run of the command may change the draft at the same moment. */
async function replaceMetadata(client: DepositClient, id: string, wanted: Metadata): Promise<void> {
  const { compareMetadata } = await import('../metadata/change.ts')
  for (let attempt = 1; ; attempt += 1) {
    const { metadata, revision } = await client.read(id)
    if (compareMetadata(metadata, wanted).length === 0) return
    try {
      await client.replace(id, wanted, revision)
      return
    } catch (cause) {
      const isStale = cause instanceof Failure && cause.problem?.code === 'stale_revision'
      if (!isStale || attempt === 5) throw cause
    }
  }
}

/** @throws {Failure} the answer was not yes */
async function ask(
  { context, dir, folder, options }: Release,
  version: string,
  lost: readonly string[] = [],
): Promise<void> {
  const { asksFirst, confirm } = await import('../session/confirm.ts')
  if (!asksFirst(context, options)) {
    for (const line of lost) narrate(context.streams, options, line)
    return
  }
  const { files } = folder.plan
  const size = files.reduce((sum, file) => sum + file.size, 0)
  const { title } = folder.metadata
  const name = typeof title === 'string' ? plain(title) : '(no title)'
  const folderLine = `"${name}", ${count(files.length, 'file')} (${formatBytes(size)})`
  const summary = [folderLine, version, ...lost]
  const question = 'Publish it for good? Its record is public and its files cannot change.'
  await confirm(context, { tried: `release ${dir}`, summary, question, undone: 'published' })
}

function tellFirst(
  { streams }: CliContext,
  { metadata, plan }: Prepared,
  options: ReleaseOptions,
): void {
  const files = count(plan.files.length, 'file')
  const would = `publish the first version of a record, with ${files}`
  narrate(streams, options, `Would ${would}`)
  printPlan(streams, options, metadata, plan.files, would)
}
