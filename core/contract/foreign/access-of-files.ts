import type { AccessLimit } from '../access-limits.ts'
import { isDay } from '../file-access.ts'
import { filled, type Foreign } from '../foreign-values.ts'

/**
 * The files stay closed until the last of the days that are named; without end where there is none, or
 * none that exists.
 *
 * @see Publication §7
 */
export function toAccess(limits: readonly AccessLimit[], reason?: string): Foreign {
  if (limits.length === 0) return {}
  const days = limits.flatMap(({ until }) => (isDay(until) ? until : []))
  const until = days.length === limits.length ? days.toSorted().at(-1) : undefined
  return { access: { files: 'restricted', ...filled({ until, reason }) } }
}
