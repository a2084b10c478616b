import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import {
  lockLost,
  type LockOptions,
  type SharedLock,
  type SharedLocks,
} from '../../ports/shared-locks.ts'
import { createPool } from '../database/open-postgres.ts'
import { LockConnection, usualSigns, type SignsOfLife } from './lock-connection.ts'

/** Milliseconds that a request waits for a lock. */
const usualPatience = 30_000
/** Milliseconds after which one that waits tries again without having been told to. */
const pause = 250

/** One who has a lock, or waits for it. */
interface Asker extends LockOptions {
  readonly id: string
  readonly name: string
  /** Its question for the lock has been heard here: those heard later come after it. */
  isHeard: boolean
  isHolder: boolean
  /** Somebody waits for it to end. */
  isAwaited: boolean
  wake: () => void
}

/**
 * Locks of all daemons on one database: advisory locks of one session, so that the server gives them
 * back as soon as the connection of a daemon closes. It is made when the first lock is asked for.
 *
 * One who finds a lock taken tells all daemons. Who has it gives way, and so does who has waited
 * for it longer; then one who waits is told, and tries again. What is told may be lost, so it is also
 * tried again, and told again, after a pause.
 */
export class PostgresLocks implements SharedLocks, AsyncDisposable {
  readonly #pool: ReturnType<typeof createPool>
  readonly #askers = new Set<Asker>()
  #connection: Promise<LockConnection> | undefined

  readonly #patience: number
  readonly #signs: SignsOfLife

  /** @param patience milliseconds that a request waits for a lock */
  constructor(url: string, { patience = usualPatience, signs = usualSigns } = {}) {
    this.#patience = patience
    this.#signs = signs
    this.#pool = createPool(url, { connections: 1, isPipelined: true })
  }

  readonly take = async (name: string, options: LockOptions): Promise<SharedLock | undefined> => {
    const states = { isHeard: false, isHolder: false, isAwaited: false, wake: () => {} }
    const asker: Asker = { ...options, ...states, id: randomUUID(), name }
    this.#askers.add(asker)
    try {
      const connection = await this.#wait(asker)
      if (connection) return this.#lockOf(asker, connection)
    } catch (error) {
      this.#askers.delete(asker)
      throw error
    }
    this.#askers.delete(asker)
    return undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    connection?.close()
    await this.#pool.end()
  }

  /** Answers the connection that has the lock. */
  async #wait(asker: Asker): Promise<LockConnection | undefined> {
    const { id, name, signal } = asker
    const end = performance.now() + this.#patience
    for (let told = 'asks'; ; told = 'waits') {
      signal?.throwIfAborted()
      const { promise: isFree, resolve } = Promise.withResolvers<void>()
      asker.wake = resolve
      const connection = await this.#tryLock(asker)
      if (asker.isHolder) {
        if (asker.isAwaited) asker.giveWay()
        return connection
      }
      if (performance.now() >= end) return undefined
      await connection.tell(`${told} ${name} ${id}`)
      await Promise.race([isFree, setTimeout(pause, undefined, signal && { signal })])
    }
  }

  /** A connection that broke off while it was idle is replaced by another. */
  async #tryLock(asker: Asker): Promise<LockConnection> {
    for (let isSecond = false; ; isSecond = true) {
      const connection = await this.#connected()
      try {
        asker.isHolder = await connection.tryLock(asker.name)
        return connection
      } catch (error) {
        connection.close()
        if (isSecond) throw error
      }
    }
  }

  #connected(): Promise<LockConnection> {
    if (this.#connection) return this.#connection
    const forget = (): void => {
      if (this.#connection === opening) this.#connection = undefined
    }
    const closed = (): void => {
      forget()
      for (const { isHolder, lost } of this.#askers) if (isHolder) lost()
    }
    const heard = (message: string): void => this.#hear(message)
    const opening = LockConnection.open(this.#pool, { heard, closed }, this.#signs)
    this.#connection = opening
    opening.catch(forget)
    return opening
  }

  #lockOf(asker: Asker, connection: LockConnection): SharedLock {
    return {
      requireHeld: () => {
        if (!connection.isFresh) throw lockLost()
      },
      release: async () => {
        this.#askers.delete(asker)
        if (!connection.isOpen) return false
        try {
          const { name, isAwaited } = asker
          return await connection.unlock(name, isAwaited ? `free ${name}` : undefined)
        } catch {
          // A lock that cannot be given back would be this daemon's for ever.
          connection.close()
          return false
        }
      },
    }
  }

  #hear(message: string): void {
    const [told, name, from] = message.split(' ')
    for (const asker of this.#askers) {
      if (asker.name !== name) continue
      if (told === 'free') asker.wake()
      else if (asker.id === from) {
        // Who asked before gives way to this one.
        if (told === 'asks') Object.assign(asker, { isHeard: true, isAwaited: false })
      } else if (told === 'asks' || asker.isHolder) {
        asker.isAwaited = true
        if (asker.isHolder || asker.isHeard) asker.giveWay()
      }
    }
  }
}
