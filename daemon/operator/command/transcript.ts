import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { FailureInDaemon, OperatorFailure } from './operator-failure.ts'
import type { ExitReason } from '../../start-failure.ts'
import type { Done, Told, Voice } from './operator-command.ts'

/** A line of what the daemon answers to a request for long work: JSON, one object a line. */
export type Line =
  | Told
  | ({ readonly kind: 'ending' } & Done)
  /** The status of the command is that of the reason, else 1. */
  | { readonly kind: 'failure'; readonly text: string; readonly reason?: ExitReason }
  /** Shows that work without news goes on. */
  | { readonly kind: 'alive' }

/**
 * Repeats what a daemon tells of the work it does.
 *
 * @throws {OperatorFailure} the work failed, or the daemon ended before it
 */
export async function repeat(lines: Readable, voice: Voice): Promise<Done> {
  for await (const text of createInterface(lines)) {
    const line = JSON.parse(text) as Line
    switch (line.kind) {
      case 'ending':
        return { ending: line.ending, data: line.data }
      case 'failure':
        throw new FailureInDaemon(line.text, line.reason)
      case 'alive':
        break
      case 'note':
      case 'result':
      case 'progress':
        voice.tell(line.kind, line.text)
    }
  }
  throw new OperatorFailure('The daemon stopped before the work was done.')
}
