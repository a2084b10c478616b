/** `ConferencePaper` in words, for people: `Conference paper`. Abbreviations stay as they are. */
export function inWords(term: string): string {
  const [first = '', ...rest] = term.split(/(?<=[a-z])(?=[A-Z])/)
  return [first, ...rest.map((word) => word.toLowerCase())].join(' ')
}
