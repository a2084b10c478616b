import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Logger } from 'pino'

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
