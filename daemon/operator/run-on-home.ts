import { systemClock } from '../../core/index.ts'
import { openAudit } from '../audit.ts'
import { readConfig } from '../config.ts'
import { originIn } from '../exposure.ts'
import { prepareHome, type Home } from '../home.ts'
import { lockHome } from '../home-lock.ts'
import { openDatabase } from '../open-stores.ts'
import { askDaemon } from './ask.ts'
import { runOperatorCommand } from './commands.ts'
import { describeCommand } from './describe-command.ts'
import { noIndex, type Options, type Outcome } from './operator-command.ts'
import { thereOrHere } from './there-or-here.ts'

/** Carries out a command on the home: by the daemon where it runs, else here. Prints the outcome. */
export async function runOnHome(
  env: Readonly<Record<string, string | undefined>>,
  command: string,
  options: object,
): Promise<void> {
  process.umask(0o077)
  const config = await readConfig(env)
  const home = await prepareHome(config.home, config)
  const given = options as Options
  const { notes, results } = await thereOrHere(
    () => askDaemon(home, command, given),
    () => runHere(home, command, given, originIn(config.values)),
  )
  for (const note of notes) process.stderr.write(`${note}\n`)
  for (const result of results) process.stdout.write(`${result}\n`)
}

async function runHere(
  home: Home,
  command: string,
  options: Options,
  origin: string,
): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  stack.use(await lockHome(home))
  const report = (error: unknown): void => void process.stderr.write(`${String(error)}\n`)
  const database = stack.use(await openDatabase(home, report))
  const context = { database, clock: systemClock, origin: () => origin, index: noIndex }
  const outcome = await runOperatorCommand(context, command, options)
  using audit = await openAudit(home.logs, report)
  audit.note({ who: 'owner', what: describeCommand(command, options) })
  return outcome
}
