import type { Streams } from './streams.ts'
import { wrap } from './wrap.ts'

/** A line of the narration, broken between words for whoever watches; for a script it stays one. */
export function paragraph({ isWatched, noteColumns }: Streams, line: string): string {
  return isWatched ? wrap(line, noteColumns).join('\n') : line
}
