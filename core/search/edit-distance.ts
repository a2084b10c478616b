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
