import type { Workshop } from './workshop.ts'
import type { Scale } from './scale.ts'

/** One figure of the service that must stay below or above a bound. */
export interface Target {
  /** Number in the list of targets, with a letter where a number has several. */
  readonly id: string
  /** The measured figure. */
  readonly what: (scale: Scale) => string
  /** The figure it is divided by; undefined if the bound is in `unit`. */
  readonly against?: (scale: Scale) => string
  /** The unit of the measured figure, and of the one it is divided by. */
  readonly unit: Unit
  readonly reach: Reach
}

/** Seconds, milliseconds, a second, 10⁶ bytes, a number of things at the same time, or of events. */
export type Unit = 's' | 'ms' | '/s' | 'MB' | 'at once' | 'times'

export type Reach = { readonly atMost: number } | { readonly atLeast: number }

/** A measurement for one or more targets. */
export interface Measurement {
  readonly targets: readonly Target[]
  /** Why it cannot be made here; undefined if it can. */
  readonly obstacle: () => string | undefined
  /** A round is long and meaningful by itself: no round is a warm-up, and a quick run makes one. */
  readonly isHeavy?: boolean
  /** Rounds of a whole run, where the usual number would take an hour. */
  readonly rounds?: number
  /** Starts everything the rounds need, owned by `stack`. */
  readonly prepare: (workshop: Workshop, stack: AsyncDisposableStack) => Promise<MakeRound>
}

/** One figure for each target, by id: service and reference one after the other. */
export type MakeRound = () => Promise<Readonly<Record<string, Figure>>>

/** In the unit of the target. */
export interface Figure {
  readonly measured: number
  readonly reference?: number
}

/** The figure that is compared with the bound: a ratio if there is a reference. */
export function valueOf({ measured, reference }: Figure): number {
  return reference === undefined ? measured : measured / reference
}

export function isReached(value: number, reach: Reach): boolean {
  return 'atMost' in reach ? value <= reach.atMost : value >= reach.atLeast
}
