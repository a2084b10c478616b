import type { Caller } from '../access/caller.ts'
import { Turns } from '../base/turns.ts'
import { textOfLong } from '../deposit/document.ts'

/**
 * Rehearsals and patches of large documents that run at once: each takes tens of milliseconds and
 * megabytes. Those of one user wait for each other, and seldom for others.
 */
const large = new Turns({ all: 8, each: 2 })

/** The name that a caller waits under: all who hold links to a deposit have one together. */
export function turnName(caller: Caller): string {
  if (typeof caller === 'string') return caller
  const { user, link, onlyDeposit } = caller
  return link && onlyDeposit !== undefined ? `links ${onlyDeposit}` : user
}

/** A turn of the caller for costly work, which takes no other one within it. */
export function takeTurn(caller: Caller): Promise<Disposable> {
  return large.take(turnName(caller))
}

/** As {@link takeTurn}, for work on the document of `item`; undefined, at once, where it is not large. */
export async function takeTurnIfLarge(
  caller: Caller,
  item: object,
): Promise<Disposable | undefined> {
  return textOfLong(item) === undefined ? undefined : takeTurn(caller)
}
