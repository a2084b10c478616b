import { Command, Option } from 'commander'
import type { CliContext } from '../session/context.ts'
import type { JsonOption } from '../output/json.ts'
import { advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import { parseSeconds } from '../options.ts'
import { pathWord, shellWord } from '../plain.ts'

/** Options of every command. */
export interface CommonOptions {
  readonly json?: JsonOption
  readonly quiet?: true
  readonly insecure?: true
  /** Endpoint of the server. */
  readonly endpoint?: string
  /** Seconds. */
  readonly timeout?: number
  readonly retries?: number
  /** An expression. */
  readonly jq?: string
  readonly template?: string
  /** Only for commands that change something. */
  readonly dryRun?: true
}

/** Options of a command that runs an action. */
export interface ActionOptions extends CommonOptions {
  readonly idempotencyKey?: string
}

/** Defines a command; its run function follows in the same file. */
export type CommandFactory = (context: CliContext) => Command

/**
 * A command with the common options `--json`, `--quiet`, `--endpoint` and the like, and with
 * examples at the end of its help.
 *
 * @param examples command lines, each with what it does
 */
export function newCommand(name: string, examples: Examples): Command {
  return withExamples(new Command(name), examples)
    .option('--json [fields]', 'print JSON, or the named fields: id,links.html')
    .option('--jq <expression>', 'print the results of an expression of jq over the JSON')
    .option('--template <text>', 'print a line for each result: {{.id}} {{.metadata.title}}')
    .option('-q, --quiet', 'print only ids, and no notes')
    .option('--endpoint <name>', 'work with the deposits of another endpoint of the server')
    .option('--insecure', 'talk to another machine over plain http')
    .option(
      '--timeout <time>',
      'give up on a server that is silent for this long; 60s by default',
      parseTimeout,
    )
    .option(
      '--retries <number>',
      'retries after a temporary failure; 4 by default, 0 for none',
      parseRetries,
    )
}

function parseRetries(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= 100) return number
  throw new UsageFailure({
    tried: 'use --retries',
    said: `it takes a number from 0 to 100, not "${text}"`,
    next: advice.correctOption('--retries'),
  })
}

function parseTimeout(text: string): number {
  return /^\d{1,5}$/.test(text) && Number(text) > 0 ? Number(text) : parseSeconds('--timeout', text)
}

/** A command that changes something: it has `--dry-run`. */
export function newChange(name: string, examples: Examples): Command {
  return newCommand(name, examples).option(
    '-n, --dry-run',
    'show what would be changed, and change nothing',
  )
}

/** Argument of a command for one deposit: `.argument(...depositId)`. */
export const depositId = [
  '<id>',
  'identifier of the deposit (its first 6 characters do), of its record, or of its concept for the newest version; or an address of one of them',
] as const

/** The same, for a command with further arguments, where a folder may stand for it. */
export const depositOrFolder = [
  '<id>',
  'identifier of the deposit (its first 6 characters do), of its record, or of its concept for the newest version; an address of one of them; or a folder that knows its deposit',
] as const

/** Argument of a command for one deposit, which a folder may know: `.argument(...knownDeposit)`. */
export const knownDeposit = [
  '[id]',
  'identifier of the deposit, of its record, or of its concept for the newest version; an address of one of them; or a folder that knows its deposit; by default the current one',
] as const

/** Argument of a command for several deposits, which folders may know: `.argument(...knownDeposits)`. */
export const knownDeposits = [
  '[id...]',
  'identifiers of deposits (their first 6 characters do), of records, or of concepts for their newest versions; addresses of them; or folders that know their deposits; by default the current one',
] as const

/** Option of an idempotent command: `.option(...idempotencyKey)`. */
export const idempotencyKey = [
  '--idempotency-key <key>',
  'do nothing twice under the same key: for a job that may be retried',
] as const

/** Option of a command that reads a folder: `.option(...exclude)`. */
export const exclude = [
  '--exclude <pattern>',
  'leave out files, by a pattern as in .gitignore; may be repeated',
  collect,
] as const

/** Option of a command that reads a folder: `.option(...followLinks)`. */
export const followLinks = [
  '-L, --follow-links',
  'follow links to files in the folder, in git-annex or DVC, or tracked by its git repository',
] as const

/** Option of a command that takes packages: `.option(...asIs)`. */
export const asIs = [
  '--as-is',
  'take a bag, a crate or an archive as files like any others: neither verified nor unpacked',
] as const

/** Option of a command that asks before a step that cannot be undone: `.option(...unasked)`. */
export const unasked = ['--yes', 'do not ask for confirmation'] as const

/** Option of a command that warns about metadata or names: `.option(...strict)`. */
export const strict = ['--strict', 'treat warnings as errors'] as const

/** Option of a command that publishes: `.option(...withoutMetadata)`. */
export const withoutMetadata = ['--yes', 'publish even without any field of the schema'] as const

/** Option of a command that pushes: `.addOption(flattenOption())`. */
export function flattenOption(): Option {
  return new Option(
    '--flatten <how>',
    'for a repository without folders: dash writes data-a.csv for data/a.csv, zip sends one archive, also of more files than it takes',
  ).choices(['dash', 'zip'])
}

/** Option of a command that pushes: `.option(...recordTraffic)`. */
export const recordTraffic = [
  '--record <file>',
  'write the traffic there, without tokens and bytes, for a report',
] as const

/** A command that only has subcommands. */
export function newGroup(name: string, examples: Examples, commands: readonly Command[]): Command {
  const group = withExamples(new Command(name), examples)
  for (const command of commands) group.addCommand(command)
  return group
}

/** Command lines, each with what it does. */
type Examples = Readonly<Record<string, string>>

const known = new WeakMap<Command, Examples>()

/** Also for the manual page of the command. */
export function examplesOf(command: Command): Examples {
  return known.get(command) ?? {}
}

function withExamples(command: Command, examples: Examples): Command {
  known.set(command, examples)
  const lines = Object.entries(examples).flatMap(([line, what]) => [`  # ${what}`, `  $ ${line}`])
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
}

/**
 * A command line for a shell, with these options. `--endpoint` is missing: reports of a failure add
 * it.
 */
export function lineOf(
  words: readonly string[],
  { endpoint: _, ...options }: CommonOptions,
): string {
  const given = Object.entries(options).flatMap(([name, value]: readonly [string, unknown]) => {
    const option = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    if (value === true) return [option]
    const separator = name === 'json' ? '=' : ' '
    return [value].flat().map((one) => `${option}${separator}${shellWord(String(one))}`)
  })
  return ['deposit', ...words.map((word) => pathWord(word)), ...given].join(' ')
}

/** Collects the values of a repeatable option. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value]
}

/** The arguments of a command line, without options and their values. */
export function argumentsOf({ options }: Command, words: readonly string[]): readonly string[] {
  return words.filter(
    (word, at) =>
      !word.startsWith('-') && !options.some((option) => takesValue(option, words[at - 1])),
  )
}

/** Whether the word behind `word` is the value of this option. */
export function takesValue({ required, short, long }: Option, word: string | undefined): boolean {
  return required && word !== undefined && (word === short || word === long)
}
