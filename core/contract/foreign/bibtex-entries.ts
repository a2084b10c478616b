/** The beginning of an entry: its type, and the key it is cited by. */
export const entryStart = /@\s*(\w{1,40})\s*\{\s*([^\s,{}"=]{0,200})\s*,/g

/** An entry of a bibliography. */
export interface FoundEntry {
  readonly key: string
  /** Where it begins in the text. */
  readonly at: number
}

/** The entries of a bibliography, each of which begins a line. */
export function bibtexEntries(text: string): readonly FoundEntry[] {
  return [...text.matchAll(entryStart)].flatMap(({ index, 1: type = '', 2: key = '' }) => {
    const beginsLine = /(?:^|\n)[^\S\n]*$/.test(text.slice(Math.max(0, index - 80), index))
    return beginsLine && type.toLowerCase() !== 'comment' ? [{ key: key || type, at: index }] : []
  })
}
