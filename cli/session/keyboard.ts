import type { CliContext } from './context.ts'

/** True where a person types. */
export function isTerminal(stdin: NodeJS.ReadableStream): stdin is typeof process.stdin {
  return 'isTTY' in stdin && stdin.isTTY === true
}

/** True where questions can be shown and answered. */
export function canAsk({ stdin, streams }: CliContext): boolean {
  return isTerminal(stdin) && streams.isErrTerminal
}

/** Lines that a person types. */
export interface Keyboard extends Disposable {
  /**
   * The line typed behind `prompt`, trimmed.
   *
   * @throws {DOMException} `AbortError`: Ctrl-C or Ctrl-D was pressed
   */
  readonly ask: (prompt: string) => Promise<string>
}

/** Opens the terminal; lines typed before their question are kept for it. */
export async function openKeyboard({ stdin, streams, signal }: CliContext): Promise<Keyboard> {
  const { createInterface } = await import('node:readline')
  const keys = createInterface({ input: stdin, output: streams.err, terminal: true })
  const lines: string[] = []
  let isClosed = false
  let wake = (): void => {}
  const close = (): void => keys.close()
  keys.on('line', (line) => {
    lines.push(line)
    wake()
  })
  keys.on('close', () => {
    isClosed = true
    wake()
  })
  keys.on('SIGINT', close)
  signal.addEventListener('abort', close)
  return {
    ask: async (prompt) => {
      keys.setPrompt(prompt)
      if (!isClosed) keys.prompt()
      if (lines.length === 0 && !isClosed) await new Promise<void>((resolve) => (wake = resolve))
      const line = lines.shift()
      if (line === undefined) throw new DOMException('No more is typed.', 'AbortError')
      return line.trim()
    },
    [Symbol.dispose]: () => {
      signal.removeEventListener('abort', close)
      close()
    },
  }
}

/**
 * A secret typed behind `prompt`, which is not shown.
 *
 * @throws {DOMException} `AbortError`: Ctrl-C or Ctrl-D was pressed
 */
export async function askSecret(
  { stdin, streams, signal }: CliContext,
  prompt: string,
): Promise<string> {
  const [{ createInterface }, { Writable }] = await Promise.all([
    import('node:readline'),
    import('node:stream'),
  ])
  // What is typed is shown by the reader, which writes to nowhere here.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const keys = createInterface({ input: stdin, output, terminal: true })
  const close = (): void => keys.close()
  signal.addEventListener('abort', close)
  try {
    streams.err.write(prompt)
    return await new Promise<string>((resolve, reject) => {
      keys.on('SIGINT', close)
      keys.once('line', (line) => resolve(line.trim()))
      keys.once('close', () => reject(new DOMException('No more is typed.', 'AbortError')))
    })
  } finally {
    signal.removeEventListener('abort', close)
    close()
    streams.err.write('\n')
  }
}
