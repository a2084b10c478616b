import type { Command } from 'commander'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice, type Advice } from '../advice.ts'
import { closedFiles, recordUrl, shownStatus, statusOf, titleOf } from '../output/deposit-facts.ts'
import { shareLines, toLine, type Findings } from '../output/finding.ts'
import { print } from '../output/print.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { Prepared } from '../transfer/prepare.ts'
import { count, formatAge, formatBytes } from '../output/units.ts'
import { sayWithdrawn, type WithdrawnVersion } from '../folder/withdrawn-version.ts'
import type { CliContext } from '../session/context.ts'
import type { Changes } from '../transfer/compare-folder.ts'
import type { Standing } from '../remote/find-standings.ts'
import { describeCopy, describeStanding, isGone } from '../remote/standing.ts'
import { followLinks, newCommand, type CommonOptions } from './command.ts'

interface StatusOptions extends CommonOptions {
  readonly followLinks?: true
  readonly remotes?: true
  readonly journal?: string
}

/** `deposit status [dir]`: a folder, its deposit, and what comes next. */
export function statusCommand(context: CliContext): Command {
  return newCommand('status', {
    'deposit status': 'shows the current folder',
    'deposit status results/': 'shows another one',
    'deposit status --remotes': 'also asks Zenodo, if it was pushed there',
    'deposit status --json next': 'only the next step, for a script',
  })
    .description(
      'Show the files of a folder, the deposit that it knows, the differences between the two, ' +
        'what was withdrawn, what is missing for publishing, where it was pushed to, and the next step. Nothing is changed. A folder that ' +
        'knows no deposit is only looked at, and no server is asked. Whether a copy elsewhere is level is ' +
        'told as of the last push, unless --remotes asks. Files that are as the last ' +
        'status or diff found them are not read again.',
    )
    .argument('[dir]', 'the folder; the current one by default')
    .option(...followLinks)
    .option('--remotes', 'ask the repositories that it was pushed to, and look at the files there')
    .option('--journal <dir>', 'where its pushes with `deposit push --journal` keep their journal')
    .action((dir: string | undefined, options: StatusOptions) =>
      status(context, dir ?? '.', options),
    )
}

/** A folder, and its deposit if it knows one. */
interface Status {
  readonly dir: string
  readonly files: { readonly count: number; readonly size: number }
  readonly findings: Findings
  readonly hasMetadata: boolean
  readonly known?: {
    readonly deposit: DepositBody
    readonly server: string
    readonly changes: Changes
    /** The newest version, where the folder knows an older one. */
    readonly newer: DepositBody | undefined
    /** The version after which the next one would be published, where that was withdrawn. */
    readonly withdrawn: WithdrawnVersion | undefined
    /** The draft and the folder are as the version before. */
    readonly isUnchanged: boolean
  }
  readonly remotes: readonly Standing[]
}

async function status(context: CliContext, dir: string, options: StatusOptions): Promise<void> {
  const found = await examine(context, dir, options)
  const { files, findings, known } = found
  const { journal } = options
  const next = ofJournal(nextStep(found), journal)
  const { lostValues, summarize, toChangesBody } = await import('../transfer/compare-folder.ts')
  const lost = ({ changes, deposit }: NonNullable<Status['known']>): readonly string[] =>
    lostValues(changes, deposit).map((line) => `  ${line}`)
  const body = {
    folder: dir,
    files,
    ...findings,
    deposit: known?.deposit.id ?? null,
    server: known?.server ?? null,
    status: known === undefined ? null : shownStatus(known.deposit),
    record: (known && recordUrl(known.deposit)) ?? null,
    newer: (known?.newer && recordUrl(known.newer)) ?? null,
    withdrawn: known?.withdrawn ?? null,
    remotes: found.remotes,
    changes: known === undefined ? null : toChangesBody(known.changes),
    next: next ?? null,
  }
  const lines = (): readonly string[] => [
    `Folder: ${dir}, ${count(files.count, 'file')} (${formatBytes(files.size)})`,
    ...(known === undefined
      ? ['Deposit: none yet']
      : [...describe(known, summarize(known.changes)), ...lost(known)]),
    ...found.remotes.map((each) =>
      known?.deposit.withdrawn ? describeCopy(each) : toStandingLine(each, dir, journal),
    ),
    ...findings.errors.map((fault) => `To correct: ${toLine(fault)}`),
    ...shareLines(findings.warnings).map((fault) => `To consider: ${toLine(fault)}`),
    ...(next === undefined ? ['Nothing to do'] : [`Next: ${next}`]),
  ]
  print(context.streams, options, { body, ids: known ? [known.deposit.id] : [], lines })
}

