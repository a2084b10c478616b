/** The amounts of a run. */
export interface Scale {
  readonly isQuick: boolean
  /** Number of rounds for the median. */
  readonly rounds: number
  /** Duration of a load in seconds. */
  readonly loadSeconds: number
  /** Bytes of the file that is sent and fetched. */
  readonly largeFile: number
  /** Bytes of the file for measurements of memory. */
  readonly hugeFile: number
  /** Files of one deposit. */
  readonly manyFiles: number
  /** Files of a record whose package begins soon. */
  readonly packagedFiles: number
  /** Deposits of all users. */
  readonly manyDeposits: number
  /** Deposits of all users in comparisons of many with few. */
  readonly fewerDeposits: number
  /** Deposits in the home of a daemon whose start is timed. */
  readonly depositsAtStart: number
  /** Records of a service that is harvested and searched. */
  readonly manyRecords: number
  /** Records of a service in a comparison of many with few. */
  readonly fewerRecords: number
  /** Rows of a table that is published. */
  readonly rows: number
}

/** The scale of the targets. */
export const whole: Scale = {
  isQuick: false,
  rounds: 5,
  loadSeconds: 3,
  largeFile: 2 ** 30,
  hugeFile: 8 * 2 ** 30,
  manyFiles: 10_000,
  packagedFiles: 100_000,
  manyDeposits: 1_000_000,
  fewerDeposits: 10_000,
  depositsAtStart: 100_000,
  manyRecords: 1_000_000,
  fewerRecords: 100_000,
  rows: 1000,
}

/** Under three minutes: enough to see the effect of a change. */
export const quick: Scale = {
  isQuick: true,
  rounds: 3,
  loadSeconds: 1,
  largeFile: 128 * 2 ** 20,
  hugeFile: 2 ** 30,
  manyFiles: 1000,
  packagedFiles: 5000,
  manyDeposits: 20_000,
  fewerDeposits: 5000,
  depositsAtStart: 10_000,
  manyRecords: 20_000,
  fewerRecords: 5000,
  rows: 200,
}

/** Deposits of the user who lists and searches. */
export const ownDeposits = 1000
