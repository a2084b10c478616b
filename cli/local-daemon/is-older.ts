/** True when `one` came before `other`; what is no version of ours, did not. */
export function isOlder(one: string, other: string): boolean {
  const [first, second] = [parse(one), parse(other)]
  if (first === undefined || second === undefined) return false
  const at = first.findIndex((number, place) => number !== second[place])
  return at !== -1 && (first[at] ?? 0) < (second[at] ?? 0)
}

function parse(version: string): readonly number[] | undefined {
  const found = /^(\d+)\.(\d+)\.(\d+)$/.exec(version)
  return found?.slice(1).map(Number)
}
