import type { Command } from 'commander'
import { parsePointer, toPointer, valueAt } from '../../core/base/json.ts'
import type { DepositBody, RehearsalBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, isInterruption, UsageFailure } from '../failure.ts'
import { faultLine } from '../output/finding.ts'
import { ownMetadata } from '../output/deposit-facts.ts'
import { narrate, printDeposit } from '../output/print.ts'
import { formatBeside } from '../output/table.ts'
import { plain } from '../plain.ts'
import type { CliContext } from '../session/context.ts'
import type { Keyboard } from '../session/keyboard.ts'
import { findNamed } from '../folder/folder-deposit.ts'
import { knownDeposit, newChange, type CommonOptions } from './command.ts'

interface MergeOptions extends CommonOptions {
  readonly ours?: true
  readonly theirs?: true
  readonly edit?: true
}

/** `deposit merge <id>`: settles what the draft and the record changed differently. */
export function mergeCommand(context: CliContext): Command {
  return newChange('merge', {
    'deposit merge 4f2a91': 'asks about each field that both changed',
    'deposit merge 4f2a91 --ours': 'keeps the values of the draft in those fields',
    'deposit merge 4f2a91 --theirs': 'takes the values of the record there',
    'deposit merge 4f2a91 --edit': 'opens the draft in your editor, with both values of each',
  })
    .description(
      'Bring the changes that others made to the record since the edit into the draft. Changes of ' +
        'different fields are all kept. Where both changed the same field, a terminal shows the ' +
        'value before, yours and theirs, and asks which one to keep; a list is one field. ' +
        'Elsewhere, give --ours, --theirs or --edit: without them the command exits with 5, ' +
        'lists the conflicts and changes nothing. Publish the draft afterwards.',
    )
    .argument(...knownDeposit)
    .option('--ours', 'keep the values of the draft where both changed a field')
    .option('--theirs', 'take the values of the record there')
    .option('--edit', 'change the draft in the editor of VISUAL or EDITOR, which lists them')
    .action((given: string | undefined, options: MergeOptions) => merge(context, given, options))
}

async function merge(
  context: CliContext,
  given: string | undefined,
  options: MergeOptions,
): Promise<void> {
  requireOneWay(given ?? 'the draft', options)
  const client = await context.client(options)
  const { id } = await findNamed(context, client, given, options)
  const tried = `merge ${id}`
  const draft = await client.read(id, tried)
  const { links } = draft
  const record =
    links['record'] === undefined ? undefined : await client.readRecord(links['record'])
  const { errors } = await client.rehearse(draft.id)
  const conflicts = errors.filter(({ code }) => code === 'merge_conflict')
  const places = record === undefined ? [] : placesOf(conflicts, draft, record)
  const save = (settled: Metadata): Promise<DepositBody> => apply(client, draft, settled, options)
  const merged =
    places.length === 0
      ? await save(draft.metadata)
      : await settle(context, draft, places, { ...options, save })
  if (merged === undefined) {
    const { requireFaultless } = await import('../client/rehearsal.ts')
    requireFaultless(tried, draft.id, conflicts)
    return
  }
  for (const line of sayDone(draft, merged, record)) narrate(context.streams, options, line)
  printDeposit(context.streams, options, merged)
}

/** @throws {UsageFailure} more than one of the three options */
function requireOneWay(id: string, { ours, theirs, edit }: MergeOptions): void {
  if ([ours, theirs, edit].filter(Boolean).length < 2) return
  throw new UsageFailure({
    tried: `merge ${id}`,
    said: '--ours, --theirs and --edit exclude each other',
    next: advice.seeHelp('deposit merge'),
  })
}

/**
 * Saves the settled document, then takes the other changes of the record: if only the first is
 * done, the command can be run again. No value of the draft is replaced by one that was not chosen.
 */
async function apply(
  client: DepositClient,
  draft: DepositBody,
  settled: Metadata,
  { dryRun }: MergeOptions,
): Promise<DepositBody> {
  if (settled !== draft.metadata && !dryRun) await client.replace(draft.id, settled, draft.revision)
  return client.runAction(draft.id, 'merge')
}

type Conflict = RehearsalBody['errors'][number]

/** A field, or a list as a whole, that the draft and the record changed differently. */
interface Place {
  readonly path: readonly string[]
  readonly conflicts: readonly Conflict[]
  /** Undefined without one. */
  readonly ours: unknown
  readonly theirs: unknown
}

/**
 * Conflicts of one list are one place: their pointers count its elements as they were before, not
 * as they are in the draft.
 */
function placesOf(
  conflicts: readonly Conflict[],
  draft: DepositBody,
  record: DepositBody,
): readonly Place[] {
  const [ours, theirs] = [draft, record].map(({ metadata }) => ownMetadata(metadata))
  const byPointer = Map.groupBy(conflicts, ({ field }) => toPointer(untilList(field, ours)))
  return [...byPointer].map(([pointer, found]) => {
    const path = parsePointer(pointer) ?? []
    return { path, conflicts: found, ours: valueAt(ours, path), theirs: valueAt(theirs, path) }
  })
}

