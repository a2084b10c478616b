import type { Command, Option } from 'commander'
import { citationStyles, exportNames } from '../../core/contract/exports.ts'
import { scopes } from '../../core/contract/scopes.ts'
import type { CliContext } from '../session/context.ts'
import { argumentsOf, takesValue } from '../commands/command.ts'
import { shells } from '../commands/completion.ts'
import { outline } from './outline.ts'
import { topics, type Topic } from './topics.ts'
import { actionsOf, titleOf } from '../output/deposit-facts.ts'
import { plain } from '../plain.ts'
import { formatBytes } from '../output/units.ts'

/**
 * Completions for the last of `words`, which follow `deposit` on the line. Empty where the shell
 * should complete file names.
 */
export async function complete(
  context: CliContext,
  words: readonly string[],
): Promise<readonly Candidate[]> {
  const word = words.at(-1) ?? ''
  const found = await candidates(context, words.slice(0, -1), word)
  return found.filter(([value]) => value.startsWith(word))
}

async function candidates(
  context: CliContext,
  [name, ...before]: readonly string[],
  word: string,
): Promise<readonly Candidate[]> {
  if (name === undefined) return commands
  if (name === 'help') return before.length > 0 ? [] : [...commands, ...topics.map(toTopic)]
  const entry = outline.find((known) => known.name === name)
  if (entry === undefined) return []
  const whole = (await entry.load())(context)
  const sub = whole.commands.find((command) => command.name() === before[0])
  if (whole.commands.length > 0 && sub === undefined)
    return whole.commands.map((command) => [command.name(), command.summary()])
  return ofCommand(context, sub ?? whole, sub === undefined ? before : before.slice(1), word)
}

async function ofCommand(
  context: CliContext,
  command: Command,
  before: readonly string[],
  word: string,
): Promise<readonly Candidate[]> {
  const taking = command.options.find((option) => takesValue(option, before.at(-1)))
  if (taking !== undefined) return valuesOf(context, taking)
  if (word.startsWith('-')) return command.options.map(toCandidate)
  return valuesOfArgument(context, command, argumentsOf(command, before))
}

const commands: readonly Candidate[] = outline.map(({ name, summary }) => [name, summary])

function toTopic({ name, summary }: Topic): Candidate {
  return [name, summary]
}

function toCandidate({ long, short, description }: Option): Candidate {
  return [long ?? short ?? '', description]
}

async function valuesOf(context: CliContext, { long }: Option): Promise<readonly Candidate[]> {
  if (long === '--scope') return Object.entries(scopes)
  if (long === '--status') return ['draft', 'published'].map((status) => [status, ''])
  if (long === '--progress') return [['json', '']]
  if (long === '--as') return exportNames.map((format) => [format, ''])
  if (long === '--style') return citationStyles.map((style) => [style, ''])
  if (long === '--of') return findDeposits(context, 'published')
  return long === '--deposit' ? findDeposits(context, 'any') : []
}

async function valuesOfArgument(
  context: CliContext,
  command: Command,
  given: readonly string[],
): Promise<readonly Candidate[]> {
  const { registeredArguments: declared } = command
  const last = declared.at(-1)
  const argument = declared[given.length] ?? (last?.variadic ? last : undefined)
  const [id] = given
  const isNext = argument !== undefined && given.length === declared.indexOf(argument)
  if (argument?.name() === 'id' && isNext)
    return findDeposits(context, statuses[command.name()] ?? 'any')
  if (command.name() === 'action' && given.length === 1 && id !== undefined)
    return findActions(context, id)
  const isKey = argument?.name() === 'key' || argument?.name() === 'new-key'
  if (isKey && id !== undefined) return findKeys(context, id, given.slice(1))
  if (argument?.name() === 'shell') return shells.map((shell) => [shell, ''])
  return []
}

/** Status of the deposits that a command works on; other commands take any deposit. */
const statuses: Readonly<Record<string, 'draft' | 'published' | 'any' | 'none'>> = {
  clear: 'draft',
  delete: 'draft',
  discard: 'draft',
  merge: 'draft',
  newversion: 'published',
  edit: 'published',
  patch: 'draft',
  publish: 'draft',
  rename: 'draft',
  revoke: 'none',
  restore: 'draft',
  rm: 'draft',
  sort: 'draft',
  undo: 'draft',
  update: 'draft',
  upload: 'draft',
  uploads: 'draft',
}

/** A completion and its description. */
type Candidate = readonly [value: string, what: string]

const most = 100

async function findDeposits(
  context: CliContext,
  status: 'draft' | 'published' | 'any' | 'none',
): Promise<readonly Candidate[]> {
  if (status === 'none') return []
  const client = await context.runningClient({ quiet: true })
  const only = status === 'any' ? {} : { status }
  const found = await client?.search({ sort: 'mostrecent', ...only }, most)
  return found?.hits.hits.map((deposit) => [deposit.id, titleOf(deposit)]) ?? []
}

/** Names of the files of a deposit, without those on the line already. */
async function findKeys(
  context: CliContext,
  id: string,
  given: readonly string[],
): Promise<readonly Candidate[]> {
  const client = await context.runningClient({ quiet: true })
  if (client === undefined) return []
  const { findNamed } = await import('../folder/folder-deposit.ts')
  const named = await findNamed(context, client, id, { quiet: true })
  const files = await client.listFiles(named.id)
  return files
    .filter(({ filename }) => filename === plain(filename) && !given.includes(filename))
    .map(({ filename, filesize }) => [filename, formatBytes(filesize)])
}

/** Actions that the server has for a deposit. */
async function findActions(context: CliContext, id: string): Promise<readonly Candidate[]> {
  const client = await context.runningClient({ quiet: true })
  const deposit = await client?.read(id)
  return deposit === undefined ? [] : actionsOf(deposit).map((name) => [name, ''])
}
