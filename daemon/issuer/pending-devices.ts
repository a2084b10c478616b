import { hashSecret } from '../identity/secret.ts'
import { deviceCodeTtl } from './lifetimes.ts'

/** Seconds between two questions of a device whether it was approved. @see RFC 8628 §3.2 */
export const pollInterval = 5

/** How much earlier than that a device may ask: clocks and networks are not that exact. */
const toleranceMs = 500

const mostOfOneAddress = 10
const mostOfAll = 100

/** Times are of a clock that nobody sets: else one that was set back would let nobody sign in. */
interface Pending {
  readonly from: string
  readonly expiresMs: number
  readonly askedMs: number
}

/** The device codes that nobody has approved yet: how many there are, and when each last asked. */
export class PendingDevices {
  readonly #codes = new Map<string, Pending>()

  /** False where there are as many already as there may be, in all or from one address. */
  hasRoomFor(from: string): boolean {
    const now = performance.now()
    for (const [code, { expiresMs }] of this.#codes) if (expiresMs < now) this.#codes.delete(code)
    if (this.#codes.size >= mostOfAll) return false
    const itsOwn = [...this.#codes.values()].filter((pending) => pending.from === from)
    return itsOwn.length < mostOfOneAddress
  }

  add(code: string, from: string): void {
    this.#codes.set(hashSecret(code), {
      from,
      expiresMs: performance.now() + deviceCodeTtl * 1000,
      askedMs: -Infinity,
    })
  }

  /** Notes that the device asks; answers whether it asks too often. */
  ask(code: string): boolean {
    const key = hashSecret(code)
    const pending = this.#codes.get(key)
    if (!pending) return false
    const now = performance.now()
    this.#codes.set(key, { ...pending, askedMs: now })
    const soonest = pending.askedMs + pollInterval * 1000 - toleranceMs
    return now < soonest
  }

  remove(code: string): void {
    this.#codes.delete(hashSecret(code))
  }
}
