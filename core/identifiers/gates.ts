import { later, type Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import type { Pause } from '../ports/identifiers.ts'
import type { Provider } from '../ports/provider.ts'

interface GateParts {
  readonly database: Database
  readonly clock: Clock
  readonly providers: readonly Provider[]
  /** Tells the operator, once, why nothing is sent any more. */
  readonly notice: (text: string) => void
}

/** An answer that a provider gives where it refuses all of ours, and where it refuses one. */
export interface Forbidden {
  readonly concept: string
  /** When the request began that it answered first, by the count of the process. Milliseconds. */
  readonly time: number
}

/** The longest time that an errand is put off; a time that is farther away is of a wrong clock. */
export const horizonMs = 24 * 60 * 60 * 1000

/** Time between two looks at our credentials, while they are refused. Milliseconds. */
const lookMs = 2000

/** A time that no worker would have set is of a wrong clock, and counts as past. */
export function isPast(time: string | undefined, now: string): boolean {
  return time !== undefined && (time <= now || time > later(now, horizonMs))
}

/** Which providers may be asked: neither the operator nor they themselves have us wait for others. */
export class Gates {
  readonly #parts: GateParts
  readonly #providers: ReadonlyMap<string, Provider>
  /** Until when a provider asks to wait, by the count of the process. Milliseconds. */
  readonly #waits = new Map<string, number>()
  readonly #noticed = new Map<string, string>()
  /** What our credentials were when they were refused. */
  readonly #refused = new Map<string, string>()
  /** When the last request began that a provider took, by the count of the process. Milliseconds. */
  readonly #taken = new Map<string, number>()
  /** What providers answered that they may refuse all of ours for, by identifier. */
  readonly #forbidden = new Map<string, Map<string, Forbidden>>()

  constructor(parts: GateParts) {
    this.#parts = parts
    this.#providers = new Map(parts.providers.map((provider) => [provider.name, provider]))
  }

  find(provider: string): Provider | undefined {
    return this.#providers.get(provider)
  }

  /** Names of the providers that may be asked now. */
  async open(): Promise<readonly string[]> {
    const waits = await this.#waitsNow()
    return [...waits].flatMap(([name, ms]) => (ms <= 0 ? [name] : []))
  }

  /** Milliseconds until one of them may be asked. */
  async rest(): Promise<number> {
    return Math.min(...(await this.#waitsNow()).values())
  }

  /** Has all identifiers of a provider wait. */
  wait(provider: string, ms: number): void {
    this.#waits.set(provider, performance.now() + ms)
  }

  /** @param start when the request began, by the count of the process */
  take(provider: string, value: string, start: number): void {
    this.#taken.set(provider, Math.max(start, this.#taken.get(provider) ?? 0))
    this.#forbidden.get(provider)?.delete(value)
  }

  /**
   * Judges an answer that a provider gives where it refuses all of ours, and where it refuses one. It
   * takes others since: it is one. It takes no other: it is all of them. The identifiers of the
   * versions of one concept say much the same, and count as one.
   */
  judge(provider: string, value: string, { concept, time }: Forbidden): 'one' | 'all' | 'unknown' {
    const since = this.#forbidden.get(provider) ?? new Map<string, Forbidden>()
    this.#forbidden.set(provider, since)
    const taken = this.#taken.get(provider) ?? -Infinity
    const first = since.get(value)?.time
    if (first !== undefined && taken > first) {
      since.delete(value)
      return 'one'
    }
    if (first === undefined) since.set(value, { concept, time })
    const isOther = (each: Forbidden): boolean => each.concept !== concept && taken < each.time
    return [...since.values()].some(isOther) ? 'all' : 'unknown'
  }

  /** What we sign in with, to be told from what it will be later; undefined where nobody knows. */
  async credentials(provider: string): Promise<string | undefined> {
    return this.#providers.get(provider)?.credentials?.()
  }

  /** @param credentials those that were refused */
  lock(provider: string, credentials: string | undefined): void {
    if (credentials !== undefined) this.#refused.set(provider, credentials)
  }

  async #waitsNow(): Promise<ReadonlyMap<string, number>> {
    const { database, clock } = this.#parts
    const pauses = new Map(
      (await database.read.identifiers.pauses()).map((pause) => [pause.provider, pause]),
    )
    const found = new Map<string, number>()
    for (const name of this.#providers.keys()) {
      const pause = pauses.get(name)
      this.#tell(name, pause?.message)
      const asked = (this.#waits.get(name) ?? -Infinity) - performance.now()
      found.set(name, Math.max(asked, await this.#pausedFor(name, pause, clock.now())))
    }
    return found
  }

  /** Milliseconds, none where the pause is over. */
  async #pausedFor(name: string, pause: Pause | undefined, now: string): Promise<number> {
    if (pause?.reason !== 'locked') this.#refused.delete(name)
    if (!pause || isPast(pause.until, now)) return 0
    if (pause.reason !== 'locked' || pause.until === undefined) return Infinity
    const credentials = await this.credentials(name)
    const left = Date.parse(pause.until) - Date.parse(now)
    if (credentials === undefined) return left
    const refused = this.#refused.get(name) ?? credentials
    this.#refused.set(name, refused)
    return refused === credentials ? Math.min(left, lookMs) : 0
  }

  #tell(provider: string, message: string | undefined): void {
    if (message === this.#noticed.get(provider)) return
    if (message === undefined) this.#noticed.delete(provider)
    else {
      this.#noticed.set(provider, message)
      this.#parts.notice(message)
    }
  }
}
