import { Random } from '../../faults/random.ts'

/**
 * How a request may go wrong. Work is done or not done, as named; where it is done, the client cannot
 * know it.
 *
 * | fault | work done | what the client sees |
 * |---|---|---|
 * | `error` | no | 500 or 503 in the service's own form |
 * | `tooMany` | no | 429 with `Retry-After` |
 * | `html` | no | 502 with a page of a proxy |
 * | `gatewayTimeout` | yes | 504 with a page of a proxy |
 * | `brokenJson` | yes | the usual status, half of the JSON |
 * | `lostAnswer` | yes | a closed connection |
 * | `cutRequest` | no | a closed connection when half of its body has arrived |
 * | `cutAnswer` | yes | a closed connection after half of the answer |
 * | `slow` | yes | the usual answer, late |
 * | `throttle` | yes | the usual answer; its own body is read slowly |
 * | `page` | yes | the usual status, with a page of HTML |
 */
export const faultKinds = [
  'error',
  'tooMany',
  'html',
  'gatewayTimeout',
  'brokenJson',
  'lostAnswer',
  'cutRequest',
  'cutAnswer',
  'slow',
  'throttle',
  'page',
] as const

export type FaultKind = (typeof faultKinds)[number]

export interface Faults {
  /** Same seed and same order of requests, same faults. 1 unless given. */
  readonly seed?: number
  /** Share of the requests, 0 to 1, that go wrong in each way; all together at most 1. */
  readonly shares?: Readonly<Partial<Record<FaultKind, number>>>
  /** What happens to the next requests, in order; then `shares` count. */
  readonly next?: readonly (FaultKind | 'none')[]
  /** Only requests like this go wrong, e.g. `/^PUT \/dois\//`; others are not counted. */
  readonly only?: RegExp | string
  /** Seconds of `Retry-After`; 1 unless given. */
  readonly retryAfter?: number
  /** Milliseconds that a slow answer takes longer; 300 unless given. */
  readonly delay?: number
  /** Bytes per second of a throttled request; 100,000 unless given. */
  readonly rate?: number
}

/** Decides what goes wrong with each request. */
export class FaultPlan {
  readonly faults: Faults
  readonly #random: Random
  readonly #only: RegExp
  #next: readonly (FaultKind | 'none')[]

  constructor(faults: Faults = {}) {
    this.faults = faults
    this.#random = new Random(faults.seed ?? 1)
    this.#only = new RegExp(faults.only ?? '')
    this.#next = faults.next ?? []
  }

  get retryAfter(): number {
    return this.faults.retryAfter ?? 1
  }

  get delay(): number {
    return this.faults.delay ?? 300
  }

  get rate(): number {
    return this.faults.rate ?? 100_000
  }

  /** @param request method and path with its query */
  choose(request: string): FaultKind | undefined {
    if (!this.#only.test(request)) return undefined
    const [planned, ...rest] = this.#next
    this.#next = rest
    if (planned !== undefined) return planned === 'none' ? undefined : planned
    let left = this.#random.fraction()
    return faultKinds.find((kind) => {
      left -= this.faults.shares?.[kind] ?? 0
      return left < 0
    })
  }

  /** One of the statuses of a service that is out of order. */
  errorStatus(): number {
    return this.#random.pick([500, 503]) ?? 500
  }
}
