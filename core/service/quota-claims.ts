import type { UserId } from '../access/caller.ts'

/** Room of a user beside all claims. */
interface FreeRoom {
  /** Bytes; without end for an administrator who adds to what another holds. */
  readonly left: number
  readonly refusal: () => Error
}

/** The claims of one user. */
interface Shared {
  readonly claims: Set<Claim>
  /** Bytes of the quota that neither a row nor a claim has. */
  left: number
}

interface Watch extends Disposable {
  readonly claims: ReadonlySet<Claim>
}

/** Bytes of quotas that requests hold while they write, before a row counts them. In memory. */
export class QuotaClaims {
  readonly #users = new Map<UserId, Shared>()
  readonly #watches = new Map<UserId, Set<Set<Claim>>>()

  /** The claims of a user, and those that are added until it is disposed of: also once they end. */
  watch(user: UserId): Watch {
    const claims = new Set(this.#users.get(user)?.claims)
    const watches = this.#watches.get(user) ?? new Set()
    this.#watches.set(user, watches.add(claims))
    return {
      claims,
      [Symbol.dispose]: () => {
        watches.delete(claims)
        if (watches.size === 0) this.#watches.delete(user)
      },
    }
  }

  /**
   * @param held bytes that need no further room
   * @param size bytes of them that no row counts
   */
  add(user: UserId, room: FreeRoom, held: number, size: number): Claim {
    const shared = this.#users.get(user) ?? { claims: new Set(), left: 0 }
    this.#users.set(user, shared)
    // An administrator needs no room; the owner's next claim sets `left` right.
    if (room.left === Infinity) shared.left -= size
    else shared.left = room.left - size
    const claim = new Claim(shared, room, { held, size }, () => {
      if (shared.claims.size === 0) this.#users.delete(user)
    })
    shared.claims.add(claim)
    for (const claims of this.#watches.get(user) ?? []) claims.add(claim)
    return claim
  }
}

/** Room in a quota that one request holds until it is disposed of. */
export class Claim implements Disposable {
  readonly #shared: Shared
  readonly #room: FreeRoom
  readonly #ended: () => void
  #held: number
  #taken = 0
  #size: number
  #isKept = false
  #settling: Promise<unknown> | undefined

  constructor(
    shared: Shared,
    room: FreeRoom,
    { held, size }: { readonly held: number; readonly size: number },
    ended: () => void,
  ) {
    this.#shared = shared
    this.#room = room
    this.#held = held
    this.#size = size
    this.#ended = ended
  }

  /** True once rows count its bytes. */
  get isKept(): boolean {
    return this.#isKept
  }

  /** Bytes that no row counts; those of one that has ended since it was watched may have one. */
  get size(): number {
    return this.#size
  }

  /** Ends with the change that makes rows count the bytes, while it is under way. */
  get settling(): Promise<unknown> | undefined {
    return this.#settling
  }

  /**
   * Makes room for bytes that arrive.
   *
   * @throws {DepositError} quota_exceeded
   */
  readonly take = (bytes: number): void => {
    const further = this.#taken + bytes - this.#held
    const isLimited = this.#room.left !== Infinity
    if (isLimited && further > 0 && further > this.#shared.left) throw this.#room.refusal()
    this.#taken += bytes
    if (further <= 0) return
    this.#shared.left -= further
    this.#held += further
    this.#size += further
  }

  /** Ends when `change` has made rows count the bytes. */
  async settle<Result>(change: Promise<Result>): Promise<Result> {
    this.#settling = change
    try {
      const result = await change
      this.#isKept = true
      this[Symbol.dispose]()
      return result
    } finally {
      this.#settling = undefined
    }
  }

  [Symbol.dispose](): void {
    if (!this.#shared.claims.delete(this)) return
    if (!this.#isKept) {
      this.#shared.left += this.#size
      this.#size = 0
    }
    this.#ended()
  }
}
