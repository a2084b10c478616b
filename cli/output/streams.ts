import type { Shape } from './shape.ts'

/** A stream of the process, or a test's. */
export type Sink = NodeJS.WritableStream & {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The output of a command: results go to standard output, notes to standard error. */
export interface Streams {
  /** Writes a line of the result. */
  readonly out: (line: string) => void
  /** True once a line of the result was written. */
  readonly hasResult: () => boolean
  /** Standard output itself, for the bytes of a file. */
  readonly outBytes: Sink
  /** Writes a line for the reader of a terminal or a log. */
  readonly note: (line: string) => void
  /** Standard error itself, for bars and spinners. */
  readonly err: Sink
  /** True when notes go to a terminal that can be drawn on. */
  readonly isWatched: boolean
  /** True when notes go to a terminal, which may be that of a program. */
  readonly isErrTerminal: boolean
  /** True when animations are allowed there. */
  readonly hasMotion: boolean
  /** True when the result goes to a terminal. */
  readonly isOutTerminal: boolean
  /** Width of the result's terminal in characters; 80 elsewhere. */
  readonly columns: number
  /** Width of the terminal that notes go to; 80 elsewhere. */
  readonly noteColumns: number
  /** True when colour is wanted on both. */
  readonly hasColor: boolean
  /** True where every line of standard error is a JSON object: `--progress json`. */
  readonly hasEvents: () => boolean
  readonly setEvents: () => void
  /** Writes such a line. */
  readonly event: (event: object) => void
  /** The form of the result as JSON; undefined without `--jq` and `--template`. */
  readonly shape: () => Shape | undefined
  readonly setShape: (shape: Shape) => void
}

interface StreamsOptions {
  readonly stdout: Sink
  readonly stderr: Sink
  /** `NO_COLOR` is set and not empty. @see https://no-color.org */
  readonly noColor: boolean
}

/** Streams over the two of the process. */
export function createStreams({ stdout, stderr, noColor }: StreamsOptions): Streams {
  // A terminal with no columns is a pseudo-terminal of a program: drawing in place would not end.
  const isWatched = stderr.isTTY === true && stderr.columns !== 0
  const isOutTerminal = stdout.isTTY === true
  let hasResult = false
  let shape: Shape | undefined
  let hasEvents = false
  const event = (one: object): void => void stderr.write(`${JSON.stringify(one)}\n`)
  return {
    out: (line) => {
      hasResult = true
      stdout.write(`${line}\n`)
    },
    hasResult: () => hasResult,
    outBytes: stdout,
    note: (line) => {
      if (hasEvents) event({ event: 'note', message: line })
      else stderr.write(`${line}\n`)
    },
    hasEvents: () => hasEvents,
    setEvents: () => void (hasEvents = true),
    event,
    err: stderr,
    isWatched,
    isErrTerminal: stderr.isTTY === true,
    hasMotion: isWatched && !noColor,
    isOutTerminal,
    columns: widthOf(stdout),
    noteColumns: widthOf(stderr),
    hasColor: !noColor && isWatched && isOutTerminal,
    shape: () => shape,
    setShape: (given) => void (shape = given),
  }
}

function widthOf({ columns = 0 }: Sink): number {
  return columns === 0 ? 80 : columns
}
