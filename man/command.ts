import type { Argument, Command, Option } from 'commander'
import { examplesOf } from '../cli/commands/command.ts'
import { header, item, paragraph, section, verbatim } from './roff.ts'

/** The page of a command, made from the same source as its help. */
export function commandPage(command: Command, summary: string): string {
  const name = `deposit-${command.name()}`
  return [
    header(name, '1'),
    section('NAME'),
    paragraph(`${name} - ${summary}`),
    section('SYNOPSIS'),
    ...synopsis(command).map((line) => paragraph(`**${line}**`)),
    section('DESCRIPTION'),
    paragraph(command.description() || summary),
    ...command.commands.flatMap(subcommand),
    ...body(command, 'SH'),
    section('EXIT STATUS'),
    paragraph('0 on success; the others are in **deposit-exit**(7).'),
    section('SEE ALSO'),
    paragraph('**deposit**(1), **deposit-exit**(7), **depositd**(8)'),
  ].join('')
}

function synopsis(command: Command): readonly string[] {
  const lines = command.commands.map((sub) => `${command.name()} ${sub.name()} ${sub.usage()}`)
  return lines.length === 0
    ? [`deposit ${command.name()} ${command.usage()}`]
    : lines.map((line) => `deposit ${line}`)
}

function subcommand(command: Command): readonly string[] {
  return [
    section(`deposit ${command.parent?.name()} ${command.name()}`.toUpperCase()),
    paragraph(command.description() || command.summary()),
    ...body(command, 'SS'),
  ]
}

function body(command: Command, level: 'SH' | 'SS'): readonly string[] {
  const options = command.options.filter(({ hidden }) => !hidden)
  return [
    ...part(level, 'ARGUMENTS', command.registeredArguments.map(argument)),
    ...part(level, 'OPTIONS', options.map(option)),
    ...part(level, 'EXAMPLES', examples(command)),
  ]
}

function part(level: 'SH' | 'SS', title: string, blocks: readonly string[]): readonly string[] {
  if (blocks.length === 0) return []
  return [level === 'SH' ? section(title) : `.SS ${title}\n`, ...blocks]
}

function argument(given: Argument): string {
  return item(`**${given.name()}**`, given.description)
}

function option({ flags, description }: Option): string {
  return item(`**${flags}**`, description)
}

function examples(command: Command): readonly string[] {
  return Object.entries(examplesOf(command)).flatMap(([line, what]) => [
    paragraph(`${what.charAt(0).toUpperCase()}${what.slice(1)}:`),
    verbatim([line]),
  ])
}
