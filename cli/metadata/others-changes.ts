import { isDeepStrictEqual } from 'node:util'
import { parsePointer, toPointer, valueAt } from '../../core/base/json.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { compareMetadata, type Change } from './change.ts'

/** A field that others have changed, too, to another value. @see RFC 6901 */
export interface Clash {
  readonly field: string
  readonly base: unknown
  readonly ours: unknown
  readonly theirs: unknown
}

interface Meeting {
  readonly clashes: readonly Clash[]
  /** Changes that the newer metadata do not have yet. */
  readonly left: readonly Change[]
  /** Fields that others have changed and these changes leave as they are. */
  readonly kept: readonly string[]
}

interface Sides {
  /** As they were read. */
  readonly before: Metadata
  /** With the changes. */
  readonly after: Metadata
  /** As others have saved them. */
  readonly now: Metadata
}

/** Compares changes with those that others have saved since the metadata were read. */
export function meetOthers(changes: readonly Change[], sides: Sides): Meeting {
  const others = othersChanges(sides)
  const ours = changes.map((change) => ({ change, field: fieldOf(change.path, sides) }))
  const met = others.filter((other) => ours.some(({ field }) => overlap(field, other)))
  const left = ours.filter(
    ({ field }) => !isDeepStrictEqual(valueAt(sides.after, field), valueAt(sides.now, field)),
  )
  return {
    clashes: clashesAt(met, sides),
    left: left.map(({ change }) => change),
    kept: others.filter((other) => !met.includes(other)).map(toPointer),
  }
}

/** As {@link meetOthers}, where all of the metadata are replaced. */
export function meetOthersWhole(sides: Sides): readonly Clash[] {
  return clashesAt(othersChanges(sides), sides)
}

function othersChanges(sides: Sides): readonly (readonly string[])[] {
  const paths = compareMetadata(sides.before, sides.now).map(({ path }) => parsePointer(path) ?? [])
  const fields = paths.map((path) => fieldOf(path, sides))
  return [...new Map(fields.map((field) => [toPointer(field), field])).values()]
}

/** Others have set the same value, or removed the same field: that is no clash. */
function clashesAt(fields: readonly (readonly string[])[], sides: Sides): readonly Clash[] {
  return fields.flatMap((path) => {
    const [base, ours, theirs] = [sides.before, sides.after, sides.now].map((one) =>
      valueAt(one, path),
    )
    if (isDeepStrictEqual(ours, theirs)) return []
    return [{ field: toPointer(path), base, ours, theirs }]
  })
}

/** A list is one field: the places of its elements move with others. */
function fieldOf(path: readonly string[], { before, after, now }: Sides): readonly string[] {
  const sides = [before, after, now]
  const inList = path.findIndex((_, at) =>
    sides.some((one) => Array.isArray(valueAt(one, path.slice(0, at)))),
  )
  return inList === -1 ? path : path.slice(0, inList)
}

/** Whether one is the other, or within it. */
function overlap(one: readonly string[], other: readonly string[]): boolean {
  return one.every((step, at) => at >= other.length || step === other[at])
}
