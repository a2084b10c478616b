import { parseDuration } from '../core/base/amounts.ts'
import { advice } from './advice.ts'
import { UsageFailure } from './failure.ts'
import { parseScopes } from '../core/contract/scopes.ts'

const most = 64

/** Files at the same time, by default. */
const jobsForLarge = 8

/** The server stores small files that arrive together in one write: a seventh less work than with 16. */
const jobsForSmall = 32

/** Files of this size on average count as small. Bytes. */
const smallBytes = 64 * 1024

/** `.option(...jobs('files sent at once'))`; the value is a number. */
export function jobs(what: string) {
  return ['--jobs <number>', what, parseJobs] as const
}

/** Option of a command that transfers files: `.option(...progressForm)`; the value is `json`. */
export const progressForm = [
  '--progress <form>',
  'json: write progress, notes and errors to standard error as lines of JSON',
  parseForm,
] as const

function parseForm(text: string): 'json' {
  if (text === 'json') return text
  throw new UsageFailure({
    tried: 'use --progress',
    said: `it takes json, not "${text}"`,
    next: advice.correctOption('--progress'),
  })
}

/** Files to send or fetch at the same time without `--jobs`. */
export function jobsFor({ files, bytes }: { files: number; bytes: number }): number {
  return bytes <= files * smallBytes ? jobsForSmall : jobsForLarge
}

/** @throws {UsageFailure} it is not a number of transfers at once */
export function parseJobs(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= 1 && number <= most) return number
  throw new UsageFailure({
    tried: `work on ${text} at once`,
    said: `--jobs takes a number from 1 to ${most}, not "${text}"`,
    next: advice.correctOption('--jobs'),
  })
}

/**
 * The value of `--scope`: scopes with spaces or commas between. With none, or with `openid` alone,
 * the token can only read.
 *
 * @throws {UsageFailure} there is no such scope
 */
export function parseScope(given: string): string {
  const parsed = parseScopes(given.replaceAll(',', ' '))
  if ('scopes' in parsed) return parsed.scopes.join(' ')
  throw new UsageFailure({
    tried: 'ask for these scopes',
    said: `there is no scope "${parsed.unknown}"`,
    next: advice.nameScopes(),
  })
}

/**
 * Seconds of a duration such as `30d`, `12h`, `15m` or `90s`.
 *
 * @param option whose value it is
 * @param other what else it takes
 * @throws {UsageFailure} the text is no duration
 */
export function parseSeconds(option: string, text: string, other?: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined) return ms / 1000
  const duration = 'a duration such as 30d, 12h, 15m or 90s'
  throw new UsageFailure({
    tried: `understand ${option}`,
    said: `"${text}" is ${other === undefined ? `not ${duration}` : `neither ${duration}, nor ${other}`}`,
    next: advice.correctOption(option),
  })
}
