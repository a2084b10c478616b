/** A stream of the process, or what stands for it in a test. */
export type Sink = NodeJS.WritableStream & {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** Where a command writes: results to one, what it tells about them to the other. */
export interface Streams {
  /** Writes a line of the result. */
  readonly out: (line: string) => void
  /** True once a line of the result was written. */
  readonly hasResult: () => boolean
  /** Standard output itself, for the bytes of a file. */
  readonly outBytes: Sink
  /** Writes a line for the reader of a terminal or a log. */
  readonly note: (line: string) => void
  /** Standard error itself, for what draws in place. */
  readonly err: Sink
  /** True when somebody watches the narration. */
  readonly isWatched: boolean
  /** True when what is drawn there may move. */
  readonly hasMotion: boolean
  /** True when the result goes to a terminal. */
  readonly isOutTerminal: boolean
  /** Width of the result's terminal in characters; 80 elsewhere. */
  readonly columns: number
  /** Width of the terminal that the narration goes to; 80 elsewhere. */
  readonly noteColumns: number
  /** True when colour is wanted on both. */
  readonly hasColor: boolean
}

interface StreamsOptions {
  readonly stdout: Sink
  readonly stderr: Sink
  /** `NO_COLOR` is set and not empty. @see https://no-color.org */
  readonly noColor: boolean
}

/** Streams over the two of the process. */
export function createStreams({ stdout, stderr, noColor }: StreamsOptions): Streams {
  // A terminal that says it has no columns is nobody's: drawing in place would not end there.
  const isWatched = stderr.isTTY === true && stderr.columns !== 0
  const isOutTerminal = stdout.isTTY === true
  let hasResult = false
  return {
    out: (line) => {
      hasResult = true
      stdout.write(`${line}\n`)
    },
    hasResult: () => hasResult,
    outBytes: stdout,
    note: (line) => void stderr.write(`${line}\n`),
    err: stderr,
    isWatched,
    hasMotion: isWatched && !noColor,
    isOutTerminal,
    columns: widthOf(stdout),
    noteColumns: widthOf(stderr),
    hasColor: !noColor && isWatched && isOutTerminal,
  }
}

function widthOf({ columns = 0 }: Sink): number {
  return columns === 0 ? 80 : columns
}
