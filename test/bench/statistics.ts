/** The middle one of `values`; of an even number the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** The lowest of `values` that this share of them does not exceed; NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** A point of a curve: both above 0. */
export interface Point {
  readonly x: number
  readonly y: number
}

/**
 * The power of x with which y grows, fitted to the upper half of the points by least squares of the
 * logarithms: in the lower half the fixed cost of a request hides the growth. NaN for fewer than two
 * points.
 */
export function growthExponent(points: readonly Point[]): number {
  const half = Math.max(2, Math.ceil(points.length / 2))
  const upper = points.toSorted((a, b) => a.x - b.x).slice(-half)
  const logs = upper.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }))
  const mean = { x: average(logs.map(({ x }) => x)), y: average(logs.map(({ y }) => y)) }
  const covariance = logs.reduce((sum, { x, y }) => sum + (x - mean.x) * (y - mean.y), 0)
  const variance = logs.reduce((sum, { x }) => sum + (x - mean.x) ** 2, 0)
  return covariance / variance
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
