import type { Command } from 'commander'
import type { HistoryBody, UndoRequest } from '../../core/contract/history.ts'
import { parsePointer } from '../../core/base/json.ts'
import { advice } from '../advice.ts'
import { isDeposit, isHistory } from '../client/bodies.ts'
import { UsageFailure } from '../failure.ts'
import { findNamed, readNamed } from '../folder/folder-deposit.ts'
import { plain } from '../plain.ts'
import { narrate, print, printDeposit } from '../output/print.ts'
import { formatTable } from '../output/table.ts'
import { count, firstOf, formatTime } from '../output/units.ts'
import type { CliContext } from '../session/context.ts'
import {
  idempotencyKey,
  knownDeposit,
  newChange,
  newCommand,
  type ActionOptions,
  type CommonOptions,
} from './command.ts'

/** `deposit history [id]`: the changes of the metadata. */
export function historyCommand(context: CliContext): Command {
  return newCommand('history', {
    'deposit history 4f2a91': 'when the metadata were changed, by whom, and what',
    'deposit undo 4f2a91 --to 12': 'brings back the metadata as after change 12',
    'deposit history 4f2a91 --json n,patch': 'the changes as JSON Patches',
  })
    .description(
      'List the changes of the metadata of a deposit, newest first. The number is the revision of ' +
        'the deposit that a change led to; `deposit undo ID --to N` brings it back. Changes are ' +
        'kept for some time, usually 90 days.',
    )
    .argument(...knownDeposit)
    .action((given: string | undefined, options: CommonOptions) => history(context, given, options))
}

async function history(
  context: CliContext,
  given: string | undefined,
  options: CommonOptions,
): Promise<void> {
  const { streams } = context
  const client = await context.client(options)
  const { id, links } = await readNamed(context, client, given, options)
  const changes = await client.connection.list(`read the history of ${id}`, isHistory, {
    method: 'GET',
    path: links['history'] ?? '',
  })
  const table = await formatTable(streams, columns, changes.map(toRow))
  const lines = (): readonly string[] => (changes.length === 0 ? [] : table)
  print(streams, options, { body: changes, ids: changes.map(({ n }) => String(n)), lines })
  narrate(streams, options, `${count(changes.length, 'change')} of the metadata of ${id}`)
}

const columns = [
  { title: 'N', align: 'right' },
  { title: 'WHEN' },
  { title: 'WHO' },
  { title: 'WHAT', isFlexible: true },
] as const

type Entry = HistoryBody[number]

function toRow(entry: Entry): readonly string[] {
  const { n, at, by, email } = entry
  return [String(n), formatTime(at), plain(email ?? by), plain(describe(entry))]
}

/** Changed fields that are named. */
const mostNames = 5

/** A change in words: `undid to 3: changed title; added keywords`. */
function describe({ action, to, patch }: Entry): string {
  const verbs = new Map<string, string>()
  for (const { op, path } of patch) {
    const [name = '', ...rest] = parsePointer(path) ?? []
    const verb = rest.length > 0 || op === 'replace' ? 'changed' : `${op.replace(/e$/, '')}ed`
    verbs.set(name, verbs.has(name) ? 'changed' : verb)
  }
  const names = Map.groupBy(verbs.keys(), (name) => verbs.get(name) ?? '')
  const fields = [...names].map(
    ([verb, changed]) => `${verb} ${firstOf(changed, mostNames).join(', ')}`,
  )
  const why = action === 'update' ? '' : to === undefined ? `${action}: ` : `undo to ${to}: `
  return `${why}${fields.join('; ')}`
}

interface UndoOptions extends ActionOptions {
  readonly to?: string
}

/** `deposit undo [id]`: takes back the last change of the metadata. */
export function undoCommand(context: CliContext): Command {
  return newChange('undo', {
    'deposit undo 4f2a91': 'takes back the last change of the metadata',
    'deposit undo 4f2a91 --to 12': 'brings back the metadata as they were at revision 12',
    'deposit undo 4f2a91 --dry-run': 'shows what would be changed',
  })
    .description(
      'Undo the last change of the metadata of a draft, or bring back an earlier state: a number ' +
        'of `deposit history`. An undo is a change as any other; run again, it is undone. Files ' +
        'stay: `deposit restore` brings back deleted ones. A published deposit is opened with ' +
        '`deposit edit` first, and its metadata from before that are reached by --to alone.',
    )
    .argument(...knownDeposit)
    .option('--to <n>', 'the revision whose metadata are brought back; 0 is the first')
    .option(...idempotencyKey)
    .action((given: string | undefined, options: UndoOptions) => undo(context, given, options))
}

async function undo(
  context: CliContext,
  given: string | undefined,
  options: UndoOptions,
): Promise<void> {
  const { streams } = context
  const request = toRequest(options)
  const client = await context.client(options)
  if (options.dryRun) return rehearse(context, given, options, request)
  const { id } = await findNamed(context, client, given, options)
  const deposit = await client.runAction(id, 'undo', options.idempotencyKey, request)
  const what = request.to === undefined ? 'the last change' : `back to ${request.to}: the metadata`
  narrate(streams, options, `Undid ${what} of ${deposit.id}`)
  printDeposit(streams, options, deposit)
}

/** Shows the fields that would be changed, as `deposit update --dry-run` does. */
async function rehearse(
  context: CliContext,
  given: string | undefined,
  options: UndoOptions,
  { to }: UndoRequest,
): Promise<void> {
  const { streams } = context
  const { compareMetadata } = await import('../metadata/change.ts')
  const client = await context.client(options)
  const before = await readNamed(context, client, given, options)
  const query = to === undefined ? '' : `?to=${to}`
  const path = `${before.links['undo'] ?? ''}${query}`
  const after = await client.connection.json(`undo ${before.id}`, isDeposit, {
    method: 'GET',
    path,
  })
  const changes = compareMetadata(before.metadata, after.metadata)
  const would = `undo ${count(changes.length, 'change')} of ${before.id}`
  narrate(streams, options, `Would ${would}; nothing was changed`)
  const lines = (): readonly string[] =>
    changes.map((change) => {
      const value = 'value' in change ? ` ${JSON.stringify(change.value)}` : ''
      return plain(`${change.op} ${change.path}${value}`)
    })
  print(streams, options, { body: { would, changes }, ids: [], lines })
}

/** @throws {UsageFailure} `--to` is no number */
function toRequest({ to }: UndoOptions): UndoRequest {
  if (to === undefined) return {}
  if (/^\d{1,9}$/.test(to)) return { to: Number(to) }
  throw new UsageFailure({
    tried: 'use --to',
    said: `it takes a number of \`deposit history\`, not "${to}"`,
    next: advice.correctOption('--to'),
  })
}
