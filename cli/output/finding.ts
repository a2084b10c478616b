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

/** A line for each warning; recommended fields that are missing share one. */
export function toWarnings(warnings: readonly Finding[]): readonly string[] {
  return shareLines(warnings).map((warning) => `warning: ${toLine(warning)}`)
}

/** As the server says it of one field. */
const missing = /^A record should have the field "([^"]+)"\.$/

/** The findings, those of missing fields in one where several have no place in a file. */
export function shareLines(findings: readonly Finding[]): readonly Finding[] {
  const names = findings.map(({ message, line }) =>
    line === undefined ? missing.exec(message)?.[1] : undefined,
  )
  const all = names.filter((name) => name !== undefined)
  if (all.length < 2) return findings
  const first = names.findIndex((name) => name !== undefined)
  const message = `A record should have these fields: ${all.join(', ')}.`
  return findings.flatMap((finding, at) => {
    if (names[at] === undefined) return [finding]
    return at === first ? [{ ...finding, field: '', message }] : []
  })
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
