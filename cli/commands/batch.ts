import { basename, dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Outcome } from '../batch/run-batch.ts'
import type { PreparedRow } from '../batch/prepare-rows.ts'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { plain } from '../output/plain.ts'
import { narrate, print } from '../output/print.ts'
import { count } from '../output/units.ts'
import { collect, newChange, type CommonOptions } from './command.ts'
import { jobs, usualJobs } from '../jobs.ts'

interface BatchCommandOptions extends CommonOptions {
  readonly publish?: true
  readonly jobs?: number
  readonly resume?: string
  readonly exclude?: readonly string[]
}

/** `deposit batch <file>`: a deposit for each row; prints what became of each. */
export function batchCommand(context: CliContext): Command {
  return newChange('batch', {
    'deposit batch deposits.csv --dry-run': 'checks all rows and their files, and sends nothing',
    'deposit batch deposits.csv --publish': 'makes and publishes a deposit of each row',
    'deposit batch deposits.jsonl --jobs 16': 'sixteen at once',
  })
    .description(
      'Make many deposits: one for each row of a CSV or TSV file, line of JSON Lines, or YAML ' +
        'document. Columns are fields of the metadata (keywords and creators with ; between; a ' +
        'column that ends in : holds JSON); `folder` names a folder of files, `files` further ' +
        'files, both relative to the batch, and `key` names a row, so that it is not made again ' +
        'when it is changed. What was done stands in a journal beside the file: interrupted or failed, run ' +
        'it again, and only what is missing is done.',
    )
    .argument('<file>', 'the batch: .csv, .tsv, .jsonl, .yaml or .json')
    .option('--publish', 'publish each deposit when its files are uploaded')
    .option(...jobs(`rows worked on at once; ${usualJobs} unless told`))
    .option('--resume <journal>', 'the journal to go on with, where it is not beside the file')
    .option('--exclude <pattern>', 'leave out, as in .gitignore; may be repeated', collect)
    .action((file: string, options: BatchCommandOptions) => batch(context, file, options))
}

async function batch(
  context: CliContext,
  file: string,
  options: BatchCommandOptions,
): Promise<void> {
  const path = resolve(context.folder, file)
  const [{ readRows }, { prepareRows }] = await Promise.all([
    import('../batch/read-rows.ts'),
    import('../batch/prepare-rows.ts'),
  ])
  const rows = await readRows(context.folder, file)
  const purpose = options.publish ? 'publish' : 'draft'
  const prepared = await prepareRows(dirname(path), rows, { exclude: options.exclude, purpose })
  if (options.dryRun) rehearse(context, prepared, options)
  else await run(context, path, prepared, options)
}

function rehearse(
  { streams }: CliContext,
  prepared: readonly PreparedRow[],
  options: BatchCommandOptions,
): void {
  const files = prepared.reduce((sum, { plan }) => sum + plan.files.length, 0)
  const what = `${count(prepared.length, 'deposit')} with ${count(files, 'file')}`
  narrate(streams, options, `Would make ${what}`)
  const body = prepared.map(({ row, metadata, plan }) => ({
    row: row.number,
    metadata,
    files: plan.files.map(({ key, size }) => ({ filename: key, filesize: size })),
  }))
  const lines = prepared.map(
    ({ row, plan }) => `${row.number}\t${count(plan.files.length, 'file')}`,
  )
  print(streams, options, { body, ids: [], lines: () => lines })
}

async function run(
  context: CliContext,
  path: string,
  prepared: readonly PreparedRow[],
  options: BatchCommandOptions,
): Promise<void> {
  const { streams, config } = context
  const [{ Journal }, { runBatch }] = await Promise.all([
    import('../batch/journal.ts'),
    import('../batch/run-batch.ts'),
  ])
  const beside = resolve(dirname(path), `${basename(path)}.journal`)
  const place = options.resume === undefined ? beside : resolve(context.folder, options.resume)
  const client = await context.client(options)
  await using journal = await Journal.open(place, config.server()?.origin ?? 'local')
  const publish = options.publish === true
  const tell = (outcome: Outcome): void => narrate(streams, options, toLine(outcome, ' '))
  const batchOptions = { client, streams, journal, publish }
  const outcomes = await runBatch(batchOptions, prepared, { jobs: options.jobs ?? usualJobs, tell })
  narrate(streams, options, summarize(outcomes))
  const ids = outcomes.flatMap(({ id }) => id ?? [])
  const lines = () => outcomes.map((outcome) => toLine(outcome, '\t'))
  print(streams, options, { body: outcomes, ids, lines })
  if (outcomes.some(({ status }) => status === 'failed')) context.end(exitCodes.someFailed)
}

function toLine({ row, status, id, url, message }: Outcome, gap: string): string {
  const what = message === null ? (url ?? '') : plain(message)
  return [`row ${row}`, status, id ?? '-', what].join(gap).trimEnd()
}

/** `12 published, 1 failed`. */
function summarize(outcomes: readonly Outcome[]): string {
  const groups = Map.groupBy(outcomes, ({ status }) => status)
  return [...groups].map(([status, group]) => `${group.length} ${status}`).join(', ')
}
