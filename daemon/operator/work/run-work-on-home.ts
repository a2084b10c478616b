import { Readable } from 'node:stream'
import { systemClock } from '../../../core/index.ts'
import { openAudit } from '../../audit.ts'
import { readConfig } from '../../config.ts'
import { prepareHome, type Home } from '../../home.ts'
import { lockHome } from '../../home-lock.ts'
import { openBlobs, openDatabase } from '../../open-stores.ts'
import { exitStatus } from '../../start-failure.ts'
import { callDaemon } from '../ask.ts'
import { describeCommand } from '../describe-command.ts'
import type { Options } from '../operator-command.ts'
import { OperatorFailure } from '../operator-failure.ts'
import { thereOrHere } from '../there-or-here.ts'
import { runWork } from './registry.ts'
import { terminalVoice } from './terminal-voice.ts'
import { repeat } from './transcript.ts'
import type { Ending, Voice } from './work.ts'

/** Does long work on the home: in the daemon where it runs, else here. Sets the exit status. */
export async function runWorkOnHome(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  options: Options,
): Promise<void> {
  process.umask(0o077)
  const config = await readConfig(env)
  const home = await prepareHome(config.home, config)
  const voice = terminalVoice()
  try {
    const ending = await thereOrHere(
      () => runThere(home, name, options, voice),
      () => runHere(home, name, options, voice),
      voice.signal,
    )
    process.exitCode = exitStatus[ending]
  } catch (error) {
    if (voice.signal.aborted) throw new OperatorFailure(`${name} was stopped before its end.`)
    throw error
  }
}

/** Undefined where no daemon runs. */
async function runThere(
  home: Home,
  command: string,
  options: Options,
  voice: Voice,
): Promise<Ending | undefined> {
  const response = await callDaemon(home, '/local/work', { command, options }, voice.signal)
  if (!response?.body) return undefined
  return repeat(Readable.fromWeb(response.body), voice)
}

async function runHere(home: Home, name: string, options: Options, voice: Voice): Promise<Ending> {
  await using stack = new AsyncDisposableStack()
  stack.use(await lockHome(home))
  const report = (error: unknown): void => voice.tell('note', String(error))
  const database = stack.use(await openDatabase(home, report))
  const blobs = stack.use(await openBlobs(home, { database, report }))
  const parts = { database, blobs, clock: systemClock }
  const ending = await runWork({ parts, home }, name, options, voice)
  using audit = await openAudit(home.logs, report)
  audit.note({ who: 'owner', what: describeCommand(name, options) })
  return ending
}
