import type { Bench } from './bench.ts'

/** One figure of the service beside a reference, taken in the same run on the same machine. */
export interface Target {
  /** Number in the list of ratios to reach. */
  readonly id: string
  /** What is measured, and against what. */
  readonly what: string
  /** The ratio to reach. */
  readonly reach: { readonly atMost: number } | { readonly atLeast: number }
  /** Why it cannot be measured here; undefined where it can. */
  readonly obstacle: () => string | undefined
  /** One round: the service and its reference, one after the other. */
  readonly round: (bench: Bench) => Promise<Round>
}

/** Both in the same unit: seconds, or requests a second. */
export interface Round {
  readonly measured: number
  readonly reference: number
}

/** The middle one of `values`; of an even number the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}

export function isReached(ratio: number, reach: Target['reach']): boolean {
  return 'atMost' in reach ? ratio <= reach.atMost : ratio >= reach.atLeast
}
