import { pino } from 'pino'
import { buildDaemon } from './build-daemon.ts'
import { readConfig, type ServeOptions } from './config.ts'
import { prepareHome } from './home.ts'
import { exitStatus } from './start-failure.ts'

/** Runs the daemon until it is told to stop; requests that are under way are finished first. */
export async function serve(
  env: Readonly<Record<string, string | undefined>>,
  options: ServeOptions,
): Promise<void> {
  process.umask(0o077)
  const config = await readConfig(env, options)
  await prepareHome(config.home)
  const logger = pino({ level: config.logLevel }, pino.destination(2))
  const stopped = stopSignal()
  await using daemon = await buildDaemon(config, logger)
  process.stdout.write(`depositd listening on ${await daemon.listen()}\n`)
  logger.info({ signal: await stopped }, 'draining')
}

/** Resolves at the first signal to stop; the second one ends the process at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(exitStatus.done))
        resolve(signal)
      })
    }
  })
}
