import type { DepositBody } from '../../core/contract/schemas.ts'
import { plainLines } from '../../core/base/plain.ts'
import { absentFields, pick, toJson, type JsonOption } from './json.ts'
import { plain } from '../plain.ts'
import type { Shape } from './shape.ts'
import type { Streams } from './streams.ts'

interface PrintOptions {
  readonly json?: JsonOption
  readonly quiet?: true
}

interface Printed {
  /** The answer of the server. */
  readonly body: unknown
  /** For `--quiet`: one on each line. */
  readonly ids: readonly string[]
  /** Otherwise, for a person or a pipe. */
  readonly lines: () => readonly string[]
}

/** Writes the result of a command as `--json`, `--quiet` or lines. */
export function print(streams: Streams, options: PrintOptions, printed: Printed): void {
  if (options.json !== undefined) {
    for (const field of absentFields(printed.body, options.json))
      narrate(streams, options, `warning: there is no ${field} in the answer; null is printed`)
    const shape = streams.shape()
    if (shape === undefined) streams.out(toJson(printed.body, options.json))
    else printShaped(streams, options, shape, pick(printed.body, options.json))
  } else for (const line of options.quiet ? printed.ids : printed.lines()) streams.out(line)
}

/** Text as it is, for a program; a terminal is not steered by it. */
function printShaped(streams: Streams, options: PrintOptions, shape: Shape, body: unknown): void {
  const { fields } = shape
  for (const field of fields.length === 0 ? [] : absentFields(body, fields.join(',')))
    narrate(streams, options, `warning: there is no ${field} in the answer; nothing is printed`)
  for (const text of shape.texts(body)) streams.out(streams.isOutTerminal ? plainLines(text) : text)
}

/** Notes what was done, unless `--quiet` or `--json`. */
export function narrate(streams: Streams, options: PrintOptions, line: string): void {
  if (!options.quiet) streams.note(paragraph(streams, plain(line)))
}

/**
 * The metadata and files of a dry run.
 *
 * @param would the change, as the object of "would"
 */
export function printPlan(
  streams: Streams,
  options: PrintOptions,
  metadata: unknown,
  planned: readonly { readonly key: string; readonly size: number }[],
  would: string,
): void {
  const ids = planned.map(({ key }) => key)
  const files = planned.map(({ key, size }) => ({ filename: key, filesize: size }))
  print(streams, options, { body: { would, metadata, files }, ids, lines: () => ids })
}

/** Note of a dry run when the local daemon does not run. */
export const notAsked = 'The server was not asked: the local daemon does not run'

/** A deposit as the result of a command that changed it: its id. */
export function printDeposit(streams: Streams, options: PrintOptions, body: DepositBody): void {
  print(streams, options, { body, ids: [body.id], lines: () => [body.id] })
}

/** A note, wrapped for a terminal; one line for a script. */
export function paragraph({ isWatched, noteColumns }: Streams, line: string): string {
  return isWatched ? wrap(line, noteColumns).join('\n') : line
}

/**
 * Wraps a paragraph to `columns` characters between words; lines after the first are indented by
 * `hanging` more. A longer word, such as an address, stays whole.
 */
export function wrap(text: string, columns: number, hanging = 2): readonly string[] {
  const [, margin = '', content = ''] = /^( *)(.*)$/s.exec(text) ?? []
  const lines: string[] = []
  let line = margin
  for (const word of content.split(' ')) {
    const isFull = line.trim() !== '' && line.length + 1 + word.length > columns
    if (isFull) lines.push(line)
    if (isFull) line = `${margin}${' '.repeat(hanging)}${word}`
    else line = line.trim() === '' ? line + word : `${line} ${word}`
  }
  return [...lines, line]
}
