/**
 * Name of the diagnostics channel on which a database tells of each commit, for those who count.
 *
 * @see node:diagnostics_channel
 */
export const commitChannel = 'deposit.database.commit'

/** What is told of a commit. */
export interface Commit {
  /** Units of work that shared it. */
  readonly units: number
}
