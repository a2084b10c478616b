import { UsageFailure } from './failure.ts'

/** What is worked on at once unless told otherwise: more than a slow network or disk needs. */
const usual = 8

const most = 64

/** `.option(...jobs('files sent at once'))`; the option's value is a number. */
export function jobs(what: string) {
  return ['--jobs <number>', what, parseJobs, usual] as const
}

function parseJobs(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= 1 && number <= most) return number
  throw new UsageFailure({
    tried: `work on ${text} at once`,
    said: `--jobs is a number from 1 to ${most}, and not "${text}"`,
    next: `leave it out for ${usual}`,
  })
}
