import { advice } from '../advice.ts'
import type { Command } from 'commander'
import { ApiFailure } from '../client/api-failure.ts'
import { childPointer } from '../../core/base/json.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { Finding } from '../output/finding.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import type { CliContext } from '../session/context.ts'
import { UsageFailure } from '../failure.ts'
import type { Change, MetadataChange } from '../metadata/change.ts'
import type { Clash } from '../metadata/others-changes.ts'
import { readNamed } from '../folder/folder-deposit.ts'
import { plain } from '../plain.ts'
import { ownMetadata, titleOf } from '../output/deposit-facts.ts'
import { narrate, print, printDeposit } from '../output/print.ts'
import { count } from '../output/units.ts'
import {
  depositId,
  collect,
  knownDeposit,
  newChange,
  strict,
  unasked,
  type CommonOptions,
} from './command.ts'

interface UpdateOptions extends CommonOptions {
  readonly metadata?: string
  readonly set?: readonly string[]
  readonly unset?: readonly string[]
  readonly strict?: true
}

/** `deposit update <id>`: replaces the metadata, or some fields of it. */
export function updateCommand(context: CliContext): Command {
  return newChange('update', {
    'deposit update 4f2a91 --set title="Tides of 2024"': 'sets a field to a text',
    'deposit update 4f2a91 --set keywords:=\'["tide"]\'': 'sets a field to any JSON',
    'deposit update 4f2a91 --set /creators/0/name=Ada': 'sets a field within others',
    'deposit update 4f2a91 --unset notes': 'removes a field',
    'deposit update --set version=2': 'of the deposit that the current folder knows',
    'deposit update 4f2a91 --metadata metadata.yaml': 'replaces all of the metadata',
  })
    .description(
      'Change the metadata of a draft. A change that was saved by others in between is kept: if it is ' +
        'of other fields, yours are set beside it; if it is of the same field, yours is refused ' +
        '(status 5), with both values. A list is one field. --metadata is refused after any change of the ' +
        'metadata.',
    )
    .argument(...knownDeposit)
    .option('--metadata <file>', 'replace all: YAML or JSON; - reads standard input')
    .option('--set <field=text>', 'set a field; := takes JSON; may be repeated', collect)
    .option('--unset <field>', 'remove a field; may be repeated', collect)
    .option(...strict)
    .action((id: string | undefined, options: UpdateOptions) => update(context, id, options))
}

async function update(
  context: CliContext,
  given: string | undefined,
  options: UpdateOptions,
): Promise<void> {
  const [{ describeNotTaken, readMetadata }, { applyChanges, parseSet, parseUnset }] =
    await Promise.all([import('../metadata/read-metadata.ts'), import('../metadata/change.ts')])
  const { streams } = context
  const { metadata: file, set = [], unset = [] } = options
  const changes = [...set.map(parseSet), ...unset.map(parseUnset)]
  if (file === undefined && changes.length === 0) throw nothingToDo(given ?? '.')
  const source = file === undefined ? undefined : await readMetadata(context, file)
  const client = await context.client(options)
  const before = await readNamed(context, client, given, options)
  const tried = `update ${before.id}`
  const [{ preflight, refuseWarnings }, { toWarnings }] = await Promise.all([
    import('../check/preflight.ts'),
    import('../output/finding.ts'),
  ])
  const told = new Set<string>()
  const change: Applying = async ({ metadata }, left) => {
    const changed = applyChanges(source?.metadata ?? metadata, left)
    const warnings = await preflight({ metadata: changed, source, purpose: 'draft', tried })
    const own = source === undefined ? warnings.filter(isOf(changes)) : warnings
    const lost = source && describeNotTaken(source)
    if (options.strict) refuseWarnings(tried, own, lost === undefined ? [] : [lost])
    const lines = [...toWarnings(own), ...(lost === undefined ? [] : [lost])]
    for (const line of lines.filter((each) => !told.has(each))) narrate(streams, options, line)
    for (const line of lines) told.add(line)
    return changed
  }
  const after = await change(before, changes)
  if (options.dryRun) {
    await client.permissions.requirePossible(tried, 'update', before)
    await client.permissions.requireSchema(tried, after['$schema'], before)
    return rehearse(context, before, after, options)
  }
  const isWhole = source !== undefined
  const { deposit, kept } = await save(client, { before, after, changes, isWhole }, change)
  narrate(streams, options, `Updated ${deposit.id}`)
  if (kept.length > 0)
    narrate(streams, options, `Kept what others changed in between: ${kept.join(', ')}`)
  printDeposit(streams, options, deposit)
}

/** The metadata with changes, where nothing speaks against them. */
type Applying = (deposit: DepositBody, changes: readonly Change[]) => Promise<Metadata>

interface Edit {
  /** As it was read. */
  readonly before: DepositBody
  /** The metadata with the changes. */
  readonly after: Metadata
  readonly changes: readonly Change[]
  /** All of the metadata are replaced, before the changes. */
  readonly isWhole: boolean
}

/** Each time somebody else was faster. */
const mostRepeats = 8

/**
 * Stores changed metadata. Where others have stored other fields since they were read, the changes
 * are made again to what they stored.
 *
 * @returns the deposit, and the fields of others
 * @throws {ApiFailure} others have changed the same fields
 */
