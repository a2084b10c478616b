import type { Workshop } from './workshop.ts'
import type { Scale } from './scale.ts'

/** One figure of the service that is to stay below or above a bound. */
export interface Target {
  /** Number in the list of targets, with a letter where a number has several. */
  readonly id: string
  /** The figure that is measured. */
  readonly what: (scale: Scale) => string
  /** The figure it is divided by; undefined where the bound is in `unit`. */
  readonly against?: (scale: Scale) => string
  /** Of what is measured, and of what it is divided by. */
  readonly unit: Unit
  readonly reach: Reach
}

/** Seconds, milliseconds, a second, 10⁶ bytes. */
export type Unit = 's' | 'ms' | '/s' | 'MB'

export type Reach = { readonly atMost: number } | { readonly atLeast: number }

/** A measurement that one or more targets are judged by. */
export interface Measurement {
  readonly targets: readonly Target[]
  /** Why it cannot be made here; undefined where it can. */
  readonly obstacle: () => string | undefined
  /** A round is long and says much by itself: none is made to warm up, and a quick run makes one. */
  readonly isHeavy?: boolean
  /** Starts what the rounds need and leaves it to `stack` to end it. */
  readonly prepare: (workshop: Workshop, stack: AsyncDisposableStack) => Promise<MakeRound>
}

/** One figure for each target, by id: service and reference one after the other. */
export type MakeRound = () => Promise<Readonly<Record<string, Figure>>>

/** In the unit of the target. */
export interface Figure {
  readonly measured: number
  readonly reference?: number
}

/** The figure that is compared with the bound: a ratio where there is a reference. */
export function valueOf({ measured, reference }: Figure): number {
  return reference === undefined ? measured : measured / reference
}

export function isReached(value: number, reach: Reach): boolean {
  return 'atMost' in reach ? value <= reach.atMost : value >= reach.atLeast
}
