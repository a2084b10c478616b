import { plain } from '../plain.ts'

/** An error or a warning about a deposit. */
export interface Finding {
  /** JSON pointer into the metadata, or the name of a file; empty for the whole. */
  readonly field: string
  readonly message: string
  /** The user's file that has it. */
  readonly file?: string
  /** Of a conflict: the value when the edit began, in the draft, and in the record now. */
  readonly base?: unknown
  readonly ours?: unknown
  readonly theirs?: unknown
  /** Both from 1. */
  readonly line?: number
  readonly column?: number
}

export interface Findings {
  /** Reasons why publishing would be refused. */
  readonly errors: readonly Finding[]
  readonly warnings: readonly Finding[]
}

/** `metadata.yaml:3:10: /title: Title must be text.`, as compilers write it and editors read it. */
export function toLine(finding: Finding): string {
  const { file, line, column } = finding
  const place = [file, line, column].filter((part) => part !== undefined).join(':')
  return [place, faultLine(finding)]
    .filter((part) => part !== '')
    .map(plain)
    .join(': ')
}

/** A warning as a line. */
export function toWarning(finding: Finding): string {
  return `warning: ${toLine(finding)}`
}

/** Characters of a value in a line; `--json` has the whole. */
const shownLength = 200

interface ShownFault {
  readonly field: string
  readonly message: string
  /** Of a conflict: the value when the edit began, in the draft, and in the record now. */
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
