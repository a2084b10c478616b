import type { Database, UnitOfWork } from '../../core/index.ts'
import type { Home } from '../home/home.ts'
import { withoutPeople } from '../http/request-log.ts'
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

interface CommandDeed {
  readonly begin: (unit: UnitOfWork) => Promise<void>
  readonly words: (unit?: UnitOfWork) => Promise<string>
}

/** Options whose values are names of people. */
const personal: ReadonlySet<string> = new Set(['name'])

const email = /^[^\s@:/]+@[^\s@/]+$/

/**
 * A command with its options, as the audit trail names it: users by id, addresses without user and
 * password, and an import by its file alone. `begin` and `words` are given the unit of work that the
 * command runs in: one of them knows the user.
 */
export function deedOf(command: string, options: Options): CommandDeed {
  const given = Object.entries(options).filter(
    ([name, value]) =>
      name !== 'people' && value !== undefined && value !== '' && value !== 'false',
  )
  const ids = new Map<string, string>()
  const findAll = async ({ accounts }: UnitOfWork): Promise<void> => {
    for (const [, value = ''] of given) {
      const account = email.test(value)
        ? await accounts.findByEmail(value.toLowerCase())
        : undefined
      if (account && !ids.has(value)) ids.set(value, account.id)
    }
  }
  const say = ([name, value = '']: readonly [string, string | undefined]): string => {
    if (email.test(value)) return `${name}=${ids.get(value) ?? '…'}`
    return `${name}=${personal.has(name) ? '…' : withoutPassword(value)}`
  }
  return {
    begin: findAll,
    words: async (unit) => {
      if (unit) await findAll(unit)
      return ['depositd', command, ...given.map(say)].join(' ')
    },
  }
}

/** Notes a command that has noted nothing itself: it changed nothing, or failed. */
export async function noteCommand(
  { write }: Pick<Database, 'write'>,
  command: string,
  options: Options,
  failed?: string,
): Promise<void> {
  const { words } = deedOf(command, options)
  await write(async (unit) => {
    const what = await words(unit)
    const why = failed === undefined ? {} : { failed: withoutPeople(failed) }
    await unit.audit.add([{ who: 'owner', what, ...why }])
  })
}

function withoutPassword(value = ''): string {
  return value.replaceAll(/(?<=:\/\/)[^/@]*@/g, '')
}