function describe(
  { deposit, server, newer, withdrawn, isUnchanged }: NonNullable<Status['known']>,
  summary: string | undefined,
): readonly string[] {
  const record = recordUrl(deposit)
  const when = newer && formatAge(newer.updated, Date.now())
  // Where the version of the folder was withdrawn, the newest one that is public is an older one.
  const said = deposit.withdrawn
    ? `The newest public version is now ${newer && recordUrl(newer)}`
    : `Newer version: ${newer && recordUrl(newer)}, published ${when}, and not by this folder`
  const closed = closedFiles(deposit.metadata)
  return [
    `Deposit: ${deposit.id}, ${shownStatus(deposit)}, "${titleOf(deposit)}", at ${server}`,
    ...(record === undefined ? [] : [`Record: ${record}`]),
    ...(withdrawn === undefined ? [] : [`Withdrawn: ${sayWithdrawn(withdrawn)}`]),
    ...(newer === undefined ? [] : [said]),
    ...(closed === undefined ? [] : [closed]),
    `Changes: ${summary ?? 'none'}${isUnchanged ? ', nor any since the version before' : ''}`,
  ]
}

/** With the command that brings the repository level. */
function toStandingLine(standing: Standing, dir: string, journal: string | undefined): string {
  const said = describeStanding(standing)
  const step = ofJournal(stepFor(standing, dir), journal)
  return step === undefined ? said : `${said}: ${step}`
}

/** With the option of its pushes. */
function ofJournal(next: Advice | undefined, journal: string | undefined): Advice | undefined {
  if (next === undefined || journal === undefined) return next
  return advice.withJournal(next, journal)
}

function stepFor({ name, status, level, there, begun }: Standing, dir: string): Advice | undefined {
  const isPublished = status === 'published'
  const isMissing = isGone(there)
  const isEdited = there?.state === 'edited'
  if ((isMissing || isEdited) && isPublished) return advice.pushToSee(dir, name)
  if (isPublished && begun === 'correction') return advice.publishThere(dir, name)
  // A draft that was changed or deleted there is made again by a push; a record is not.
  const isOther = there?.state === 'changed' || isMissing
  return level && !(isOther && !isPublished) ? undefined : advice.pushOf(dir, name, isPublished)
}

/** The next step of a folder that lives elsewhere alone. */
function stepThere(remotes: readonly Standing[], dir: string): Advice | undefined {
  const [step] = remotes.flatMap((each) => stepFor(each, dir) ?? [])
  const draft = remotes.find(({ status }) => status === 'draft')
  return step ?? (draft && advice.publishThere(dir, draft.name))
}