async function save(
  client: DepositClient,
  edit: Edit,
  change: Applying,
): Promise<{ readonly deposit: DepositBody; readonly kept: readonly string[] }> {
  let { before, after, changes } = edit
  const kept = new Set<string>()
  for (let repeats = 0; ; repeats += 1) {
    try {
      const deposit = await client.replace(before.id, after, before.revision)
      return { deposit, kept: [...kept] }
    } catch (error) {
      const isStale = error instanceof ApiFailure && error.problem.code === 'stale_revision'
      if (!isStale) throw error
      const now = await client.read(before.id)
      const sides = { before: before.metadata, after, now: now.metadata }
      const { meetOthers, meetOthersWhole } = await import('../metadata/others-changes.ts')
      const met = edit.isWhole
        ? { clashes: meetOthersWhole(sides), left: changes, kept: [] }
        : meetOthers(changes, sides)
      if (met.clashes.length > 0) throw withClashes(error, before.id, met.clashes)
      for (const field of met.kept) kept.add(field)
      if (!edit.isWhole && met.left.length === 0) return { deposit: now, kept: [...kept] }
      if (repeats === mostRepeats) throw error
      before = now
      changes = met.left
      after = await change(before, changes)
    }
  }
}

/** The refusal of the server, with the values. */
function withClashes(
  { tried, problem }: ApiFailure,
  id: string,
  clashes: readonly Clash[],
): ApiFailure {
  const errors = clashes.map((clash) => ({ ...clash, message: 'Others have changed it, too.' }))
  return new ApiFailure(tried, { ...problem, errors }, { path: `/deposits/${id}` })
}

/** Selects warnings about changed fields; those about the others were shown earlier. */
function isOf(changes: readonly Change[]): (finding: Finding) => boolean {
  const names = changes.map(({ path }) => childPointer('', path[0] ?? ''))
  return ({ field }) => names.some((name) => field === name || field.startsWith(`${name}/`))
}

/** Reports the new value of each field. */
async function rehearse(
  { streams }: CliContext,
  { id, metadata: before }: DepositBody,
  after: Metadata,
  options: UpdateOptions,
): Promise<void> {
  const { compareMetadata } = await import('../metadata/change.ts')
  const changes = compareMetadata(before, after)
  const would = `update ${id}: ${count(changes.length, 'change')}`
  narrate(streams, options, `Would ${would}; nothing was changed`)
  print(streams, options, { body: { would, changes }, ids: [], lines: () => changes.map(toLine) })
}

function toLine(change: MetadataChange): string {
  const value = 'value' in change ? ` ${JSON.stringify(change.value)}` : ''
  return plain(`${change.op} ${change.path}${value}`)
}

function nothingToDo(id: string): UsageFailure {
  return new UsageFailure({
    tried: `update ${id}`,
    said: 'there is nothing to change',
    next: advice.giveChange(id),
  })
}

/** `deposit clear <id>`: empties the metadata. */
export function clearCommand(context: CliContext): Command {
  return newChange('clear', { 'deposit clear 4f2a91': 'leaves the draft without metadata' })
    .description(
      'Empty the metadata of a draft. Its files, id and owners stay. A terminal asks first.',
    )
    .argument(...depositId)
    .option(...unasked)
    .action((id: string, options: ClearOptions) => clear(context, id, options))
}

interface ClearOptions extends CommonOptions {
  readonly yes?: true
}

async function clear(context: CliContext, id: string, options: ClearOptions): Promise<void> {
  const client = await context.client(options)
  const { asksFirst } = await import('../session/confirm.ts')
  if (asksFirst(context, options)) await askToClear(context, await client.read(id), client)
  const deposit = await client.replace(id, {})
  narrate(context.streams, options, `Cleared ${deposit.id}`)
  printDeposit(context.streams, options, deposit)
}

/** @throws {Failure} the answer was not yes, or the server would refuse */
async function askToClear(
  context: CliContext,
  deposit: DepositBody,
  client: DepositClient,
): Promise<void> {
  const tried = `clear ${deposit.id}`
  await client.permissions.requirePossible(tried, 'update', deposit)
  const fields = Object.keys(ownMetadata(deposit.metadata)).filter((name) => name !== '$schema')
  if (fields.length === 0) return
  const { confirm } = await import('../session/confirm.ts')
  const summary = [`"${titleOf(deposit)}", with ${fields.join(', ')}`]
  await confirm(context, { tried, summary, question: `Remove ${count(fields.length, 'field')}?` })
}

/** `deposit patch <id> <file>`: applies a JSON Patch. */
export function patchCommand(context: CliContext): Command {
  return newChange('patch', {
    'deposit patch 4f2a91 changes.json': 'applies the operations in the file',
    'deposit patch 4f2a91 - < changes.yaml': 'reads them from a pipe',
  })
    .description(
      'Apply a JSON Patch (RFC 6902) to the metadata of a draft: all operations, or none.',
    )
    .argument(...depositId)
    .argument('<file>', 'the patch in JSON or YAML; - reads standard input')
    .action((id: string, file: string, options: CommonOptions) => patch(context, id, file, options))
}

async function patch(
  context: CliContext,
  id: string,
  file: string,
  options: CommonOptions,
): Promise<void> {
  const { readDocument } = await import('../metadata/read-metadata.ts')
  const operations = await readDocument(context, file)
  const client = await context.client(options)
  const deposit = await client.patch(id, operations)
  narrate(context.streams, options, `Patched ${deposit.id}`)
  printDeposit(context.streams, options, deposit)
}
