import { advice } from './advice.ts'
import { UsageFailure } from './failure.ts'

const most = 64

/** What is worked on at once unless told otherwise. */
export const usualJobs = 8

/** Of small files the server writes together what comes together: a seventh less work than of 16. */
const jobsOfSmall = 32

/** On average; larger files are no longer small. Bytes. */
const smallBytes = 64 * 1024

/** `.option(...jobs('files sent at once'))`; the option's value is a number. */
export function jobs(what: string) {
  return ['--jobs <number>', what, parseJobs] as const
}

/** How many files to send or fetch at once where nobody has said it. */
export function suitingJobs({ files, bytes }: { files: number; bytes: number }): number {
  return bytes <= files * smallBytes ? jobsOfSmall : usualJobs
}

function parseJobs(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= 1 && number <= most) return number
  throw new UsageFailure({
    tried: `work on ${text} at once`,
    said: `--jobs is a number from 1 to ${most}, and not "${text}"`,
    next: advice.correctOption('--jobs'),
  })
}
