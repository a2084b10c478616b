import type { Steps } from '../base/turns.ts'
import type { Json } from '../base/json.ts'
import { matchElements } from './match-elements.ts'

/** One element through the three arrays: its index in each that has it. */
export interface Slot {
  readonly base: number | undefined
  readonly ours: number | undefined
  readonly theirs: number | undefined
}

/**
 * Finds which elements of three arrays are the same one. Every element is in exactly one slot.
 *
 * Strings are the same when they are equal, so that lists of keywords behave as sets do; numbers
 * and the like are told apart by their position while all lengths are equal, so that coordinates
 * stay coordinates. Objects are matched by {@link matchElements}.
 */
export function* alignElements(
  base: readonly Json[],
  ours: readonly Json[],
  theirs: readonly Json[],
): Steps<readonly Slot[]> {
  if (isTuple(base, ours, theirs)) {
    return base.map((_, index) => ({ base: index, ours: index, theirs: index }))
  }
  const baseOfOurs = yield* matchElements(base, ours)
  const baseOfTheirs = yield* matchElements(base, theirs)
  const kept = keptElements(base, baseOfOurs, baseOfTheirs)
  yield
  const added = yield* addedElements(unmatched(ours, baseOfOurs), unmatched(theirs, baseOfTheirs))
  return [...kept, ...added]
}

/** Index in one array → index in the other. */
type Matches = ReadonlyMap<number, number>

interface Added {
  readonly elements: readonly Json[]
  /** Index of each in its whole array. */
  readonly indexes: readonly number[]
}

function isTuple(...arrays: readonly (readonly Json[])[]): boolean {
  const lengths = new Set(arrays.map((array) => array.length))
  const elements = arrays.flat(1)
  const areScalars = elements.every((element) => typeof element !== 'object' || element === null)
  return lengths.size === 1 && areScalars && elements.some((element) => typeof element !== 'string')
}

function keptElements(base: readonly Json[], ours: Matches, theirs: Matches): readonly Slot[] {
  const oursOfBase = inverted(ours)
  const theirsOfBase = inverted(theirs)
  return base.map((_, index) => ({
    base: index,
    ours: oursOfBase.get(index),
    theirs: theirsOfBase.get(index),
  }))
}

function* addedElements(ours: Added, theirs: Added): Steps<readonly Slot[]> {
  const matches = yield* matchElements(ours.elements, theirs.elements, { byPosition: false })
  const theirsOfOurs = inverted(matches)
  const fromOurs = ours.indexes.map((index, place) => {
    const partner = theirsOfOurs.get(place)
    const inTheirs = partner === undefined ? undefined : theirs.indexes[partner]
    return { base: undefined, ours: index, theirs: inTheirs }
  })
  const fromTheirs = theirs.indexes.flatMap((index, place) =>
    matches.has(place) ? [] : [{ base: undefined, ours: undefined, theirs: index }],
  )
  return [...fromOurs, ...fromTheirs]
}

function unmatched(array: readonly Json[], matches: Matches): Added {
  const indexes = [...array.keys()].filter((index) => !matches.has(index))
  return { indexes, elements: indexes.map((index) => array[index] ?? null) }
}

function inverted(matches: Matches): Matches {
  const backwards = new Map<number, number>()
  for (const [from, to] of matches) backwards.set(to, from)
  return backwards
}