async function examine(context: CliContext, dir: string, options: StatusOptions): Promise<Status> {
  const [
    { checkLocal },
    { prepare },
    { compareKnown, readSame },
    { findFolderDeposit, findNewest },
    { readMemory },
    { findWithdrawn },
  ] = await Promise.all([
    import('../check/check-local.ts'),
    import('../transfer/prepare.ts'),
    import('../transfer/known-comparison.ts'),
    import('../folder/folder-deposit.ts'),
    import('../folder/memory.ts'),
    import('../folder/withdrawn-version.ts'),
  ])
  const readable = (await readSame(context, dir))?.folder
  const folder = await prepare(context, dir, { ...options, digests: false, readable })
  const checked = await checkLocal(context, dir, { ...options, folder })
  const size = folder.plan.files.reduce((sum, file) => sum + file.size, 0)
  const seen = {
    dir,
    files: { count: folder.plan.files.length, size },
    findings: checked?.findings ?? { errors: [], warnings: [] },
    hasMetadata: folder.source !== undefined,
  }
  const { standingsOfDeposit, standingsOfFolder } = await import('../remote/standing.ts')
  const ofFolder = async (): Promise<readonly Standing[]> =>
    standingsOfFolder(context, dir, options)
  if ((await readMemory(context, dir))?.deposit === undefined)
    return { ...seen, remotes: await ofFolder() }
  const client = await context.client(options)
  const deposit = await findFolderDeposit(context, client, dir, { quiet: true })
  const changes = await compareKnown(context, dir, folder, { client, deposit })
  const newest = recordUrl(deposit) === undefined ? deposit : await findNewest(client, deposit)
  const newer = newest.id === deposit.id ? undefined : newest
  const isPublished = recordUrl(deposit) !== undefined && !deposit.withdrawn
  const isDone = isPublished && newer === undefined && isEmpty(changes)
  const withdrawn = isDone ? undefined : await findWithdrawn(client, newest, [deposit])
  const isUnchanged = isEmpty(changes) && !withdrawn && (await isAsBefore(client, folder, deposit))
  const server = client.connection.server.origin
  const remotes =
    options.journal === undefined
      ? await standingsOfDeposit(context, client, deposit, options)
      : await ofFolder()
  return { ...seen, remotes, known: { deposit, server, changes, newer, withdrawn, isUnchanged } }
}

const isEmpty = (changes: Changes): boolean =>
  Object.values(changes).every(({ length }) => length === 0)

/** Whether the draft of a next version has nothing that is new. */
async function isAsBefore(
  client: DepositClient,
  folder: Prepared,
  { links }: DepositBody,
): Promise<boolean> {
  const path = links['record'] === undefined ? links['previous_version'] : undefined
  const before = path === undefined ? undefined : (await client.readRecord(path)).links['deposit']
  if (before === undefined) return false
  const { comparePrepared } = await import('../transfer/compare-folder.ts')
  const deposit = await client.read(before)
  return isEmpty((await comparePrepared(folder, { client, deposit })).changes)
}

/** Undefined once all is published. */
function nextStep(found: Status): Advice | undefined {
  const { dir, findings, hasMetadata, known, remotes } = found
  if (known === undefined && remotes.length > 0) return stepThere(remotes, dir)
  if (known === undefined && !hasMetadata) return advice.beginWith(dir)
  if (known?.deposit.withdrawn) {
    const next = known.deposit.withdrawn.bytes_destroyed
      ? advice.followWithdrawn(dir)
      : advice.restoreRecord(known.deposit.id, dir)
    const copy = remotes.find(({ status, there }) => status === 'published' && !isGone(there))
    return copy === undefined ? next : advice.removeCopy(copy.url, { next })
  }
  if (known?.deposit.review?.state === 'submitted') return advice.awaitReview(known.deposit.id)
  const isPublished = known !== undefined && statusOf(known.deposit) === 'published'
  const isSame = known !== undefined && isEmpty(known.changes)
  if (isPublished && isSame) return undefined
  if (findings.errors.length > 0) return advice.checkFolder(dir)
  if (known === undefined) return advice.createOf(dir)
  const { deposit, changes, withdrawn, isUnchanged } = known
  const { metadata: _, ...ofFiles } = changes
  const isEdit = recordUrl(deposit) !== undefined
  const isOfFiles = !isEmpty({ ...ofFiles, metadata: [] })
  // A release is refused until it names that version.
  if (isPublished && withdrawn) return advice.followWithdrawn(dir)
  if (isPublished && !isOfFiles) return advice.correctRecord(dir)
  if (isPublished || (isEdit && isOfFiles)) return advice.nextVersion(dir)
  if (withdrawn && !isEdit) return advice.publishWithout(dir)
  if (isUnchanged) return advice.changeOrDelete(deposit.id)
  return isSame ? advice.publishOf(dir) : advice.syncFolder(dir, changes.deleted.length > 0)
}
