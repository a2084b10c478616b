/** A third of a word, rounded down; the last has the rest. */
export interface Piece {
  /** Length of the word in characters, of one UTF-16 unit or two. */
  readonly length: number
  readonly place: 0 | 1 | 2
  readonly text: string
}

/**
 * Pieces of which every word that is at most `edits` away from `word` has one: so many edits cannot
 * touch one piece more than they are.
 *
 * There is always a first piece that is whole with exactly as many edits before it as there are
 * pieces before it, so it stands in `word` at most that far from where it stands in the other word;
 * and seen from the end, at most as far as the edits that are left.
 *
 * @see Li, Deng, Wang, Feng: Pass-Join, PVLDB 5(3), 2011, "multi-match-aware"
 */
export function piecesNear(word: string, edits: 1 | 2): readonly Piece[] {
  const characters = Array.from(word)
  const pieces: Piece[] = []
  const shortest = Math.max(1, characters.length - edits)
  for (let length = shortest; length <= characters.length + edits; length += 1) {
    for (const place of edits === 1 ? ([0, 1] as const) : ([0, 1, 2] as const)) {
      const texts = textsAt(characters, length, place, edits)
      for (const text of texts) pieces.push({ length, place, text })
    }
  }
  return pieces
}

/** The part of `characters` that may be the piece at `place` of a word of `length` characters. */
function textsAt(
  characters: readonly string[],
  length: number,
  place: Piece['place'],
  edits: number,
): ReadonlySet<string> {
  const third = Math.floor(length / 3)
  const size = place === 2 ? length - 2 * third : third
  const longer = characters.length - length
  const first = Math.max(-place, longer - (edits - place), -place * third)
  const last = Math.min(place, longer + (edits - place), characters.length - size - place * third)
  const texts = new Set<string>()
  for (let shift = first; shift <= last; shift += 1) {
    const start = place * third + shift
    texts.add(characters.slice(start, start + size).join(''))
  }
  return texts
}

/** True where `max` insertions, deletions and replacements of UTF-16 units turn `a` into `b`. */
export function isWithinEdits(a: string, b: string, max: number): boolean {
  if (Math.abs(a.length - b.length) > max) return false
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row += 1) {
    const current = nextRow(previous, a.charAt(row - 1), b, row)
    if (Math.min(...current) > max) return false
    previous = current
  }
  return (previous[b.length] ?? 0) <= max
}

function nextRow(previous: readonly number[], unit: string, b: string, row: number): number[] {
  const current = [row]
  for (let column = 1; column <= b.length; column += 1) {
    const replaced = (previous[column - 1] ?? 0) + (unit === b.charAt(column - 1) ? 0 : 1)
    const removed = (previous[column] ?? 0) + 1
    const added = (current[column - 1] ?? 0) + 1
    current.push(Math.min(replaced, removed, added))
  }
  return current
}
