import { plainRow } from '../../../core/base/plain.ts'
import type { Told, Voice } from './operator-command.ts'

/** Time between lines of progress where a line cannot replace the last. Milliseconds. */
const quietMs = 10_000

/**
 * Results on standard output, the rest on standard error; Ctrl-C stops the work. Names that users gave
 * are made harmless for the terminal.
 *
 * @param asJson results are left out: they come at the end, as JSON
 */
export function terminalVoice(asJson: boolean): Voice {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stopping.abort(new Error(`stopped by ${signal}`)))
  }
  const isTerminal = process.stderr.isTTY
  let lastProgress = 0
  const tell = (kind: Told['kind'], said: string): void => {
    const text = plainRow(said)
    if (kind === 'progress') {
      if (isTerminal) process.stderr.write(`\r${text}\u001b[K`)
      else if (performance.now() - lastProgress > quietMs) {
        process.stderr.write(`${text}\n`)
        lastProgress = performance.now()
      }
      return
    }
    if (isTerminal) process.stderr.write('\r\u001b[K')
    if (asJson && kind === 'result') return
    const stream = kind === 'result' ? process.stdout : process.stderr
    stream.write(`${text}\n`)
  }
  return { tell, signal: stopping.signal }
}

/** Tells every second for how long work is being done that does not tell itself, until it is disposed of. */
export function tellTime({ tell }: Voice, doing: string): Disposable {
  const begun = performance.now()
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begun) / 1000)
    tell('progress', `${doing}: ${seconds} s`)
  }, 1000)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Calls `tell` once a second at most; texts in between are left out. */
export function everySecond<Words extends readonly unknown[]>(
  tell: (...words: Words) => void,
): (...words: Words) => void {
  let last = performance.now()
  return (...words) => {
    if (performance.now() - last < 1000) return
    last = performance.now()
    tell(...words)
  }
}
