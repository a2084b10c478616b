import type { Command } from 'commander'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { SearchParameters } from '../client/deposit-client.ts'
import type { CliContext } from '../context.ts'
import { statusOf, titleOf } from '../output/deposit-facts.ts'
import { narrate, print } from '../output/print.ts'
import { formatTable } from '../output/table.ts'
import { count, formatAge, formatBytes } from '../output/units.ts'
import { newCommand, type CommonOptions } from './command.ts'

interface ListOptions extends CommonOptions, Omit<SearchParameters, 'q'> {}

/** `deposit list [query]`: one line a deposit. */
export function listCommand(context: CliContext): Command {
  return newCommand('list', {
    'deposit list': 'your deposits, the latest change first',
    'deposit list tide --status draft': 'drafts that speak of tides',
    'deposit list "status:draft updated:<2026-01"': 'drafts last changed before 2026',
    'deposit list --quiet | xargs -n1 deposit show': 'shows each of them',
  })
    .description('List and search your deposits; an administrator sees all.')
    .argument(
      '[query]',
      'words to look for, or `field:word`: a field of the metadata, or status, id, owner, record, created, updated',
    )
    .option('--status <status>', 'draft or published')
    .option('--sort <name>', 'mostrecent, bestmatch; -name reverses')
    .option('--page <number>', 'which page')
    .option('--size <number>', 'deposits on a page')
    .action((query: string | undefined, options: ListOptions) => list(context, query, options))
}

async function list(
  context: CliContext,
  query: string | undefined,
  options: ListOptions,
): Promise<void> {
  const { streams } = context
  const client = await context.client(options)
  const found = await client.search({ ...(query !== undefined && { q: query }), ...pick(options) })
  const deposits = found.hits.hits
  // A person types the beginning of an id; a script takes all of it.
  const digits = streams.isOutTerminal ? 8 : 32
  const rows = await formatTable(
    streams,
    columns,
    deposits.map((deposit) => toRow(deposit, digits)),
  )
  const ids = deposits.map(({ id }) => id)
  print(streams, options, { body: found, ids, lines: () => (deposits.length === 0 ? [] : rows) })
  const { total } = found.hits
  if (total > deposits.length || total === 0)
    narrate(streams, options, `Showing ${deposits.length} of ${count(total, 'deposit')}`)
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
  const { id, updated, files } = deposit
  const amount = files === undefined ? ['', ''] : [String(files.count), formatBytes(files.size)]
  return [
    id.slice(0, digits),
    titleOf(deposit),
    statusOf(deposit),
    ...amount,
    formatAge(updated, Date.now()),
  ]
}

function pick({ status, sort, page, size }: ListOptions): SearchParameters {
  const given = Object.entries({ status, sort, page, size })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}
