/** Most characters of a value that a line shows; `--json` has the whole. */
const shownLength = 200

interface ShownFault {
  readonly field: string
  readonly message: string
  /** Of a conflict: the value as the edit began, in the draft, and in the record now. */
  readonly base?: unknown
  readonly ours?: unknown
  readonly theirs?: unknown
}

/** `/title: The draft and the record changed this differently (before: "a"; yours: "b"; theirs: "c").` */
export function faultLine(fault: ShownFault): string {
  const { field, message } = fault
  const said = isConflict(fault) ? `${message.replace(/\.$/, '')} (${sidesOf(fault)}).` : message
  return field ? `${field}: ${said}` : said
}

function isConflict(fault: ShownFault): boolean {
  return 'base' in fault || 'ours' in fault || 'theirs' in fault
}

function sidesOf({ base, ours, theirs }: ShownFault): string {
  return `before: ${shown(base)}; yours: ${shown(ours)}; theirs: ${shown(theirs)}`
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text
}
