import { advice } from '../advice.ts'
import type { Command } from 'commander'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { CliContext } from '../session/context.ts'
import { Failure } from '../failure.ts'
import {
  closedFiles,
  conceptOf,
  describePid,
  ownMetadata,
  providedPids,
  recordUrl,
  shownStatus,
  titleOf,
  metadataLines,
} from '../output/deposit-facts.ts'
import { toYaml } from '../output/json.ts'
import { atEndpoint, plain } from '../plain.ts'
import { print } from '../output/print.ts'
import type { Streams } from '../output/streams.ts'
import { count, formatAge, formatBytes, formatTime } from '../output/units.ts'
import { knownDeposits, newCommand, type CommonOptions } from './command.ts'
import { forEachId } from '../session/each-id.ts'
import { readNamed } from '../folder/folder-deposit.ts'
import { reasonOf } from '../folder/withdrawn-version.ts'
import { formatFiles } from './files.ts'

interface ShowOptions extends CommonOptions {
  readonly metadata?: true
}

/** `deposit show <id>`: a page with metadata and files. */
export function showCommand(context: CliContext): Command {
  return newCommand('show', {
    'deposit show 4f2a91': 'a page to read',
    'deposit show': 'the deposit that the current folder knows',
    'deposit show 4f2a91 --metadata > metadata.yaml': 'a file for --metadata',
    'deposit show 4f2a91 --json metadata': 'the metadata as the server answers them, in JSON',
  })
    .description(
      'Show a deposit: its status, its metadata and its files. With --metadata, print the metadata ' +
        'alone, in YAML, or with --json in JSON: `deposit update ID --metadata FILE` reads both. ' +
        'A public record, named by its identifier or address, is shown without signing in, also if it ' +
        'is not yours; so it is with files, cat, cite, diff and verify.',
    )
    .argument(...knownDeposits)
    .option('--metadata', 'print only the metadata, to keep or change them')
    .action((ids: string[], options: ShowOptions) => showAll(context, ids, options))
}

async function showAll(
  context: CliContext,
  given: readonly string[],
  options: ShowOptions,
): Promise<void> {
  const { streams } = context
  const ids = given.length === 0 ? ['.'] : given
  const client = await context.client(options)
  if (options.metadata) {
    await showMetadata(context, client, ids, options)
    return
  }
  const isPage = options.json === undefined && !options.quiet
  const shown = await forEachId(context, ids, async (id) => {
    const deposit = await readNamed(context, client, id, options)
    return { deposit, page: isPage ? await pageOf(context, client, deposit, options) : [] }
  })
  print(streams, options, {
    body: await shown.body(({ deposit }) => deposit),
    ids: shown.results.map(({ deposit }) => deposit.id),
    lines: () => shown.results.flatMap(({ page }, at) => (at === 0 ? page : ['', ...page])),
  })
}

async function showMetadata(
  context: CliContext,
  client: DepositClient,
  ids: readonly string[],
  options: ShowOptions,
): Promise<void> {
  const all = await forEachId(context, ids, async (id) => {
    const deposit = await readNamed(context, client, id, options)
    return { id: deposit.id, metadata: ownMetadata(deposit.metadata) }
  })
  const documents = await Promise.all(all.results.map(({ metadata }) => toYaml(metadata)))
  const lines = (): readonly string[] => [documents.join('---\n').trimEnd()]
  const body = await all.body(({ metadata }) => metadata)
  const shown = all.results.map(({ id }) => id)
  print(context.streams, options, { body, ids: shown, lines })
}

async function pageOf(
  context: CliContext,
  client: DepositClient,
  deposit: DepositBody,
  { endpoint }: ShowOptions,
): Promise<readonly string[]> {
  const { streams } = context
  const { describeStanding, standingsOfDeposit } = await import('../remote/standing.ts')
  const pushed = (await standingsOfDeposit(context, client, deposit)).map((each) =>
    describeStanding(each),
  )
  const files = await client.listFiles(deposit.id).catch((error: unknown) => {
    if (error instanceof Failure && error.problem?.code === 'files_restricted') return undefined
    throw error
  })
  const table = files && files.length > 0 ? await formatFiles(streams, files) : []
  const remark = await describeCorrection(client, deposit)
  const correction = remark && atEndpoint(remark, endpoint)
  return [...toPage(deposit, { files, pushed, correction }, pageWidth(streams)), ...table]
}

