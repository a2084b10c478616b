import type { Axis } from './growth/curve.ts'
import type { Unit } from './target.ts'

/** A number of bytes as people write it. */
export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'] as const
  const power = Math.min(units.length - 1, Math.floor(Math.log2(count) / 10))
  return `${count / 1024 ** power} ${units[power]}`
}

/** A whole number with a comma between the thousands. */
export function thousands(count: number): string {
  return count.toLocaleString('en')
}

/** Three significant digits, and all digits before the point. */
export function round(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return thousands(Number(value.toFixed(Math.min(digits, 20))))
}

/** A number with its unit; small numbers of seconds in milliseconds. */
export function amount(value: number, unit: Unit | Axis['unit']): string {
  switch (unit) {
    case 'bytes':
      return bytes(value)
    case 'count':
      return thousands(value)
    case 's':
      return value < 1 ? `${round(value * 1000)} ms` : `${round(value)} s`
    case '/s':
      return `${round(value)}/s`
    case 'ms':
    case 'MB':
    case 'at once':
    case 'times':
      return `${round(value)} ${unit}`
  }
}
