import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { spareHeap } from '../../core/base/threads.ts'
import { buildDaemon } from './build-daemon.ts'
import { readConfig } from '../config/config.ts'
import type { ServeOptions } from '../config/config.ts'
import { isParentOpen, prepareHome } from '../home/home.ts'
import { openLog } from '../log.ts'
import { exitStatus, type ExitReason } from '../start-failure.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs the daemon until a signal stops it; running requests are finished first. */
export async function serve(
  env: Readonly<Record<string, string | undefined>>,
  options: ServeOptions,
): Promise<void> {
  process.umask(0o077)
  spareHeap()
  const config = await readConfig(env, options)
  await prepareHome(config.home, config)
  const { logger, reopen } = openLog(config.values.DEPOSIT_LOG_LEVEL, options.logFile)
  surviveLostOutput()
  endOnUncaught(logger)
  if (await isParentOpen(config.home)) {
    logger.warn(`Anybody can replace ${config.home}: the folder it lies in is open to all.`)
  }
  const stopped = stopSignal(reopen)
  await using daemon = await buildDaemon(config, logger)
  // Its process would go on writing into files that have no name any more.
  void daemon.homeLost.then((message) => endAt(logger, message, 'cannot_create'))
  void daemon.storeLost.then(({ message, reason }) => endAt(logger, message, reason))
  process.stdout.write(`depositd listening on ${await daemon.listen()}\n`)
  await notifySupervisor(env, 'READY=1', logger)
  const { DEPOSIT_DRAIN_NOTICE_SECONDS: notice, DEPOSIT_DRAIN_SECONDS: limit } = config.values
  logger.info({ signal: await stopped }, 'leaving')
  daemon.leave()
  await setTimeout(notice * 1000)
  logger.info('draining')
  await Promise.all([notifySupervisor(env, 'STOPPING=1', logger), daemon.drain(limit * 1000)])
}

function endAt(logger: Logger, message: string, reason: ExitReason): never {
  try {
    logger.fatal(`${message} The daemon ends.`)
    process.stderr.write(`depositd: ${message} It ends, so that nothing more is lost.\n`)
  } finally {
    process.exit(exitStatus[reason])
  }
}

/** Time that a signal takes at most to be passed on by the process that launched this one. */
const passedOnMs = 1000

/**
 * Resolves at the first signal to stop; the second one ends the process at once, which is safe. One to
 * the whole group of processes comes twice where an older Node.js has launched this one: by itself,
 * and passed on. Both are the first then.
 *
 * SIGHUP and SIGUSR1, which programs that rotate logs send, open them again; SIGUSR2 does nothing.
 * With a listener for SIGUSR1, Node.js does not open its inspector.
 */
function stopSignal(reopen: () => void): Promise<NodeJS.Signals> {
  process.on('SIGHUP', reopen)
  process.on('SIGUSR1', reopen)
  process.on('SIGUSR2', () => {})
  return new Promise((resolve) => {
    let stoppedAt: number | undefined
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        const now = performance.now()
        stoppedAt ??= now
        const isSame = now === stoppedAt || (process.channel && now - stoppedAt < passedOnMs)
        if (!isSame) process.exit(exitStatus.done)
        resolve(signal)
      })
    }
  })
}

/**
 * Tells systemd that the daemon is ready, or stops, where it started the daemon and asks for that.
 * Node.js has no datagram sockets of files, so systemd's own program carries the word: the unit
 * needs `NotifyAccess=all`.
 *
 * @see sd_notify(3), systemd-notify(1)
 */
export async function notifySupervisor(
  env: Readonly<Record<string, string | undefined>>,
  state: 'READY=1' | 'STOPPING=1',
  logger: Logger,
): Promise<void> {
  if (!env['NOTIFY_SOCKET']) return
  try {
    await promisify(execFile)('systemd-notify', [`--pid=${process.pid}`, state])
  } catch (error) {
    logger.warn({ err: error }, 'systemd was not notified')
  }
}

/**
 * Ends the process at an uncaught error: its memory cannot be trusted any
 * more, and the data on the disk is safe at any moment. A supervisor restarts it.
 */
export function endOnUncaught(logger: Logger): void {
  const end = (error: unknown): never => {
    try {
      logger.fatal({ err: error }, 'uncaught error: the process ends')
    } finally {
      process.exit(exitStatus.software)
    }
  }
  process.once('uncaughtException', end)
  process.once('unhandledRejection', end)
}

/** Goes on where the reader of the output has left, or the disk of the log is full. */
export function surviveLostOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
