import { advice } from '../advice.ts'
import { basename, dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { sayGroup, toPlanLine } from '../batch/outcome-lines.ts'
import type { PreparedRow } from '../batch/prepare-rows.ts'
import type { ReportTable } from '../batch/report-table.ts'
import type { Rehearsed } from '../batch/rehearse-row.ts'
import { placeOf, type Row } from '../batch/row.ts'
import type { Purpose } from '../check/check-document.ts'
import type { Entry } from '../batch/journal.ts'
import type { Flatten } from '../remote/port/flatten.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { CliContext } from '../session/context.ts'
import { exitCodes } from '../exit-codes.ts'
import { isInterruption, UsageFailure } from '../failure.ts'
import { narrate, notAsked, print } from '../output/print.ts'
import { count } from '../output/units.ts'
import {
  collect,
  exclude,
  flattenOption,
  followLinks,
  lineOf,
  newChange,
  recordTraffic,
  strict,
  withoutMetadata,
  type CommonOptions,
} from './command.ts'
import { jobs, progressForm } from '../options.ts'

interface BatchCommandOptions extends CommonOptions {
  readonly publish?: true
  readonly yes?: true
  readonly strict?: true
  readonly jobs?: number
  readonly resume?: string
  readonly report?: string
  readonly exclude?: readonly string[]
  readonly followLinks?: true
  readonly update?: true
  readonly delete?: true
  readonly to?: string
  readonly flatten?: Flatten
  readonly of?: readonly string[]
  readonly record?: string
}

/** A row is a few short requests, one after another; the server commits those of many rows together. */
const rowsAtOnce = 16

/** `deposit batch <file>`: a deposit for each row; prints the outcome of each. */
export function batchCommand(context: CliContext): Command {
  return newChange('batch', {
    'deposit batch deposits.csv --dry-run': 'checks all rows and their files, and sends nothing',
    'deposit batch deposits.csv --publish': 'makes and publishes a deposit of each row',
    'deposit batch deposits.csv --publish --report done.csv':
      'also writes the table with ids and addresses',
    'deposit batch deposits.jsonl --jobs 4': 'four rows at once, for a server that is busy',
    'deposit batch deposits.csv --to zenodo': 'a draft on Zenodo for each row',
  })
    .description(
      'Make many deposits: one for each row of a CSV or TSV file, line of JSON Lines, or YAML ' +
        'document. A table may have commas, semicolons or tabs between its cells.\n\n' +
        'Columns are fields of the metadata (keywords and creators with ; between values; a ' +
        'column whose title ends in : holds JSON). `folder` names a folder of files, `files` ' +
        'further files, both relative to the batch. `key` identifies a row, so that a changed ' +
        'row keeps its deposit. Rows without a key that have the same files and title are named, ' +
        'and not published: one of them is probably a mistake. A column that the schema does not have becomes a field, with a ' +
        'warning. A column that seems to be a misspelt `folder`, `files` or `key`, or whose ' +
        'cells name existing files, is refused.\n\n' +
        'All rows are checked first, and the room that their files need; if one would be refused, nothing is sent. A row without ' +
        'any field of its schema is published only with --yes. On a terminal, --publish asks once for all ' +
        'rows; --yes answers it.\n\n' +
        'A journal beside the file records finished rows: after an interruption or a failure, ' +
        'run the batch again, and only the rest is done. Keep it with the table, in git for ' +
        'example: it alone knows which deposit a row or its key has, and without it all rows ' +
        'become new deposits. If the server cannot be reached any more, the sign-in has ended or your ' +
        'quota is used up, no further row is begun; the others are reported as not done. Changed rows are reported (status 7), ' +
        'and --update applies them: a published deposit is edited and published again; if its ' +
        'files changed, a new version is published, and its record has a new address. Files ' +
        'count as changed when their names or bytes differ; a row whose record was withdrawn is left as it is. A draft with files that are not in ' +
        'its row is refused without --delete. Rows of the journal that are no longer in the ' +
        'table are named; their deposits stay.\n\n' +
        '--report writes the columns of the batch with id, url, status and message of each row, ' +
        'also after an interruption or a failure; a later run writes it again, with the ' +
        'addresses of finished rows. It replaces an earlier report, and no other file.\n\n' +
        '--to sends the rows to a repository of others, as `deposit push` does: straight from the ' +
        'disk, without our service. Its journals are in a folder beside the table, named after the ' +
        'remote. With --update, changed rows of its records become new versions there.',
    )
    .argument(
      '<file>',
      'the batch: .csv, .tsv, .jsonl, .yaml or .json; - for standard input, with --resume',
    )
    .option('--publish', 'publish each deposit after its files are uploaded')
    .option(...withoutMetadata)
    .option(...strict)
    .option(...jobs(`rows worked on at once; default ${rowsAtOnce}, or 2 with --to`))
    .option(...progressForm)
    .option('--resume <journal>', 'the journal to begin or continue, if it is not beside the file')
    .option('--update', 'apply changed rows to their deposits')
    .option('--delete', 'delete files of drafts that are not in their rows')
    .option('--to <remote>', 'push the rows to a repository, as `deposit remote list` shows it')
    .addOption(flattenOption())
    .option(
      '--of <row=record>',
      'with --to: the record or draft there that the row of this key or number continues, also where others changed it; may be repeated',
      collect,
    )
    .option(...recordTraffic)
    .option('--report <file>', 'write the table with the outcome of each row, as .csv or .tsv')
    .option(...exclude)
    .option(...followLinks)
    .action((file: string, options: BatchCommandOptions) => batch(context, file, options))
}

async function batch(
  context: CliContext,
  file: string,
  options: BatchCommandOptions,
): Promise<void> {
  const { streams } = context
  const path = resolve(context.folder, file)
  const [
    { readRows },
    { prepareRows, RefusedRows },
    { describeDropped, readJournal, recognise },
    { findReport, outcomesBefore },
  ] = await Promise.all([
    import('../batch/read-rows.ts'),
    import('../batch/prepare-rows.ts'),
    import('../batch/journal.ts'),
    import('../batch/report-table.ts'),
  ])
  if (file === '-' && options.resume === undefined) throw noJournal()
  const read = await readRows(context, file)
  const { to } = options
  const end = to === undefined ? 'journal' : `${to}.journal`
  const beside = resolve(dirname(path), `${basename(path)}.${end}`)
  const place = options.resume === undefined ? beside : resolve(context.folder, options.resume)
  const { entries } = to === undefined ? await readJournal(place) : noJournals
  const rows = recognise(entries, read)
  const purposeOf = ({ identity }: Row): Purpose => {
    if (to !== undefined) return 'draft'
    const isPublishedAgain = options.update && entries.get(identity)?.done === 'published'
    return options.publish || isPublishedAgain ? 'publish' : 'draft'
  }
  const report = await findReport(
    { folder: context.folder, table: path, journal: place, rows },
    options,
  )
  // Of a push, the plan tells it.
  const isBegun = ({ identity }: Row): boolean => to !== undefined || entries.has(identity)
  const prepared = await prepareRows(dirname(path), rows, { ...options, purposeOf, isBegun }).catch(
    async (error: unknown) => {
      if (error instanceof RefusedRows && report !== undefined) {
        const { pushedBefore } = await import('../batch/pushed-before.ts')
        const before =
          to === undefined ? entries : await pushedBefore(context, { to, journals: place }, rows)
        await report.write(outcomesBefore(rows, before, error.messages), 'nothing was sent')
      }
      throw error
    },
  )
  for (const warning of prepared.warnings) narrate(streams, options, warning)
  const dropped = describeDropped(entries, rows)
  if (dropped !== undefined) narrate(streams, options, dropped)
  if (to !== undefined) {
    const { pushBatch } = await import('./push-batch.ts')
    const { record: _, ...kept } = options
    const command = lineOf(['batch', file], kept)
    await pushBatch(context, { to, command, rows: prepared.rows, place, report }, options)
    return
  }
  if (options.of !== undefined) {
    const said = 'it names records at the remote of --to, which is missing'
    throw new UsageFailure({ tried: 'use --of', said, next: advice.leaveOut('--of') })
  }
  if (options.dryRun) {
    await rehearse(context, prepared.rows, place, options)
    if (options.report !== undefined) narrate(streams, options, `Would write ${options.report}`)
    return
  }
  await report?.write(outcomesBefore(rows, entries), 'nothing was sent')
  await run(context, file, prepared.rows, { place, report, entries }, options).catch(
    async (error: unknown) => {
      const { ended } = await import('../batch/finish-batch.ts')
      // The user may also interrupt before the first row, while the daemon starts.
      throw isInterruption(error) ? ended(error, lineOf(['batch', file], options)) : error
    },
  )
}

/** Of a push, each row has its own. */
const noJournals = { entries: new Map<string, Entry>() }

function noJournal(): UsageFailure {
  return new UsageFailure({
    tried: 'read the batch from standard input',
    said: 'standard input has no file beside which the journal could be kept',
    next: advice.nameJournal(),
  })
}

async function rehearse(
  context: CliContext,
  given: readonly PreparedRow[],
  place: string,
  options: BatchCommandOptions,
): Promise<void> {
  const { streams } = context
  const [{ askSchema, rehearseRow }, { readJournal }, { compareBytes }, { withKnownDigests }] =
    await Promise.all([
      import('../batch/rehearse-row.ts'),
      import('../batch/journal.ts'),
      import('../batch/file-digests.ts'),
      import('../transfer/known-digests.ts'),
    ])
  const client = await context.runningClient(options)
  if (client === undefined) narrate(streams, options, notAsked)
  else await requireOwn(context, client, place, given, options)
  const known = (await readJournal(place)).entries
  const { rows: prepared, entries } = await withKnownDigests(context, place, (digestOf) =>
    compareBytes(given, known, { client, digestOf }),
  )
  const how = {
    client: () => context.client(options),
    publish: options.publish === true,
    update: options.update === true,
    deletes: options.delete === true,
  }
  const plans: (PreparedRow & Rehearsed)[] = []
  for (const row of prepared) {
    const rehearsed = await rehearseRow(how, row, entries.get(row.row.identity))
    plans.push({ ...row, ...(await askSchema(client, row, rehearsed)) })
  }
  const changed = plans.find(({ would }) => changing.has(would))
  if (typeof changed?.id === 'string') await client?.permissions.requireMayUpdate(changed.id)
  const { countPublished } = await import('../batch/ask-to-publish.ts')
  const publishes = countPublished(prepared, entries, options) > 0
  const made = plans.filter(({ would }) => would === 'make')
  const files = made.reduce((sum, { plan }) => sum + plan.files.length, 0)
  if (made.length > 0) await client?.permissions.requireMayCreate(publishes, sizeOf(made))
  else if (publishes) await client?.permissions.requireMayPublish()
  const of = files === 0 ? '' : ` with ${count(files, 'file')}`
  const making = `make ${count(made.length, 'deposit')}${of}`
  const others = [...Map.groupBy(plans, ({ would }) => would)].flatMap(([would, group]) =>
    would === 'make' ? [] : [sayGroup(would, group.length)],
  )
  const planned = made.length > 0 ? [making, ...others] : others
  narrate(streams, options, `Would ${planned.join(', ')}`)
  const body = plans.map(({ row, metadata, plan, would, id, message }) => ({
    ...placeOf(row),
    would,
    id,
    message,
    metadata,
    files: plan.files.map(({ key, size }) => ({ filename: key, filesize: size })),
  }))
  print(streams, options, { body, ids: [], lines: () => plans.map(toPlanLine) })
  if (plans.some(({ would }) => would === 'leave changed' || would === 'fail'))
    context.end(exitCodes.someFailed)
}

/** Rows whose deposits get other metadata or files. */
const changing: ReadonlySet<Rehearsed['would']> = new Set<Rehearsed['would']>([
  'finish',
  'update',
  'make a new version',
])

/**
 * @throws {Failure} the journal is another server's, or the rows are those of another journal
 */
async function requireOwn(
  { folder }: CliContext,
  client: DepositClient,
  place: string,
  rows: readonly PreparedRow[],
  { resume }: BatchCommandOptions,
): Promise<void> {
  const { requireSameService, refuseRenamed } = await import('../batch/journal-place.ts')
  await requireSameService(client, place)
  if (resume === undefined) await refuseRenamed(client, place, folder, rows)
}

interface Prepared {
  /** The journal. */
  readonly place: string
  readonly report: ReportTable | undefined
  /** Of the journal. */
  readonly entries: ReadonlyMap<string, Entry>
}

async function run(
  context: CliContext,
  file: string,
  given: readonly PreparedRow[],
  { place, report: table, entries }: Prepared,
  options: BatchCommandOptions,
): Promise<void> {
  const { streams } = context
  const [{ Journal, journalUnwritten }, { runBatch }, { finishBatch, kept, teller }] =
    await Promise.all([
      import('../batch/journal.ts'),
      import('../batch/run-batch.ts'),
      import('../batch/finish-batch.ts'),
    ])
  const client = await context.client(options)
  await requireOwn(context, client, place, given, options)
  const { withKnownDigests } = await import('../transfer/known-digests.ts')
  await withKnownDigests(context, place, async (digestOf, learn) => {
    const { compareBytes } = await import('../batch/file-digests.ts')
    const found = await compareBytes(given, entries, { client, digestOf })
    await requireMayBegin(context, file, { client, ...found }, options)
    const endpoint = options.endpoint ?? context.config.endpoint
    await using journal = await Journal.open(place, {
      server: client.connection.server.origin,
      ...(endpoint !== undefined && { endpoint }),
    })
    for (const entry of found.completed) await journal.complete(entry)
    const how = {
      client,
      streams,
      journal,
      learn,
      publish: options.publish === true,
      update: options.update === true,
      deletes: options.delete === true,
      jobs: options.jobs ?? rowsAtOnce,
      tell: teller(streams, options),
    }
    const finished = await runBatch(how, found.rows)
    const end = journalUnwritten(finished.end, place, kept) ?? finished.end
    const command = lineOf(['batch', file], options)
    await finishBatch(context, { outcomes: finished.outcomes, end }, { table, command }, options)
  })
}

interface Beginning {
  readonly client: DepositClient
  readonly rows: readonly PreparedRow[]
  readonly entries: ReadonlyMap<string, Entry>
}

/**
 * Otherwise drafts would be made before the first row is refused.
 *
 * @throws {Failure} the token or the quota does not allow it, or the answer was not yes
 */
async function requireMayBegin(
  context: CliContext,
  file: string,
  { client, rows, entries }: Beginning,
  options: BatchCommandOptions,
): Promise<void> {
  const { askToPublish, countPublished } = await import('../batch/ask-to-publish.ts')
  const published = countPublished(rows, entries, options)
  const made = rows.filter(({ row }) => entries.get(row.identity)?.id === undefined)
  if (made.length > 0) await client.permissions.requireMayCreate(published > 0, sizeOf(made))
  else if (published > 0) await client.permissions.requireMayPublish()
  await askToPublish(context, file, published, options)
}

/** Bytes of all files. */
function sizeOf(rows: readonly PreparedRow[]): number {
  return rows
    .flatMap(({ plan }) => plan.files.map(({ size }) => size))
    .reduce((sum, size) => sum + size, 0)
}
