import { problem } from '../../errors/errors.ts'
import { codeOf } from '../../base/errno.ts'

/**
 * The server does not answer, is going, or takes no writes, as a standby does: by its own codes and
 * by those of the system.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const unavailable =
  /^(?:08|57P0|53300|25P0[34]|25006|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)UNREACH)/
/** Messages of the driver that have no code. */
const brokenOff =
  /^(?:Connection terminated|Client (?:was|has)|timeout exceeded|Query read timeout|SASL: .*client password)/
/** Out of memory or of settings, a statement or a lock that took too long. */
const exhausted = /^(?:53200|53400|57014|55P03)/
/** A failing disk of the server, or damage that it found. */
const failed = /^(?:58030|XX00[12])/

/** Turns a failure of PostgreSQL into an error of the service; other errors are passed on. */
export function explainPostgresError(error: unknown): unknown {
  const code = codeOf(error)
  const text = code === '' && error instanceof Error ? error.message : ''
  if (unavailable.test(code) || brokenOff.test(text))
    return problem('storage_unavailable', { cause: error })
  if (exhausted.test(code)) return problem('overloaded', { cause: error })
  if (failed.test(code)) return problem('storage_failed', { cause: error })
  return code === '53100' ? problem('storage_full', { cause: error }) : error
}

/** Whether a unit failed because another ran at the same time: then it is run again. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error)
  return (
    code === '40001' ||
    code === '40P01' ||
    isTaken(error) ||
    isPlanStale(error) ||
    hasLostRoom(error)
  )
}

/** Whether a demand of a unit on rows of others no longer held at its end. */
export function hasLostRoom(error: unknown): boolean {
  return codeOf(error) === '22012'
}

/** Whether a prepared statement has other columns now: another program has migrated the tables. */
export function isPlanStale(error: unknown): boolean {
  return (
    codeOf(error) === '0A000' &&
    error instanceof Error &&
    'routine' in error &&
    error.routine === 'RevalidateCachedQuery'
  )
}

/**
 * Whether a unit found a row taken, and said so in its own words or in those of the server. It may
 * have been free when the unit looked.
 */
export function isTaken(error: unknown): boolean {
  return isUniqueViolation(error) || (error instanceof Error && isUniqueViolation(error.cause))
}

/** As SQLite and PostgreSQL name it. */
const names: ReadonlySet<string> = new Set(['SQLITE_CONSTRAINT_UNIQUE', '23505'])

/** Whether a row was refused because another has what must be unique, such as the key of a file. */
export function isUniqueViolation(error: unknown): boolean {
  return names.has(codeOf(error))
}
