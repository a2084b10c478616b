import { hashSecret } from '../identity/secret.ts'
import { deviceCodeTtl } from './lifetimes.ts'

/** Seconds between two questions of a device whether it was approved. @see RFC 8628 §3.2 */
export const pollInterval = 5

/** A device may ask this much earlier: clocks and networks are not exact. Milliseconds. */
const toleranceMs = 500

/** A device that has not asked once by then has most likely been given up. */
const firstAskMs = 3 * pollInterval * 1000

const mostOfOneNetwork = 1000
const mostOfAll = 10_000

/** Times of a clock that is never set: with one that was set back, no sign-in would work. */
interface Pending {
  readonly network: string
  readonly sinceMs: number
  /** Undefined until the device asks for the first time. */
  readonly askedMs?: number
}

/**
 * The device codes that are not approved yet. There is always room for a new one: an
 * older code ends in its place, of the same network where that one has its share already.
 */
export class PendingDevices {
  /** By hash of the code, oldest first. */
  readonly #codes = new Map<string, Pending>()

  /** Answers the hash of the code that ends in place of the new one, if one does. */
  add(code: string, network: string): string | undefined {
    const now = performance.now()
    this.#forgetExpired(now)
    const all = [...this.#codes]
    const own = all.filter(([, pending]) => pending.network === network)
    const crowd = own.length >= mostOfOneNetwork ? own : all.length >= mostOfAll ? all : []
    const isGivenUp = ([, { askedMs, sinceMs }]: (typeof all)[number]): boolean =>
      askedMs === undefined && now - sinceMs > firstAskMs
    const ended = crowd.find(isGivenUp) ?? crowd[0]
    if (ended) this.#codes.delete(ended[0])
    this.#codes.set(hashSecret(code), { network, sinceMs: now })
    return ended?.[0]
  }

  /** Notes that the device asks; answers whether it asks too often. */
  ask(code: string): boolean {
    const key = hashSecret(code)
    const pending = this.#codes.get(key)
    if (!pending) return false
    const now = performance.now()
    this.#codes.set(key, { ...pending, askedMs: now })
    const { askedMs = -Infinity } = pending
    return now < askedMs + pollInterval * 1000 - toleranceMs
  }

  remove(code: string): void {
    this.#codes.delete(hashSecret(code))
  }

  #forgetExpired(now: number): void {
    for (const [hash, { sinceMs }] of this.#codes) {
      if (now - sinceMs < deviceCodeTtl * 1000) return
      this.#codes.delete(hash)
    }
  }
}
