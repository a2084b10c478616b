import { describe, expect, it } from 'vitest'
import { growthExponent, median, percentile } from './statistics.ts'

describe('the median', () => {
  it('is the middle one, and the lower of two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 3, 2])).toBe(2)
    expect(median([])).toBeNaN()
  })
})

describe('a percentile', () => {
  it('is the lowest value that so many do not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1)
    expect(percentile(hundred, 0.99)).toBe(99)
    expect(percentile([...hundred, 1000], 0.99)).toBe(100)
    expect(percentile([7], 0.99)).toBe(7)
  })
})

describe('the exponent of growth', () => {
  it.for([0, 0.5, 1, 2])('is %s when the cost grows with that power', (power) => {
    const points = [1, 10, 100, 1000].map((x) => ({ x, y: 3 * x ** power }))
    expect(growthExponent(points)).toBeCloseTo(power, 10)
  })

  it('is that of large amounts when the fixed cost of a request hides it in small ones', () => {
    const points = [1, 10, 1e6, 1e7].map((x) => ({ x, y: 1000 + x }))
    expect(growthExponent(points)).toBeCloseTo(1, 1)
  })

  it('is not a number for a single point', () => {
    expect(growthExponent([{ x: 1, y: 1 }])).toBeNaN()
  })
})
