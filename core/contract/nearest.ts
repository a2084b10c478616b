/**
 * The candidate that `word` is probably a misspelling of; undefined without a similar one.
 *
 * @param most letters that may be wrong: a third of them, and in a short word one
 */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  most = Math.max(1, Math.floor(word.length / 3)),
): string | undefined {
  const wanted = fold(word)
  let best = most + 1
  let found: string | undefined
  for (const candidate of candidates) {
    const distance = distanceOf(wanted, fold(candidate))
    if (distance >= best) continue
    best = distance
    found = candidate
  }
  return found
}

/** Ignores spaces, hyphens and case. */
function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_-]+/g, '')
}

/**
 * Number of letters to add, drop, change or swap with their neighbour.
 *
 * @see Damerau, Levenshtein
 */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > Math.max(a.length, b.length) / 2) return Infinity
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + change,
        isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
      )
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? Infinity
}

/** `; did you mean "title"?`, or nothing. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  const near = nearest(word, candidates)
  return near === undefined ? '' : `; did you mean "${near}"?`
}
