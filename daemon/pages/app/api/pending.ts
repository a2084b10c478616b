import type { Fault } from './http.ts'

/** Changes that the page has begun, and that the daemon has not answered yet. */
const pending = new Set<Promise<unknown>>()

/** Makes others wait for a change; see {@link settled}. */
export function track<T>(change: Promise<T>): Promise<T> {
  const ended = change
    .catch(() => undefined)
    .finally(() => {
      pending.delete(ended)
    })
  pending.add(ended)
  return change
}

/** Waits until all changes that were begun have ended, well or not. */
export async function settled(): Promise<void> {
  while (pending.size > 0) await Promise.all(pending)
}

const holds = new Set<() => readonly Fault[]>()

/** Names what the daemon does not know of, and what must be settled before publishing. */
export function holdUp(find: () => readonly Fault[]): () => void {
  holds.add(find)
  return () => void holds.delete(find)
}

/** All that {@link holdUp} names now. */
export function heldUp(): readonly Fault[] {
  return [...holds].flatMap((find) => find())
}
