import { count } from '../output/units.ts'

/** What was left out of a folder, in one line; undefined where nothing was. */
export function describeIgnored(ignored: readonly string[]): string | undefined {
  if (ignored.length === 0) return undefined
  const shown = ignored.slice(0, 5).join(', ')
  const more = ignored.length > 5 ? ', …' : ''
  return `Left out ${count(ignored.length, 'hidden or ignored name')}: ${shown}${more}`
}
