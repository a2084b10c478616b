import { readConfig } from '../../config.ts'
import { prepareHome, type Home } from '../../home.ts'
import { lockHome } from '../../home-lock.ts'
import { exitStatus } from '../../start-failure.ts'
import type { Options } from '../operator-command.ts'
import { terminalVoice } from './terminal-voice.ts'
import type { Ending, Voice } from './work.ts'

/** Work on a home that no daemon may use meanwhile: it is refused where one does. */
export type OfflineWork = (home: Home, options: Options, voice: Voice) => Promise<Ending>

/** Does it, and sets the exit status. */
export async function runOffline(
  env: Readonly<Record<string, string | undefined>>,
  work: OfflineWork,
  options: Options,
): Promise<void> {
  process.umask(0o077)
  const config = await readConfig(env)
  const home = await prepareHome(config.home, config)
  await using stack = new AsyncDisposableStack()
  stack.use(await lockHome(home))
  process.exitCode = exitStatus[await work(home, options, terminalVoice())]
}
