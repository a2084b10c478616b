import type { Steps } from '../base/turns.ts'
import type { Slot } from './align-elements.ts'

type SideName = 'ours' | 'theirs'

/** Elements that one side added behind a shared one; undefined stands for the start of the array. */
type Runs<Item> = ReadonlyMap<Item | undefined, readonly Item[]>

/**
 * The order of the merged elements: those that both sides have, in the order of the side that
 * changed it, and behind each of them what was added there. Undefined where both sides changed the
 * order differently.
 *
 * @param textOf decides which of two runs added at one place comes first
 */
export function* orderSlots<Item extends Slot>(
  slots: readonly Item[],
  textOf: (run: readonly Item[]) => string,
): Steps<readonly Item[] | undefined> {
  const shared = yield* orderOfShared(slots)
  if (!shared) return undefined
  yield
  const ours = addedRuns(slots, 'ours')
  yield
  const theirs = addedRuns(slots, 'theirs')
  yield
  return [undefined, ...shared].flatMap((slot) => [
    ...(slot ? [slot] : []),
    ...joinRuns(ours.get(slot) ?? [], theirs.get(slot) ?? [], textOf),
  ])
}

function* orderOfShared<Item extends Slot>(
  slots: readonly Item[],
): Steps<readonly Item[] | undefined> {
  const shared = slots.filter(isShared)
  const ours = inOrderOf(shared, 'ours')
  yield
  const theirs = inOrderOf(shared, 'theirs')
  if (areSame(ours, theirs)) return ours
  const areMoved = [ours, theirs].map((order) => !isRising(order.flatMap(({ base }) => base ?? [])))
  if (areMoved[0] === areMoved[1]) return undefined
  return areMoved[0] ? ours : theirs
}

function addedRuns<Item extends Slot>(slots: readonly Item[], side: SideName): Runs<Item> {
  const runs = new Map<Item | undefined, Item[]>()
  let behind: Item | undefined
  for (const slot of inOrderOf(slots, side)) {
    if (isShared(slot)) behind = slot
    if (isShared(slot) || slot.base !== undefined) continue
    const run = runs.get(behind)
    if (run) run.push(slot)
    else runs.set(behind, [slot])
  }
  return runs
}

function joinRuns<Item extends Slot>(
  ours: readonly Item[],
  theirs: readonly Item[],
  textOf: (run: readonly Item[]) => string,
): readonly Item[] {
  if (ours.length === 0 || theirs.length === 0) return [...ours, ...theirs]
  return isBefore(ours, theirs, textOf) ? [...ours, ...theirs] : [...theirs, ...ours]
}

/** Compares the texts of two runs, but makes no more of them than what decides. */
function isBefore<Item>(
  ours: readonly Item[],
  theirs: readonly Item[],
  textOf: (run: readonly Item[]) => string,
): boolean {
  const at = (run: readonly Item[], index: number): string => textOf(run.slice(index, index + 1))
  const length = Math.min(ours.length, theirs.length)
  let differs = 0
  while (differs < length && at(ours, differs) === at(theirs, differs)) differs += 1
  // One element before and one behind: a run may be the beginning of the other.
  const [from, to] = [Math.max(0, differs - 1), differs + 2]
  return textOf(ours.slice(from, to)) < textOf(theirs.slice(from, to))
}

function isShared(slot: Slot): boolean {
  return slot.ours !== undefined && slot.theirs !== undefined
}

function inOrderOf<Item extends Slot>(slots: readonly Item[], side: SideName): readonly Item[] {
  const present = slots.filter((slot) => slot[side] !== undefined)
  return present.toSorted((one, other) => (one[side] ?? 0) - (other[side] ?? 0))
}

function areSame(one: readonly Slot[], other: readonly Slot[]): boolean {
  return one.every((slot, index) => slot === other[index])
}

function isRising(indexes: readonly number[]): boolean {
  return indexes.every((index, place) => place === 0 || index > (indexes[place - 1] ?? 0))
}
