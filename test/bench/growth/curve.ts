import type { Origin } from '../origin.ts'
import type { Point } from '../statistics.ts'
import type { Workshop } from '../workshop.ts'

/** The growth of costs with an amount. */
export interface Curve {
  readonly title: string
  readonly x: Axis
  readonly y: Axis
  /** In the order of `x`. */
  readonly series: Readonly<Record<string, readonly Point[]>>
  readonly origin: Origin
}

export interface Axis {
  readonly label: string
  readonly unit: 'bytes' | 's' | '/s' | 'count'
}

/** Measures a curve. */
export interface Growth extends Pick<Curve, 'title' | 'x' | 'y'> {
  readonly id: string
  /** Why it cannot be measured here; undefined if it can. */
  readonly obstacle: () => string | undefined
  /** The measured amounts, in rising order. */
  readonly amounts: (workshop: Workshop) => readonly number[]
  /** Starts everything it needs, owned by `stack`. */
  readonly prepare: (workshop: Workshop, stack: AsyncDisposableStack) => Promise<MeasureAt>
}

/** The cost of the amount, in the unit of `y`, by the name of the series. */
export type MeasureAt = (amount: number) => Promise<Readonly<Record<string, number>>>
