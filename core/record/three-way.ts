import type { Json } from '../json/json.ts'

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
