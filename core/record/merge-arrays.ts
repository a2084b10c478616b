import { pieceSize, type Steps } from '../base/turns.ts'
import { canonicalJson } from '../json/canonical.ts'
import type { Conflict } from '../errors/errors.ts'
import { childPointer, type Json } from '../base/json.ts'
import { alignElements, type Slot } from './align-elements.ts'
import { orderSlots } from './order-slots.ts'

/** A value on one side of a merge; undefined where the side has none. */
export type Side = Json | undefined

/** One place of the three documents. */
export interface ThreeWay<Value = Side> {
  /** JSON pointer. */
  readonly at: string
  readonly base: Value
  readonly ours: Value
  readonly theirs: Value
}

/** Merges one place; pushes what it cannot merge. */
export type MergeValues = (sides: ThreeWay, conflicts: Conflict[]) => Steps<Side>

type ArraySides = ThreeWay<readonly Json[]>
type MergedSlot = Slot & { readonly value: Side }

/**
 * Brings together what two sides made of the same array.
 *
 * Elements are told apart as {@link alignElements} says. One that a side added or removed is added
 * or removed; one that both kept is merged in itself; one that a side removed and the other changed
 * is a conflict. A new order of one side is kept; two different new orders are a conflict. Elements
 * that both add at one place come in the order of their canonical text, for both sides alike.
 *
 * The pointer of a conflict counts elements as the base does; an element that both sides added is
 * counted where it came first.
 */
export function* mergeArrays(
  sides: ArraySides,
  mergeValues: MergeValues,
  conflicts: Conflict[],
): Steps<readonly Json[]> {
  const slots: MergedSlot[] = []
  for (const slot of yield* alignElements(sides.base, sides.ours, sides.theirs)) {
    if (slots.length % pieceSize === pieceSize - 1) yield
    const value = yield* mergeValues(toPlace(slot, sides), conflicts)
    slots.push({ ...slot, value })
  }
  const order = yield* orderSlots(slots, (run) =>
    canonicalJson(run.map(({ value }) => value ?? null)),
  )
  if (order) return order.flatMap(({ value }) => (value === undefined ? [] : [value]))
  conflicts.push(orderConflict(sides))
  return sides.ours
}

function toPlace(slot: Slot, { at, base, ours, theirs }: ArraySides): ThreeWay {
  const index = slot.base ?? Math.min(slot.ours ?? Infinity, slot.theirs ?? Infinity)
  return {
    at: childPointer(at, index),
    base: elementAt(base, slot.base),
    ours: elementAt(ours, slot.ours),
    theirs: elementAt(theirs, slot.theirs),
  }
}

function elementAt(array: readonly Json[], index: number | undefined): Side {
  return index === undefined ? undefined : array[index]
}

function orderConflict({ at, base, ours, theirs }: ArraySides): Conflict {
  const message = 'The draft and the record ordered the elements differently.'
  return { field: at, message, base, ours, theirs }
}
