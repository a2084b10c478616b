import { advice, hintForCommand } from '../advice.ts'
import { Command, CommanderError } from 'commander'
import { RehearsalEnd } from '../client/rehearsal.ts'
import type { CliContext } from '../session/context.ts'
import { exitCodes, type ExitCode } from '../exit-codes.ts'
import { UsageFailure } from '../failure.ts'
import { outline, type OutlineEntry } from './outline.ts'
import { findTopic, listTopics, readTopic, topicOf, topics, type Topic } from './topics.ts'
import { findJsonOption, isShaped, readShape, settleJsonOption, withJson } from './json-option.ts'

/** The hidden command that the scripts of `deposit completion` call. */
const completeCommand = '__complete'

/**
 * Runs the command line `args` in `context`.
 *
 * @returns the exit status of the process
 */
export async function run(args: readonly string[], context: CliContext): Promise<ExitCode> {
  if (args[0] === completeCommand) return printCompletions(context, args.slice(1))
  const topic = topicIn(args)
  if (topic !== undefined) return printTopic(topic, context)
  let asked = withJson(settleHelp(args))
  try {
    asked = await settleJson(asked, context)
    const program = await buildProgram(asked, context)
    if (asked.length === 0) await welcome(program, context)
    else await program.parseAsync(uptoUnknown(program, asked), { from: 'user' })
    return context.exitCode()
  } catch (error) {
    if (isHelp(error)) return exitCodes.done
    if (error instanceof RehearsalEnd) return endRehearsal(context, asked, error)
    const { report } = await import('../output/report.ts')
    const failure = error instanceof CommanderError ? toUsage(error, args) : error
    return report(context.streams, failure, {
      args,
      wantsJson: findJsonOption(asked) !== undefined && !isShaped(asked),
    })
  }
}

/** The overview, and the next step in this folder. */
async function welcome(program: Command, context: CliContext): Promise<void> {
  program.outputHelp()
  const { lookAround } = await import('../folder/look-around.ts')
  for (const line of await lookAround(context)) context.streams.out(line)
}

/** The page of the manual that `deposit help TOPIC` asks for. A command of that name comes first. */
function topicIn([help, name, ...more]: readonly string[]): Topic | undefined {
  if (help !== 'help' || name === undefined || more.length > 0) return undefined
  return outline.some((entry) => entry.name === name) ? undefined : findTopic(name)
}

function printTopic(topic: Topic, { streams, exitCode }: CliContext): ExitCode {
  for (const line of readTopic(topic, helpWidth(streams))) streams.out(line)
  return exitCode()
}

/** Columns of a help. */
function helpWidth({ columns }: CliContext['streams']): number {
  return Math.min(columns, 100)
}

/** Completion of a key press: errors are silent and offer nothing. */
async function printCompletions(context: CliContext, args: readonly string[]): Promise<ExitCode> {
  const { answerShell } = await import('./answer-shell.ts')
  const lines = await answerShell(context, args).catch(() => [])
  for (const line of lines) context.streams.out(line)
  return exitCodes.done
}

/**
 * The command tree. Only the command in `args` is loaded; the overview shows names and summaries of
 * the others. Without arguments it has the commands that a new user needs.
 */
async function buildProgram(args: readonly string[], context: CliContext): Promise<Command> {
  const { streams } = context
  const program = new Command('deposit')
    .description('Keeps drafts of records with their files, and publishes them.')
    .option('-V, --version', 'print the version')
    .configureOutput({
      writeOut: (text) => streams.out(text.trimEnd()),
      // Faults of the command line are reported like all other failures.
      writeErr: () => {},
      getOutHelpWidth: () => helpWidth(streams),
      getOutHasColors: () => streams.hasColor,
    })
    .helpCommand(false)
    .exitOverride()
    .hook('preAction', async (_program, command) => {
      refuseEmpty(command)
      const name = commandLine(command).replace('deposit ', '')
      const options = command.opts<{
        jq?: string
        template?: string
        metadata?: unknown
        progress?: 'json'
      }>()
      const shape = await readShape(name === 'show' && options.metadata ? '' : name, options)
      if (shape !== undefined) streams.setShape(shape)
      if (options.progress !== undefined) streams.setEvents()
    })
    .addHelpText('after', footer(args.length === 0))
  const shown = outline.filter(({ isBasic }) => isBasic || args.length > 0)
  for (const entry of shown) {
    const command = entry.name === args[0] ? await load(entry, context) : new Command(entry.name)
    program.addCommand(command.summary(entry.summary).helpGroup(entry.group))
  }
  inherit(program)
  return program
}

