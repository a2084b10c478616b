import { closeSync, openSync } from 'node:fs'
import { pino, stdTimeFunctions, type Logger } from 'pino'

/** Bytes that wait for a reader or for room; lines beyond them are lost. */
const mostWaiting = 1024 * 1024

const againMs = 100

export interface Log {
  readonly logger: Logger
  /** Opens its file again, which a rotation may have moved away. */
  readonly reopen: () => void
}

/**
 * A log of JSON lines, in a file or on standard error. If standard error is not read, or the disk is
 * full, they wait: the service still works, and still stops on a signal. By default the library
 * would retry before the end of the process until it can write, maybe forever.
 */
export function openLog(level: string, file?: string): Log {
  const output = pino.destination({
    dest: file ?? 2,
    mode: 0o600,
    maxLength: mostWaiting,
    retryEAGAIN: () => false,
  })
  let isStuck = false
  output.on('write', () => (isStuck = false))
  output.on('error', () => {
    isStuck = true
    // An empty line of the log brings those that wait along.
    setTimeout(() => output.write(''), againMs).unref()
  })
  const flush = output.flushSync.bind(output)
  output.flushSync = () => {
    if (isStuck) return
    try {
      flush()
    } catch {
      // The reader takes no more.
    }
  }
  const format = { level: (label: string) => ({ level: label }) }
  const options = { level, timestamp: stdTimeFunctions.isoTime, formatters: format }
  const logger = pino(options, output)
  const reopen = (): void => {
    if (file === undefined) return
    try {
      requireAppendable(file)
      output.reopen()
    } catch (error) {
      logger.error({ err: error }, 'The log cannot be opened again; it goes on in the open file')
    }
  }
  return { logger, reopen }
}

/**
 * The library forgets nothing of a file that it cannot open again, and closes the old one twice
 * the next time: so it is only asked to where that will do.
 */
export function requireAppendable(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}
