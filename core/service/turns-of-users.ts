import type { Caller } from '../access/caller.ts'
import { Turns } from '../base/turns.ts'

/**
 * Requests for work on large documents that run at once: each takes tens of milliseconds and
 * megabytes. Those of one user wait for each other, and seldom for others. None takes a turn within
 * its turn.
 */
export const costlyTurns = new Turns({ all: 8, each: 2 })

/** The name that a caller waits under: all who hold links to a deposit have one together. */
export function turnName(caller: Caller): string {
  if (typeof caller === 'string') return caller
  const { user, link, onlyDeposit } = caller
  return link && onlyDeposit !== undefined ? `links ${onlyDeposit}` : user
}