/**
 * Notes a later correction of the record by a curator: the deposit still shows its own last text.
 */
async function describeCorrection(
  client: DepositClient,
  { id, links, metadata }: DepositBody,
): Promise<string | undefined> {
  const path = links['record']
  const { value, revision_id: published } = metadata._deposit ?? {}
  if (path === undefined || published === undefined) return undefined
  const record = await client.readRecord(path).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    // The deposit is shown even if its record cannot be read.
    return undefined
  })
  // A withdrawn record may redirect to another one.
  if (record === undefined || record.id !== value || record.revision <= published) return undefined
  const isDraft = metadata._deposit?.status === 'draft'
  const next = isDraft ? advice.mergeCorrection(id) : advice.takeCorrection(id)
  return `the record was corrected since (revision ${record.revision}); ${next}`
}

/** For a pipe, each field is one line. */
function pageWidth({ isOutTerminal, columns }: Streams): number {
  return isOutTerminal ? Math.min(columns, 100) : Infinity
}

function toPage(
  deposit: DepositBody,
  {
    files,
    pushed,
    correction,
  }: {
    /** Undefined where they are closed for the reader. */
    readonly files: readonly FileBody[] | undefined
    readonly pushed: readonly string[]
    readonly correction: string | undefined
  },
  columns: number,
): readonly string[] {
  const { id, revision, created, updated, links, metadata } = deposit
  const size = files?.reduce((sum, { filesize }) => sum + filesize, 0) ?? 0
  const closed = closedFiles(metadata)
  // A service of an earlier version tells none.
  const allVersions = (deposit as Partial<DepositBody>).pids?.concept.doi
  const facts = {
    Id: id,
    Status: `${shownStatus(deposit)}, revision ${revision}`,
    Withdrawn: sayWithdrawn(deposit),
    Review: sayReview(deposit),
    Created: `${formatTime(created)} (${formatAge(created, Date.now())})`,
    Changed: `${formatTime(updated)} (${formatAge(updated, Date.now())})`,
    Page: links['html'],
    Record: recordUrl(deposit),
    'All versions': conceptOf(deposit),
    ...Object.fromEntries(
      providedPids(deposit).map(([name, pid]) => [name.toUpperCase(), describePid(pid)]),
    ),
    'DOI of all versions': allVersions && describePid(allVersions),
    Correction: correction,
    Files: files && `${count(files.length, 'file')}, ${formatBytes(size)}`,
    Access: closed,
  }
  const shown = Object.fromEntries(Object.entries(metadata).filter(isShown))
  const described = metadataLines(shown, columns)
  return [
    titleOf(deposit),
    '',
    ...Object.entries(facts).flatMap(toLine),
    ...pushed.map(plain),
    ...(described.length === 0 ? [] : ['', ...described]),
    ...(files === undefined || files.length === 0 ? [] : ['']),
  ]
}

/** The title and `_deposit` are shown above. */
function isShown([name]: readonly [string, unknown]): boolean {
  return name !== 'title' && name !== '_deposit' && name !== '$schema'
}

function toLine([name, value]: readonly [string, string | undefined]): readonly string[] {
  return value === undefined ? [] : [`${name}: ${plain(value)}`]
}

const withdrawers = {
  owner: 'its owner',
  curator: 'a curator',
  administrator: 'an administrator',
  operator: 'the operator',
}

const reviewStates = {
  submitted: 'waits for review since',
  returned: 'returned to its owners',
  accepted: 'accepted',
}

/** `returned to its owners 2026-11-23: Please name the instrument`. */
function sayReview({ review }: DepositBody): string | undefined {
  if (!review) return undefined
  const { state, at, message } = review
  const said = message === undefined ? '' : `: ${message}`
  return `${reviewStates[state]} ${formatTime(at)}${said}`
}

/** `2026-11-23 by its owner (its authors retracted it); its files are gone for good`. */
function sayWithdrawn({ withdrawn }: DepositBody): string | undefined {
  if (!withdrawn) return undefined
  const { at, by, reason, bytes_destroyed: isDestroyed } = withdrawn
  const who = withdrawers[by]
  const { bytes_kept_by: kept = [] } = withdrawn
  const rest = kept.length > 0 ? `, but not those of ${kept.join(', ')} with the same bytes` : ''
  const left = isDestroyed ? `; its files are gone for good${rest}` : ''
  return `${at.slice(0, 10)} by ${who} (${reasonOf(reason)})${left}`
}
