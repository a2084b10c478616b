import type { PersistentIdentifier, PidName, PidStatus } from '../pid/deposit-pid.ts'

export interface PidReader {
  readonly find: (name: PidName) => Promise<PersistentIdentifier | undefined>
}

export interface PidWriter extends PidReader {
  readonly insert: (...pids: readonly PersistentIdentifier[]) => Promise<void>
  /**
   * @param now set where harvesters are to hear of it: the record was last changed then. ISO 8601,
   *   UTC
   */
  readonly setStatus: (name: PidName, status: PidStatus, now?: string) => Promise<void>
  /**
   * Lets `name` lead to `target` from now on (status `M`). The record it stood for was last changed
   * then, so that harvesters hear of it.
   *
   * @param now ISO 8601, UTC
   */
  readonly redirect: (name: PidName, target: PidName, now: string) => Promise<void>
}
