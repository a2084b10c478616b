import { problem } from '../errors/errors.ts'

/** A lock that no other daemon has. */
export interface SharedLock {
  /**
   * Asked before what the lock guards is changed.
   *
   * @throws {DepositError} storage_unavailable: the lock may have been lost, and another may have it
   */
  readonly requireHeld: () => void
  /** Gives the lock back; answers whether it was held until now. */
  readonly release: () => Promise<boolean>
}

export interface LockOptions {
  /** Called when a later request, at another daemon, waits for the lock. */
  readonly giveWay: () => void
  /** Called when the lock may have been lost; it must still be released. */
  readonly lost: () => void
  /** Ends the wait. */
  readonly signal?: AbortSignal
}

/** Locks that all daemons on the same rows share. A daemon that dies gives its locks back. */
export interface SharedLocks {
  /**
   * Waits for the lock `name`, and asks its holder to give way. A process must not ask for one
   * that it has.
   *
   * @returns undefined where it was not given back in time
   * @throws {DepositError} storage_unavailable
   * @throws what `signal` was aborted with
   */
  readonly take: (name: string, options: LockOptions) => Promise<SharedLock | undefined>
}

/** The connection that has the locks broke off, or was silent for long. */
export function lockLost(): Error {
  return problem('storage_unavailable', { message: broken })
}

const broken =
  'The connection broke off that keeps other daemons from this upload. Ask with HEAD how much of it ' +
  'has arrived, and send the rest.'
