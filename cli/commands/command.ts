import { Command, type Option } from 'commander'
import type { CliContext } from '../session/context.ts'
import type { JsonOption } from '../output/json.ts'
import { parseSeconds } from '../options.ts'

/** What every command understands. */
export interface CommonOptions {
  readonly json?: JsonOption
  readonly quiet?: true
  readonly insecure?: true
  /** Which kind of deposits: an endpoint of the server. */
  readonly endpoint?: string
  /** Seconds. */
  readonly timeout?: number
  /** Of commands that change something. */
  readonly dryRun?: true
}

/** What a command that runs an action understands. */
export interface ActionOptions extends CommonOptions {
  readonly idempotencyKey?: string
}

/** Defines a command; its run function follows in the same file. */
export type CommandFactory = (context: CliContext) => Command

/**
 * A command with what all of them have in common: `--json`, `--quiet`, `--endpoint` and the like, and examples
 * at the end of its help.
 *
 * @param examples command lines, each with what it does
 */
export function newCommand(name: string, examples: Examples): Command {
  return withExamples(new Command(name), examples)
    .option('--json [fields]', 'print JSON, or the fields named: id,links.html')
    .option('-q, --quiet', 'print ids alone, and no narration')
    .option('--endpoint <name>', 'work with the deposits of another endpoint of the server')
    .option('--insecure', 'talk to another machine over plain http')
    .option(
      '--timeout <time>',
      'give up on a server that is silent so long; 60s by default',
      parseTimeout,
    )
}

function parseTimeout(text: string): number {
  return /^\d{1,5}$/.test(text) && Number(text) > 0 ? Number(text) : parseSeconds('--timeout', text)
}

/** A command that changes something: it can be rehearsed. */
export function newChange(name: string, examples: Examples): Command {
  return newCommand(name, examples).option(
    '-n, --dry-run',
    'tell the changes that would be made, and make none',
  )
}

/** What a command at one deposit takes: `.argument(...depositId)`. */
export const depositId = [
  '<id>',
  'identifier of the deposit, or the address of its page or record',
] as const

/** What a command at several deposits takes: `.argument(...depositIds)`. */
export const depositIds = [
  '<id...>',
  'identifiers of deposits, or addresses of their pages or records',
] as const

/** What a command that is to have its effect once takes: `.option(...idempotencyKey)`. */
export const idempotencyKey = [
  '--idempotency-key <key>',
  'a command with a key that was used before is not done twice: for a job that may be retried',
] as const

/** What a command that reads a folder takes: `.option(...followLinks)`. */
export const followLinks = [
  '-L, --follow-links',
  'take the files that links lead to, in the folder, in git-annex or DVC, or tracked by its git repository',
] as const

/** What a command that publishes takes: `.option(...withoutMetadata)`. */
export const withoutMetadata = ['--yes', 'publish even where there is no metadata at all'] as const

/** A command that only holds others. */
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

/** Takes an option that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value]
}

/** The words of a command line that are arguments: no options, and not what options take. */
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
