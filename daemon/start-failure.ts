import type { Advice } from './advice.ts'

/**
 * Exit statuses of `depositd`: those of sysexits.h.
 *
 * @see sysexits(3)
 */
export const exitStatus = {
  done: 0,
  failed: 1,
  usage: 64,
  /** The data was made by a newer program, or is damaged. */
  data: 65,
  /** There is no home, or no rows, where a command expects them. */
  no_input: 66,
  /** A port is taken, or another service is missing. */
  unavailable: 69,
  /** A bug. */
  software: 70,
  cannot_create: 73,
  io: 74,
  /** Another daemon has the home. */
  busy: 75,
  no_permission: 77,
  config: 78,
} as const

export type ExitReason = keyof typeof exitStatus

/** A command of `depositd` cannot go on; the message is the one line its user sees. */
export class StartFailure extends Error {
  readonly reason: ExitReason
  readonly next: Advice | undefined

  constructor(
    reason: ExitReason,
    said: string,
    { next, ...options }: ErrorOptions & { readonly next?: Advice } = {},
  ) {
    super(next === undefined ? said : `${said} ${next}`, options)
    this.name = 'StartFailure'
    this.reason = reason
    this.next = next
  }
}
