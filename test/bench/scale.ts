/** The amounts of a run. */
export interface Scale {
  readonly isQuick: boolean
  /** Rounds that the median is taken of. */
  readonly rounds: number
  /** Seconds that a load lasts. */
  readonly loadSeconds: number
  /** Bytes of the file that is sent and fetched. */
  readonly largeFile: number
  /** Bytes of the file that memory is watched with. */
  readonly hugeFile: number
  /** Files of one deposit. */
  readonly manyFiles: number
  /** Deposits of all users. */
  readonly manyDeposits: number
  /** Deposits of all users where many of them are compared with fewer of them. */
  readonly fewerDeposits: number
  /** Deposits in the home of a daemon whose start is timed. */
  readonly depositsAtStart: number
}

/** The scale that the targets are stated for. */
export const whole: Scale = {
  isQuick: false,
  rounds: 5,
  loadSeconds: 3,
  largeFile: 2 ** 30,
  hugeFile: 8 * 2 ** 30,
  manyFiles: 10_000,
  manyDeposits: 1_000_000,
  fewerDeposits: 10_000,
  depositsAtStart: 100_000,
}

/** Under three minutes: enough to see what a change did. */
export const quick: Scale = {
  isQuick: true,
  rounds: 3,
  loadSeconds: 1,
  largeFile: 128 * 2 ** 20,
  hugeFile: 2 ** 30,
  manyFiles: 1000,
  manyDeposits: 20_000,
  fewerDeposits: 5000,
  depositsAtStart: 10_000,
}

/** Deposits of the user who lists and searches. */
export const ownDeposits = 1000
