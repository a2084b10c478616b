import type { DepositBody } from '../../core/contract/schemas.ts'
import { absentFields, toJson, type JsonOption } from './json.ts'
import { paragraph } from './wrap.ts'
import { plain } from '../plain.ts'
import type { Streams } from './streams.ts'

interface PrintOptions {
  readonly json?: JsonOption
  readonly quiet?: true
}

interface Printed {
  /** What the server answered. */
  readonly body: unknown
  /** With `--quiet`: one a line. */
  readonly ids: readonly string[]
  /** Else, for a person or a pipe. */
  readonly lines: () => readonly string[]
}

/** Writes the result of a command in the form that was asked for. */
export function print(streams: Streams, options: PrintOptions, printed: Printed): void {
  if (options.json !== undefined) {
    for (const field of absentFields(printed.body, options.json))
      narrate(streams, options, `warning: there is no ${field} in the answer; null is printed`)
    streams.out(toJson(printed.body, options.json))
  } else for (const line of options.quiet ? printed.ids : printed.lines()) streams.out(line)
}

/** Tells what was done, where narration is wanted. */
export function narrate(streams: Streams, options: PrintOptions, line: string): void {
  if (!options.quiet) streams.note(paragraph(streams, plain(line)))
}

/** Told by a rehearsal where no server is configured and the local daemon does not run. */
export const notAsked = 'The server was not asked: the local daemon does not run'

/** A deposit as the result of a command that changed it: its id. */
export function printDeposit(streams: Streams, options: PrintOptions, body: DepositBody): void {
  print(streams, options, { body, ids: [body.id], lines: () => [body.id] })
}
