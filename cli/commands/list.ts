import { advice } from '../advice.ts'
import { Option, type Command } from 'commander'
import fields from '../../core/contract/metadata/fields-v1.0.0.json' with { type: 'json' }
import { suggestion } from '../../core/contract/nearest.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { SearchParameters } from '../client/deposit-client.ts'
import type { CliContext } from '../session/context.ts'
import { UsageFailure } from '../failure.ts'
import { shownStatus, titleOf } from '../output/deposit-facts.ts'
import { narrate, print } from '../output/print.ts'
import { formatTable } from '../output/table.ts'
import { count, formatAge, formatBytes } from '../output/units.ts'
import { newCommand, type CommonOptions } from './command.ts'

interface ListOptions extends CommonOptions, Omit<SearchParameters, 'q'> {
  readonly all?: true
  readonly limit?: number
}

/** `deposit list [query]`: one line a deposit. */
export function listCommand(context: CliContext): Command {
  return newCommand('list', {
    'deposit list': 'your deposits, the latest change first',
    'deposit list tide --status draft': 'drafts about tides',
    'deposit list "status:draft updated:<2026-01"': 'drafts last changed before 2026',
    "deposit list --all --jq '.hits.hits[].links.html'": 'the page of each',
    "deposit list --template '{{.id}}\\t{{.metadata.title}}'": 'a line for each',
    'deposit list --all --quiet | xargs deposit show': 'shows each of them',
  })
    .description('List and search your deposits; an administrator sees all.')
    .argument(
      '[query]',
      `words to look for, or \`field:word\`: a field of the metadata, or ${queryFields.join(', ')}`,
    )
    .addOption(
      new Option('--status <status>', 'only deposits of this status').choices([
        'draft',
        'published',
      ]),
    )
    .option('--sort <name>', 'mostrecent, bestmatch; -name reverses')
    .option('--page <number>', 'the page to print')
    .option('--size <number>', 'deposits on a page; 10 by default')
    .option('--all', 'all pages')
    .option('--limit <number>', 'number of deposits, from several pages if needed', parseLimit)
    .action((query: string | undefined, options: ListOptions) => list(context, query, options))
}

async function list(
  context: CliContext,
  query: string | undefined,
  options: ListOptions,
): Promise<void> {
  const { streams } = context
  const client = await context.client(options)
  const limit = limitOf(options)
  const asked = {
    ...(query !== undefined && { q: query }),
    ...pick(options),
  }
  const found = await client.search(asked, limit)
  const deposits = found.hits.hits
  // Short ids for a person, whole ones for a script.
  const digits = streams.isOutTerminal ? 8 : 32
  const rows = await formatTable(
    streams,
    columns,
    deposits.map((deposit) => toRow(deposit, digits)),
  )
  const ids = deposits.map(({ id }) => id)
  print(streams, options, { body: found, ids, lines: () => (deposits.length === 0 ? [] : rows) })
  const { total } = found.hits
  const isPart = total > deposits.length
  if (isPart || total === 0) {
    const shown = `Showing ${deposits.length} of ${count(total, 'deposit')}`
    narrate(streams, options, isPart ? shown + more(options) : shown)
  }
  if (total === 0)
    for (const line of doubtsOf(query ?? '')) narrate(streams, options, `warning: ${line}`)
}

const queryFields = ['status', 'id', 'owner', 'record', 'created', 'updated']

/** Words before a colon in a query that are no fields. */
const prefixes: ReadonlySet<string> = new Set([
  '_exists_',
  '_deposit',
  '_created',
  '_updated',
  '$schema',
  'doi',
  'orcid',
  'urn',
  'http',
  'https',
])

/** Warnings about fields in a query that no schema of the package has. */
function doubtsOf(query: string): readonly string[] {
  const known = [...queryFields, ...Object.keys(fields.properties)]
  const words = query.replaceAll(/"[^"]*"/g, '""')
  const named = [...words.matchAll(/(?<![\w.:/])([\w$]+)(?:\.[\w$]+)*:/g)].map(
    ([, name = '']) => name,
  )
  return [...new Set(named)]
    .filter((name) => !known.includes(name) && !prefixes.has(name))
    .map((name) => {
      const near = suggestion(name, known) || `; fields are ${known.join(', ')}.`
      return `"${name}" is not a field of the schema${near}`
    })
}

function more({ all, limit, page, size }: ListOptions): string {
  if (all) return `; ${advice.narrowSearch()}`
  return [limit, page, size].some((given) => given !== undefined) ? '' : `; ${advice.showAll()}`
}

/** Number of deposits to fetch, from several pages; undefined for one page. */
function limitOf({ all, limit, page, size }: ListOptions): number | undefined {
  const wanted = limit ?? (all ? Infinity : undefined)
  const other = page === undefined ? size && '--size' : '--page'
  if (wanted === undefined || !other) return wanted
  throw new UsageFailure({
    tried: 'list the deposits',
    said: `${other} names one page, ${all ? '--all' : '--limit'} takes several`,
    next: advice.leaveOut(other),
  })
}

function parseLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw new UsageFailure({
    tried: `list ${text} deposits`,
    said: `--limit is a whole number from 1, and not "${text}"`,
    next: advice.correctOption('--limit'),
  })
}

const columns = [
  { title: 'ID' },
  { title: 'TITLE', isFlexible: true },
  { title: 'STATUS' },
  { title: 'FILES', align: 'right' },
  { title: 'SIZE', align: 'right' },
  { title: 'CHANGED' },
] as const

function toRow(deposit: DepositBody, digits: number): readonly string[] {
  const { id, updated, files, role } = deposit
  const amount = files === undefined ? ['', ''] : [String(files.count), formatBytes(files.size)]
  return [
    id.slice(0, digits),
    titleOf(deposit),
    shownStatus(deposit) + (role === undefined ? '' : `, shared (${role})`),
    ...amount,
    formatAge(updated, Date.now()),
  ]
}

function pick({ status, sort, page, size }: ListOptions): SearchParameters {
  const given = Object.entries({ status, sort, page, size })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}
