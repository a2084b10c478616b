import { pino, stdTimeFunctions, type Logger } from 'pino'

/** Bytes that wait for a reader or for room; what is logged beyond them is lost. */
const mostWaiting = 1024 * 1024

const againMs = 100

/**
 * A log of JSON lines on standard error. Where nobody reads them, or their disk is full, they wait:
 * the service goes on all the same, and it ends when it is told to. Left to itself the library
 * would try before the end until there is room, maybe forever.
 */
export function openLog(level: string): Logger {
  const output = pino.destination({ dest: 2, maxLength: mostWaiting, retryEAGAIN: () => false })
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
  return pino({ level, timestamp: stdTimeFunctions.isoTime, formatters: format }, output)
}
