import { OperatorFailure } from './operator-failure.ts'

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Milliseconds of a duration such as `30d`, `12h`, `15m` or `90s`.
 *
 * @throws {OperatorFailure} it is none
 */
export function parseDuration(text: string): number {
  const found = /^(\d{1,6})([smhd])$/.exec(text)
  const unit = found?.[2]
  if (unit === 's' || unit === 'm' || unit === 'h' || unit === 'd') {
    return Number(found?.[1]) * unitMs[unit]
  }
  throw new OperatorFailure(`"${text}" is not a duration; write 30d, 12h or 15m.`)
}
