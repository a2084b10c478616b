import { faultLine } from './fault-line.ts'
import { plain } from '../plain.ts'

/** Something to know about a deposit before it is published. */
export interface Finding {
  /** JSON pointer into the metadata, or the name of a file; empty for the whole. */
  readonly field: string
  readonly message: string
  /** The user's own file where it stands. */
  readonly file?: string
  /** Of a conflict: as the edit began, in the draft, in the record. */
  readonly base?: unknown
  readonly ours?: unknown
  readonly theirs?: unknown
  /** Both from 1. */
  readonly line?: number
  readonly column?: number
}

export interface Findings {
  /** All that stands in the way of publishing. */
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

/** A finding that stops nothing. */
export function toWarning(finding: Finding): string {
  return `warning: ${toLine(finding)}`
}
