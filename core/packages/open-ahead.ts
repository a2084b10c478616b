/** Bytes of parts that are open, unless one alone has more. */
const mostBytes = 512 * 1024
/** Open parts. */
const mostParts = 8

/** Parts of a whole, by their index. */
export interface Parts<Part> {
  readonly first: number
  /** Index behind the last one. */
  readonly end: number
  /** Bytes. */
  readonly sizeOf: (index: number) => number
  readonly open: (index: number) => Promise<Part>
  /** For those that are open and not used. */
  readonly close: (part: Part) => void
}

/**
 * Opens parts in their order; the next ones, where they are small, already while one is used: most of
 * the time that a small file takes is spent waiting for the disk. A failure to open is told in its turn.
 */
export async function* openAhead<Part>(parts: Parts<Part>): AsyncIterable<Part> {
  const { first, end, sizeOf, open, close } = parts
  const opened: Promise<Part>[] = []
  let [next, bytes] = [first, 0]
  const isRoom = (index: number): boolean =>
    next === index || (opened.length < mostParts && bytes + sizeOf(next) <= mostBytes)
  try {
    for (let index = first; index < end; index++) {
      for (; next < end && isRoom(index); next++) {
        const part = open(next)
        part.catch(() => {})
        opened.push(part)
        bytes += sizeOf(next)
      }
      const [part] = opened
      if (part) yield await part
      void opened.shift()
      bytes -= sizeOf(index)
    }
  } finally {
    for (const part of opened) void part.then(close, () => {})
  }
}
