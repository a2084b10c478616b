import type { Deposit } from '../../deposit/deposit.ts'
import type { DepositId } from '../../pid/deposit-pid.ts'

/** Deposits remembered at most, and the length of their documents: some ten megabytes in all. */
const most = 500
const longest = 8 * 1024

/**
 * Deposits that were read, for as long as reads see the same rows. Whoever asks again gets the very
 * same object, so that what was made of it can be remembered with it.
 */
export class KnownDeposits {
  readonly #known = new Map<DepositId, Deposit>()
  readonly #view: () => object
  #seen: object | undefined

  /** @param view stands for what reads see; another object as soon as they may see anything else */
  constructor(view: () => object) {
    this.#view = view
  }

  /** The deposit, or what `read` finds. */
  async get(
    id: DepositId,
    read: () => Promise<{ readonly deposit: Deposit; readonly length: number } | undefined>,
  ): Promise<Deposit | undefined> {
    const view = this.#view()
    if (view !== this.#seen) this.#forget(view)
    const known = this.#known.get(id)
    if (known) return known
    const found = await read()
    // Where rows changed meanwhile, nobody knows which of them were read.
    if (found && found.length <= longest && view === this.#view()) this.#keep(found.deposit)
    return found?.deposit
  }

  #keep(deposit: Deposit): void {
    if (this.#known.size >= most) this.#known.clear()
    this.#known.set(deposit.id, deposit)
  }

  #forget(view: object): void {
    this.#seen = view
    this.#known.clear()
  }
}
