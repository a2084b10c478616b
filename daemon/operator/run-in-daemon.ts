import type { Home } from '../home/home.ts'
import { describePlace } from '../home/place.ts'
import { OperatorFailure } from './command/operator-failure.ts'
import type {
  Done,
  OperatorCommand,
  OperatorContext,
  Options,
  Outcome,
  Voice,
  WorkContext,
} from './command/operator-command.ts'
import { askedCommands, operatorCommands } from './table.ts'

/** @throws {OperatorFailure} the command is unknown, or cannot be carried out */
export async function runShort(
  context: OperatorContext,
  name: string,
  options: Options,
): Promise<Outcome> {
  const command = find(name)
  if (command?.kind !== 'short') throw unknown(name)
  return command.run(context, options)
}

/** @throws {OperatorFailure} the command is unknown, or cannot be carried out */
export async function runLong(
  context: WorkContext,
  name: string,
  options: Options,
  voice: Voice,
): Promise<Done> {
  const command = find(name)
  if (command?.kind !== 'long') throw unknown(name)
  return command.run(context, options, voice)
}

function find(name: string): OperatorCommand | undefined {
  return [...operatorCommands, ...askedCommands].find((command) => command.name === name)
}

function unknown(name: string): OperatorFailure {
  return new OperatorFailure(`There is no operator's command "${name}".`)
}

/** Says on which home a short command has worked. */
export function withPlace(outcome: Outcome, home: Home): Outcome {
  return { ...outcome, notes: [...outcome.notes, `(in ${describePlace(home)})`] }
}

/**
 * A command with its options, as the audit trail names it: addresses without user and password, and
 * without the rows of an import, whose file is named.
 */
export function describeCommand(command: string, options: Options): string {
  const given = Object.entries(options).filter(
    ([name, value]) =>
      name !== 'people' && value !== undefined && value !== '' && value !== 'false',
  )
  return [
    'depositd',
    command,
    ...given.map(([name, value]) => `${name}=${withoutPassword(value)}`),
  ].join(' ')
}

function withoutPassword(value = ''): string {
  return value.replaceAll(/(?<=:\/\/)[^/@]*@/g, '')
}