function untilList(pointer: string, document: unknown): readonly string[] {
  const path = parsePointer(pointer) ?? []
  const at = path.findIndex((_, index) => Array.isArray(valueAt(document, path.slice(0, index))))
  return at === -1 ? path : path.slice(0, at)
}

type Save = (settled: Metadata) => Promise<DepositBody>

/** Saves the document of the draft with the chosen values; undefined if none was chosen. */
async function settle(
  context: CliContext,
  draft: DepositBody,
  places: readonly Place[],
  options: MergeOptions & { readonly save: Save },
): Promise<DepositBody | undefined> {
  const { save } = options
  if (options.ours) return save(draft.metadata)
  if (options.edit) return settleInEditor(context, draft, places, save)
  if (options.theirs) return save(await takeTheirs(draft, places))
  const { asksFirst } = await import('../session/confirm.ts')
  if (!asksFirst(context, options)) return undefined
  return save(await takeTheirs(draft, await askAbout(context, draft.id, places)))
}

async function takeTheirs(draft: DepositBody, places: readonly Place[]): Promise<Metadata> {
  if (places.length === 0) return draft.metadata
  const { applyChanges } = await import('../metadata/change.ts')
  const changes = places.map(({ path, theirs }) => ({ path, value: theirs }))
  return applyChanges(draft.metadata, changes)
}

/** A file that is left as it was settles nothing. */
async function settleInEditor(
  context: CliContext,
  draft: DepositBody,
  places: readonly Place[],
  save: Save,
): Promise<DepositBody | undefined> {
  const { editMetadata, findEditor } = await import('../check/edit-metadata.ts')
  const remarks = [
    'Both the draft and the record changed what is listed here. Write the fields below as they shall be.',
    ...places.flatMap(({ conflicts }) => conflicts.map(faultLine)),
  ]
  const open = findEditor(context, draft.id)
  return editMetadata(context, draft, { open, remarks, save })
}

/**
 * Shows each place, and asks.
 *
 * @returns places where the value of the record was chosen
 * @throws {Failure} the user gave up
 */
async function askAbout(
  context: CliContext,
  id: string,
  places: readonly Place[],
): Promise<readonly Place[]> {
  const { openKeyboard } = await import('../session/keyboard.ts')
  const { streams } = context
  const chosen: Place[] = []
  // Open while it asks only: an open keyboard takes the Ctrl-C that is meant for the command.
  using keyboard = await openKeyboard(context)
  for (const place of places) {
    for (const line of await showPlace(place, streams.noteColumns)) streams.note(line)
    const answer = await askWhich(keyboard).catch((cause: unknown) => {
      if (isInterruption(cause)) streams.note('')
      throw isInterruption(cause) ? gaveUp(id, 'interrupted', cause) : cause
    })
    if (answer === 's') throw gaveUp(id, 'stopped')
    if (answer === 't') chosen.push(place)
  }
  return chosen
}

/** Asks until the answer is one of the three. */
async function askWhich(keyboard: Keyboard): Promise<'y' | 't' | 's'> {
  for (;;) {
    const answer = await keyboard.ask('Keep yours (y), take theirs (t), or stop (s)? ')
    if (/^y(?:ours)?$/i.test(answer)) return 'y'
    if (/^t(?:heirs)?$/i.test(answer)) return 't'
    if (/^s(?:top)?$/i.test(answer)) return 's'
  }
}

function gaveUp(id: string, said: string, cause?: unknown): Failure {
  const exitCode = cause === undefined ? exitCodes.failed : exitCodes.interrupted
  const next = advice.chooseAgain(id)
  return new Failure({ tried: `merge ${id}`, said, next }, { cause, exitCode })
}

async function showPlace(
  { path, conflicts, ours, theirs }: Place,
  columns: number,
): Promise<readonly string[]> {
  const [first] = conflicts
  const isWhole = first?.field === toPointer(path)
  const messages = isWhole ? [] : conflicts.map((conflict) => `  ${plain(faultLine(conflict))}`)
  const before = isWhole ? { before: textOf(first.base) } : {}
  const values = { ...before, yours: textOf(ours), theirs: textOf(theirs) }
  return [plain(toPointer(path)), ...messages, ...(await formatBeside(columns, values))]
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : plain(JSON.stringify(value))
}

function sayDone(
  draft: DepositBody,
  merged: DepositBody,
  record: DepositBody | undefined,
): readonly string[] {
  const [before, now] = [draft, merged].map(({ metadata }) => metadata._deposit?.pid ?? 0)
  if (before === now) return ['Nothing to merge: the record has not changed since the edit']
  const done = `Merged ${merged.id} with revision ${now} of its record`
  if (now === record?.revision) return [done]
  return [
    done,
    'warning: the record was changed again at the same time; fields that both changed then have ' +
      'the values of the draft',
  ]
}