/** @throws {UsageFailure} `--json` names a field that the command does not have */
async function settleJson(
  args: readonly string[],
  context: CliContext,
): Promise<readonly string[]> {
  const entry = outline.find(({ name }) => name === args[0])
  if (entry === undefined || findJsonOption(args) === undefined) return args
  const whole = await load(entry, context)
  const sub = whole.commands.find((command) => command.name() === args[1])
  const command = sub ?? whole
  const names = sub === undefined ? [entry.name] : [entry.name, sub.name()]
  const places = command.registeredArguments
  // An identifier is not a field, also where a folder may know it.
  const optional = places.findIndex((place) => place.name() === 'id' && !place.required)
  const required = Math.max(optional + 1, places.filter((place) => place.required).length)
  const { argumentsOf } = await import('../commands/command.ts')
  const countMissing = (others: readonly string[]): number =>
    required - argumentsOf(command, others.slice(names.length)).length
  return settleJsonOption(args, names.join(' '), countMissing)
}

/** `deposit help publish` is `deposit publish --help`. */
function settleHelp([first, ...rest]: readonly string[]): readonly string[] {
  if (first === undefined) return []
  return first === 'help' ? [...rest, '--help'] : [first, ...rest]
}

/** Without the words behind an unknown command: `--help` would show the help of another one. */
function uptoUnknown(program: Command, args: readonly string[]): readonly string[] {
  let holder = program
  for (const [at, word] of args.entries()) {
    if (holder.commands.length === 0 || word.startsWith('-')) return args
    const found = holder.commands.find((command) => command.name() === word)
    if (found === undefined) return args.slice(0, at + 1)
    holder = found
  }
  return args
}

async function load(
  { name, load: loadFactory }: OutlineEntry,
  context: CliContext,
): Promise<Command> {
  return (await loadFactory())(context).addHelpText('after', topicOf(name))
}

async function endRehearsal(
  { streams, exitCode }: CliContext,
  asked: readonly string[],
  { tried }: RehearsalEnd,
): Promise<ExitCode> {
  streams.note(`Would ${tried}; nothing was changed`)
  const { print } = await import('../output/print.ts')
  const json = findJsonOption(asked)
  const body = { would: tried }
  print(streams, json === undefined ? {} : { json }, { body, ids: [], lines: () => [] })
  return exitCode()
}

/**
 * An empty argument comes from an unset variable. As a path it would be the current folder.
 *
 * @throws {UsageFailure} naming the argument or the option
 */
function refuseEmpty(command: Command): void {
  const at = command.args.indexOf('')
  const empty = Object.entries(command.opts()).find(([, value]) => [value].flat().includes(''))
  const option = command.options.find((known) => known.attributeName() === empty?.[0])
  if (at === -1 && option === undefined) return
  const { registeredArguments: places } = command
  const name = at === -1 ? option?.long : `<${(places[at] ?? places.at(-1))?.name() ?? 'argument'}>`
  throw new UsageFailure({
    tried: `run \`${commandLine(command)}\``,
    said: `${name} is empty`,
    next: advice.setVariable(),
  })
}

/** With the names of the commands that hold it: `deposit token create`. */
function commandLine(command: Command): string {
  const name = command.name()
  return command.parent === null ? name : `${commandLine(command.parent)} ${name}`
}

/** Commander passes its settings only to the commands that it makes itself. */
function inherit(parent: Command): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent)
    inherit(command)
  }
}

function footer(isShort: boolean): string {
  const command = '`deposit COMMAND --help` explains one, with examples'
  if (isShort) return `\n\`deposit --help\` shows all commands.\n${command}.`
  return `\n${listTopics()}\n\n${command}.\n\`deposit help TOPIC\` shows a page of the manual.`
}

/** Commander ends help and version with an error of exit code 0. */
function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0
}

/** For a group without a command, where commander would print the help. */
const missingCommand = 'it needs one of its subcommands'

function toUsage({ code, message }: CommanderError, args: readonly string[]): UsageFailure {
  const other = code === 'commander.unknownCommand' ? hintForCommand(args[0] ?? '') : undefined
  if (other !== undefined)
    return new UsageFailure({
      tried: `run \`${['deposit', ...args].join(' ')}\``,
      said: `there is no command ${args[0]}`,
      next: other,
    })
  const name = outline.find((entry) => entry.name === args[0])?.name
  const command = name === undefined ? 'deposit' : `deposit ${name}`
  return new UsageFailure({
    tried: `run \`${['deposit', ...args].join(' ')}\``,
    said: code === 'commander.help' ? missingCommand : sayUsage(message, args),
    next: advice.seeHelp(command),
  })
}

/** The message of commander; for `deposit help` with the topics there are. */
function sayUsage(message: string, [first]: readonly string[]): string {
  const said = message.replace(/^error: /, '').replaceAll('\n', ' ')
  if (first !== 'help') return said
  return `${said}; the topics are ${topics.map(({ name }) => name).join(', ')}`
}
