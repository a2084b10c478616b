import type { Command } from 'commander'
import { resolve } from 'node:path'
import { advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import { narrate, print } from '../output/print.ts'
import type { Progress } from '../output/progress.ts'
import { count, formatBytes } from '../output/units.ts'
import { progressForm } from '../options.ts'
import { plain } from '../plain.ts'
import type { OpenRemote } from '../remote/open-remote.ts'
import type { Flatten } from '../remote/port/flatten.ts'
import type { Push } from '../remote/push.ts'
import type { Pushed } from '../remote/push-journal.ts'
import { shownAddress, type Plan } from '../remote/push-plan.ts'
import type { Copy } from '../remote/port/repository.ts'
import type { Source } from '../remote/source.ts'
import { tellPlan } from '../remote/tell-plan.ts'
import type { CliContext } from '../session/context.ts'
import {
  exclude,
  flattenOption,
  followLinks,
  lineOf,
  newChange,
  recordTraffic,
  unasked,
  type CommonOptions,
} from './command.ts'

interface PushOptions extends CommonOptions {
  readonly to?: string
  readonly publish?: true
  readonly newVersion?: true
  readonly of?: string
  readonly flatten?: Flatten
  readonly record?: string
  readonly journal?: string
  readonly metadata?: string
  readonly exclude?: readonly string[]
  readonly followLinks?: true
  readonly yes?: true
}

/** `deposit push <id>`: a deposit, record or folder to a repository of others. */
export function pushCommand(context: CliContext): Command {
  return newChange('push', {
    'deposit push 4f2a91 --to zenodo --dry-run': 'shows what would go there, and what not',
    'deposit push 4f2a91 --to zenodo': 'makes a draft there, with all files',
    'deposit push results/ --to zenodo --publish': 'straight from a folder, and publishes it',
    'deposit push 77c0d2 --to zenodo --new-version --publish': 'a new version of the record there',
  })
    .description(
      'Send a deposit, a record or a folder to a repository of others, which `deposit remote add` ' +
        'names. A folder that knows its deposit stands for that; another is sent as it is, without ' +
        'our service; which record it has there is in a journal beside the sign-ins, or in --journal. ' +
        'First the plan is made: what is there, what goes, what does not, and what would ' +
        'be refused; --dry-run prints it and ends. Interrupted? Run the command again: what arrived is ' +
        'not sent again, and there is never a second draft.\n\n' +
        'Each file is compared by its MD5 after it was sent. With --publish, the address of the DOI is ' +
        'printed, and the deposit here gets it as an identical work. Restricted and embargoed files go ' +
        'there as such, or not at all.\n\n' +
        'These repositories were not tried themselves: the command was made from their documentation, ' +
        'and held against programs that stand in for them. Try yours with a sandbox first ' +
        '(sandbox.zenodo.org, demo.dataverse.org), and with --record FILE, which a report of a fault ' +
        'should have.',
    )
    .argument(
      '[what]',
      'a deposit or record by its identifier or address, or a folder; by default the current one',
    )
    .option('--to <name>', 'the remote, as `deposit remote list` shows it')
    .option('--publish', 'publish it there: a terminal asks first, others need --yes')
    .option(
      '--new-version',
      'begin a new version of the record that was published there; with the same files, its metadata are corrected',
    )
    .option(
      '--of <record>',
      'the record or draft of yours there that this continues: a number, DOI or address, where no journal knows it',
    )
    .addOption(flattenOption())
    .option('--metadata <file>', 'of a folder: metadata in YAML or JSON, instead of those in it')
    .option(...exclude)
    .option(...followLinks)
    .option(
      '--journal <dir>',
      'send a folder as it is, also one that knows its deposit, and keep its journal there, for a pipeline to take along',
    )
    .option(...recordTraffic)
    .option(...unasked)
    .option(...progressForm)
    .action((what: string | undefined, options: PushOptions) => push(context, what, options))
}

async function push(
  context: CliContext,
  what: string | undefined,
  options: PushOptions,
): Promise<void> {
  const { streams } = context
  const [{ openStored }, { Push: Pushing }, { asksFirst, requireAnswer }] = await Promise.all([
    import('../remote/open-remote.ts'),
    import('../remote/push.ts'),
    import('../session/confirm.ts'),
  ])
  const { findRemote, nameless } = await import('../remote/remotes.ts')
  const tried = `push ${what ?? '.'}`
  const { to } = options
  if (to === undefined) throw await nameless(context, tried)
  const found = await findRemote(context, to)
  const command = lineOf(['push', ...(what === undefined ? [] : [what])], withoutRun(options))
  requireAnswer(context, options, { tried, command })
  const record =
    options.record === undefined ? {} : { record: resolve(context.folder, options.record) }
  await using remote = await openStored(context, found, { ...options, ...record })
  const isForZenodo = found.kind === 'zenodo'
  const source = await findSource(context, what, { ...options, isForZenodo })
  for (const line of source.remarks) narrate(streams, options, line)
  await using pushing = await Pushing.begin(context, source, remote, {
    publish: options.publish === true,
    newVersion: options.newVersion === true,
    corrects: true,
    of: options.of,
    flatten: options.flatten,
    retries: options.retries,
    command,
  })
  const { movedFrom } = pushing
  if (movedFrom !== undefined)
    narrate(streams, options, `Note: it was pushed from ${plain(movedFrom)} before: this continues`)
  const plan = await pushing.plan()
  pushing.requireAccepted(plan)
  if (context.config.isUnattended && options.publish) requireKept(source, pushing, command)
  await tellPlan(context, remote, plan, options)
  if (options.dryRun) {
    const body = { would: options.publish ? 'publish' : 'push', ...toBody(plan) }
    print(streams, options, {
      body,
      ids: plan.found === undefined ? [] : [plan.found.id],
      lines: () => [],
    })
    return
  }
  const isDone = plan.found?.status === 'published' && plan.begins === 'nothing'
  if (options.publish && asksFirst(context, options) && !isDone)
    await askToPublish(context, source, remote, plan)
  const draft = await transfer(context, pushing, plan, options)
  const copy = options.publish ? await pushing.publish(draft, plan) : draft
  await finish(context, { source, copy, plan, versions: pushing.versions }, options)
}

/**
 * A pipeline begins with a new home: its next run would know nothing of the record.
 *
 * @throws {UsageFailure} the journal alone would know it, and stays in that home
 */
function requireKept(source: Source, { versions, of }: Push, command: string): void {
  const isKnown = versions.some(({ published }) => published) || of !== undefined
  if (isKnown || source.deposit !== undefined || source.journals !== undefined) return
  throw new UsageFailure({
    tried: `push ${source.shown}`,
    said: 'CI is set, and which record the folder gets would be known to this run alone: the next one would publish another',
    next: advice.keepJournal(command),
  })
}

/** The command without what is of one run. An advice of a rehearsal leads to another one. */
function withoutRun({ record: _, ...options }: PushOptions): CommonOptions {
  return options
}

async function findSource(
  context: CliContext,
  what: string | undefined,
  { isForZenodo, ...given }: PushOptions & { readonly isForZenodo: boolean },
): Promise<Source> {
  const options = { ...given, isForZenodo }
  const [{ fromDeposit, fromFolder, keyOfJournal }, { findFolder, readNamed }] = await Promise.all([
    import('../remote/source.ts'),
    import('../folder/folder-deposit.ts'),
  ])
  const dir = await findFolder(context, what)
  const { asNamed, requireFolderMayLeave, requireMayLeave } = await import('../remote/may-leave.ts')
  const { journal } = options
  const publish = options.publish === true
  if (dir !== undefined && (!dir.knowsDeposit || journal !== undefined)) {
    const notes = await requireFolderMayLeave(context, dir.path, { ...options, publish })
    const source = await fromFolder(context, dir.path, options)
    if (journal === undefined) return source
    const { folder: _, ...rest } = source
    const remarks = [...notes, ...source.remarks]
    return { ...rest, remarks, key: keyOfJournal, journals: resolve(context.folder, journal) }
  }
  const client = await context.client(options)
  const deposit = await readNamed(context, client, what, options)
  const shown = what ?? deposit.id
  const commandOf = (name: string): string => lineOf(['push', name], withoutRun(given))
  const named = dir === undefined ? what : undefined
  const sent = await asNamed(client, deposit, named, { shown, publish, commandOf })
  await requireMayLeave(client, sent.deposit, { shown, publish })
  const found = await fromDeposit(client, sent.deposit, shown)
  const source = { ...found, remarks: [...found.remarks, ...sent.remarks] }
  if (dir === undefined) return source
  const { requireFolderSynced } = await import('../remote/folder-changes.ts')
  const remarks = await requireFolderSynced(context, { dir: dir.path, client, deposit })
  return { ...source, remarks: [...source.remarks, ...remarks] }
}

function toBody({ begins, found, steps, refused, warnings, lost, translation, opens }: Plan) {
  return {
    begins,
    ...(found && { remote: { id: found.id, url: found.url, doi: found.doi ?? null } }),
    metadata: translation.metadata,
    files: steps,
    opens: opens !== undefined,
    refused,
    warnings,
    lost,
  }
}

async function askToPublish(
  context: CliContext,
  { about, shown }: Source,
  { remote, host }: OpenRemote,
  { steps }: Plan,
): Promise<void> {
  const { confirm } = await import('../session/confirm.ts')
  const files = steps.filter(({ does }) => does !== 'delete' && does !== 'skip')
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const access = about.access.files === 'public' ? 'public' : 'restricted'
  const summary = [
    `"${about.title ?? shown}", ${count(files.length, 'file')} (${formatBytes(bytes)}), ${about.rights?.id ?? 'no license'}, ${access}`,
  ]
  const question = `Publish it for good on ${host}?`
  await confirm(context, {
    tried: `push ${shown} to ${remote.name}`,
    summary,
    question,
    undone: 'published',
  })
}

async function transfer(
  { streams }: CliContext,
  pushing: { carryOut: (plan: Plan, progress: Progress) => Promise<Copy> },
  plan: Plan,
  options: PushOptions,
): Promise<Copy> {
  const bytes = plan.send.reduce((sum, { size }) => sum + size, 0)
  const sending = { verb: 'Sending', files: plan.send.length, bytes }
  const { startProgress } = await import('../output/progress.ts')
  using progress = await startProgress(streams, sending, options.quiet === true)
  return await pushing.carryOut(plan, progress)
}

interface Finished {
  readonly source: Source
  readonly copy: Copy
  readonly plan: Plan
  readonly versions: readonly Pushed[]
}

async function finish(
  { streams }: CliContext,
  { source, copy, plan, versions }: Finished,
  options: PushOptions,
): Promise<void> {
  const isPublished = copy.status === 'published'
  if (isPublished) {
    const { writeBack } = await import('../remote/write-back.ts')
    const note = await writeBack(source, copy, versions)
    if (note !== undefined) narrate(streams, options, note)
  } else {
    const what = copy.isCorrection ? 'The correction is a draft there' : 'It is a draft there'
    narrate(streams, options, `${what}: --publish publishes it`)
  }
  print(streams, options, {
    body: {
      ...toBody(plan),
      remote: { id: copy.id, url: copy.url, doi: copy.doi ?? null, status: copy.status },
    },
    ids: [isPublished ? plain(shownAddress(copy)) : copy.id],
    lines: () => [plain(shownAddress(copy))],
  })
}
