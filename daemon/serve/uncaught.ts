import type { Logger } from 'pino'
import { exitStatus } from '../start-failure.ts'

/**
 * Ends the process at an error that nobody caught: what it has in memory cannot be trusted any
 * more, and what is on the disk is safe at any moment. A supervisor starts it anew.
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
