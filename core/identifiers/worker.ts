import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { plain } from '../base/plain.ts'
import { later, type Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import type {
  Errand,
  Horizon,
  IdentifierStatus,
  ProvidedIdentifier,
  Settled,
} from '../ports/identifiers.ts'
import type { Later, Locked, Outcome, Provider } from '../ports/provider.ts'
import { Gates, horizonMs, type Forbidden } from './gates.ts'
import { wantedOf, type Teller } from './wanted.ts'

export interface WorkerParts extends Teller {
  readonly database: Database
  readonly clock: Clock
  readonly providers: readonly Provider[]
  /** Called with failures of our own. */
  readonly report: (error: unknown) => void
  /** Tells the operator, once, why nothing is sent any more. */
  readonly notice: (text: string) => void
  /** Of the daemon, the same after each of its starts. Letters and digits. */
  readonly daemon: string
}

/** Times in milliseconds. */
export interface WorkerTimes {
  /** A worker that had an errand this long is gone. Longer than any request may take. */
  readonly leaseMs: number
  /** The first wait after a failure; each further one is twice as long. */
  readonly leastMs: number
  readonly mostMs: number
  /** What may have been carried out twice is sent once more after this time. */
  readonly settleMs: number
  /** Time until a provider that refuses our credentials is tried again. */
  readonly lockedMs: number
}

export const workerTimes: WorkerTimes = {
  leaseMs: 120_000,
  leastMs: 2000,
  mostMs: 6 * 60 * 60 * 1000,
  settleMs: 60_000,
  lockedMs: 5 * 60_000,
}

/** As the longest time, for what did not fail yet. Longer than a lease, and than the wait for the operator. */
const soonMs = 10 * 60_000

/** The longest that a provider has all of its identifiers wait by one answer. */
const longestWaitMs = 60 * 60_000

/** Errands of one worker at a time: twenty a second where each takes half a second. */
const atOnce = 10

/** Time between two looks for further errands, where there is room for them. Milliseconds. */
const lookMs = 250

/**
 * Brings to the providers what is wanted of identifiers, again and again until it is there. Any
 * number of workers may share the rows: each identifier is in the hands of one.
 */
export class IdentifierWorker {
  readonly #parts: WorkerParts
  readonly #times: WorkerTimes
  readonly #holder: string
  readonly #gates: Gates

  constructor(parts: WorkerParts, times: Partial<WorkerTimes> = {}) {
    this.#parts = parts
    this.#times = { ...workerTimes, ...times }
    this.#holder = `${parts.daemon}.${randomUUID()}`
    this.#gates = new Gates(parts)
  }

  /** Frees what this daemon had in its hands when it was killed: without others, what any had. */
  async begin(): Promise<void> {
    const { database, clock, daemon } = this.#parts
    const own = database.isShared ? [`${daemon}.`] : []
    await database.write(({ identifiers }) => identifiers.free(clock.now(), ...own))
  }

  /**
   * Carries out all errands that are due, also those that become so in the meantime; answers how many
   * there were. One that takes long keeps none of the others waiting.
   */
  async round(signal: AbortSignal): Promise<number> {
    const underway = new Map<string, Promise<void>>()
    try {
      for (let count = 0; ;) {
        const due = signal.aborted ? [] : await this.#due(underway)
        for (const value of due) {
          const ended = this.#carryOut(value, signal).finally(() => underway.delete(value))
          underway.set(value, ended)
        }
        count += due.length
        if (underway.size === 0) return count
        await oneOf(underway)
      }
    } finally {
      await Promise.all(underway.values())
    }
  }

  /** Identifiers that are due, as many as there is room for beside those underway. */
  async #due(underway: ReadonlyMap<string, unknown>): Promise<readonly string[]> {
    const { database, clock } = this.#parts
    const room = atOnce - underway.size
    const providers = room > 0 ? await this.#gates.open() : []
    if (providers.length === 0) return []
    const now = clock.now()
    // Some of those underway may not be taken yet.
    const asked = { now, ...horizonAt(now), providers, limit: atOnce }
    const due = await database.read.identifiers.due(asked)
    return due.filter((value) => !underway.has(value)).slice(0, room)
  }

  /** Milliseconds until an errand is due; undefined without any. */
  async rest(): Promise<number | undefined> {
    const { database, clock } = this.#parts
    const next = await database.read.identifiers.nextDue()
    if (next === undefined) return undefined
    const dueMs = Date.parse(next) - Date.parse(clock.now())
    return Math.max(0, dueMs, await this.#gates.rest())
  }

  async #carryOut(value: string, signal: AbortSignal): Promise<void> {
    try {
      const errand = await this.#take(value)
      if (!errand) return
      const credentials = await this.#gates.credentials(errand.identifier.provider)
      const outcome = inPlainWords(await this.#send(errand, signal))
      if (outcome.is === 'locked') this.#gates.lock(errand.identifier.provider, credentials)
      await this.#settle(errand, outcome)
    } catch (error) {
      // The errand is free again when its lease is over.
      if (!signal.aborted) this.#parts.report(error)
    }
  }

  async #take(value: string): Promise<Errand | undefined> {
    const { database, clock } = this.#parts
    return database.write((unit) => {
      const now = clock.now()
      const lease = { holder: this.#holder, now, until: later(now, this.#times.leaseMs) }
      return unit.identifiers.take(value, lease, horizonAt(now))
    })
  }

  async #send({ identifier }: Errand, signal: AbortSignal): Promise<Sent> {
    const provider = this.#gates.find(identifier.provider)
    if (!provider) return { is: 'later', message: `There is no provider ${identifier.provider}.` }
    // Read right before it is sent; any change of the rows from here on is a change of the errand.
    const wanted = await wantedOf(this.#parts.database.read, identifier, this.#parts)
    if (!wanted) return { is: 'done', status: 'reserved' }
    const limit = AbortSignal.timeout(this.#times.leaseMs / 2)
    const start = performance.now()
    try {
      const outcome = await provider.want(wanted, AbortSignal.any([signal, limit]))
      if (outcome.is === 'locked')
        return this.#judge(identifier, { concept: wanted.concept, time: start }, outcome)
      if (outcome.is !== 'done') return outcome
      this.#gates.take(provider.name, identifier.value, start)
      const status = wanted.description ? 'registered' : 'hidden'
      return { ...outcome, status }
    } catch (error) {
      if (signal.aborted) throw error
      const message = error instanceof Error ? error.message : String(error)
      return { is: 'later', message, isUnsure: true }
    }
  }

  /** One that is refused while others are taken keeps none of them waiting. */
  #judge({ provider, value }: ProvidedIdentifier, about: Forbidden, outcome: Locked): Sent {
    const { alone, message } = outcome
    const refused = alone ? this.#gates.judge(provider, value, about) : 'all'
    if (alone && refused === 'one') return alone
    return refused === 'all' ? outcome : { is: 'later', message }
  }

  async #settle(errand: Errand, outcome: Sent): Promise<void> {
    const { database, clock } = this.#parts
    const { identifier, change } = errand
    const { provider } = identifier
    if (outcome.is === 'later' && outcome.waitMs !== undefined) {
      const waitMs = Math.min(Math.max(outcome.waitMs, this.#times.leastMs), longestWaitMs)
      this.#gates.wait(provider, waitMs)
    }
    await database.write(async ({ identifiers }) => {
      const now = clock.now()
      const settled = { value: identifier.value, holder: this.#holder, change, now }
      await identifiers.settle({ ...settled, ...this.#ending(errand, outcome, now) })
      if (outcome.is === 'locked') {
        const until = later(now, this.#times.lockedMs)
        const { message } = outcome
        await identifiers.pause({ provider, reason: 'locked', message, since: now, until })
      } else if (outcome.is === 'done') await identifiers.resume(provider, 'locked')
    })
  }

  #ending(errand: Errand, outcome: Sent, now: string): Partial<Settled> {
    const { attempts, isUnsure } = errand
    switch (outcome.is) {
      case 'done': {
        const { status, resolves } = outcome
        const end = { status, ...(resolves && { resolves }) }
        if (!isUnsure) return end
        // An earlier request may arrive after this one: the last word must be the right one.
        const due = later(now, this.#times.settleMs)
        return { ...end, again: { due, attempts: 0, isUnsure: false } }
      }
      case 'refused': {
        const { message, field } = outcome
        return { status: 'refused', message, ...(field !== undefined && { field }) }
      }
      case 'locked': {
        // The provider is locked: it waits with all others, and goes on with them.
        const due = later(now, this.#times.leastMs)
        return { message: outcome.message, again: { due, attempts, isUnsure } }
      }
      case 'later': {
        const due = later(now, this.#waitAfter(attempts, outcome))
        const again = {
          due,
          attempts: attempts + 1,
          isUnsure: isUnsure || outcome.isUnsure === true,
        }
        return { message: outcome.message, again }
      }
    }
  }

  /** Twice as long after each failure, no two alike, so that not all come back at once. */
  #waitAfter(attempts: number, { waitMs = 0 }: Later): number {
    const { leastMs, mostMs } = this.#times
    const backoff = Math.min(mostMs, leastMs * 2 ** Math.min(attempts, 30))
    return Math.min(horizonMs, Math.max(waitMs, backoff) * (1 + Math.random() / 2)) - 1
  }
}

type Sent =
  | Exclude<Outcome, { is: 'done' }>
  | {
      readonly is: 'done'
      readonly resolves?: true
      readonly status: IdentifierStatus
    }

/** Characters of a message that are kept. */
const longestMessage = 500

/**
 * What a provider says is kept and shown to owners: on one line, without characters that control a
 * terminal or that no database takes, and not all of a page.
 */
function inPlainWords(outcome: Sent): Sent {
  if (outcome.is === 'done') return outcome
  const text = plain(outcome.message.toWellFormed())
  const message = text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text
  return { ...outcome, message: message.toWellFormed() }
}

/** Resolves when one of them has ended, or when there may be more to do beside them. */
async function oneOf(underway: ReadonlyMap<string, Promise<void>>): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  const looking =
    underway.size < atOnce ? [sleep(lookMs, undefined, { signal }).catch(() => {})] : []
  try {
    await Promise.race([...underway.values(), ...looking])
  } finally {
    over.abort()
  }
}

function horizonAt(now: string): Horizon {
  return { latest: later(now, horizonMs), soon: later(now, soonMs) }
}
