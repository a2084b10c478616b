import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import type { Flags, OperatorCommand, Options } from './command/operator-command.ts'
import { groupSummaries, operatorCommands } from './table.ts'

/** Carries out a command with its options; `asJson` where its results are to be JSON. */
export type Run = (command: OperatorCommand, options: Options, asJson: boolean) => Promise<void>

/** The operator's commands on the command line. */
export function operatorProgram(run: Run): readonly Command[] {
  const groups = new Map<string, Command>()
  return operatorCommands.flatMap((command) => {
    const [word = '', second] = command.name.split(' ')
    if (second === undefined) return [toCommand(word, command, run)]
    const known = groups.get(word)
    const group = known ?? new Command(word).description(groupSummaries[word] ?? '')
    groups.set(word, group)
    group.addCommand(toCommand(second, command, run))
    return known ? [] : [group]
  })
}

function toCommand(word: string, command: OperatorCommand, run: Run): Command {
  const { summary, arguments: positional = [], options = [] } = command
  const made = new Command(word).description(summary)
  for (const { name, summary: meaning, isOptional } of positional) {
    made.argument(isOptional ? `[${name}]` : `<${name}>`, meaning)
  }
  for (const { flags, summary: meaning, isRequired, conflicts = [] } of options) {
    const option = new Option(flags, meaning).makeOptionMandatory(isRequired ?? false)
    made.addOption(option.conflicts([...conflicts]))
  }
  made.option('--json', 'print the results as JSON, failures too')
  made.action(async (...given: readonly unknown[]) => {
    const { json, ...flags } = made.opts<Flags>()
    const named = positional.map(({ name, isPath }, index) => {
      const argument = given[index]
      const value = typeof argument === 'string' ? argument : undefined
      return [name, isPath && value !== undefined ? resolve(value) : value] as const
    })
    const chosen = (command.toOptions ?? asGiven)(flags)
    await run(command, { ...Object.fromEntries(named), ...chosen }, json === true)
  })
  return made
}

function asGiven(flags: Flags): Options {
  return Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, String(value)]))
}
