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
