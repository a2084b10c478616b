import type { Streams } from './streams.ts'

/** A line of the narration, broken between words for whoever watches; for a script it stays one. */
export function paragraph({ isWatched, noteColumns }: Streams, line: string): string {
  return isWatched ? wrap(line, noteColumns).join('\n') : line
}

/**
 * A paragraph as lines of at most `columns` characters, broken between words; all but the first are
 * indented by two more than the first. A longer word stays whole: it may be an address.
 */
export function wrap(text: string, columns: number): readonly string[] {
  const [, margin = '', content = ''] = /^( *)(.*)$/s.exec(text) ?? []
  const lines: string[] = []
  let line = margin
  for (const word of content.split(' ')) {
    const isFull = line.trim() !== '' && line.length + 1 + word.length > columns
    if (isFull) lines.push(line)
    if (isFull) line = `${margin}  ${word}`
    else line = line.trim() === '' ? line + word : `${line} ${word}`
  }
  return [...lines, line]
}
