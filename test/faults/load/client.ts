import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from '../../support/http.ts'
import type { User } from '../../support/user.ts'
import { acknowledged, type Known, type Operation } from './operation.ts'

/** A client that waits longer gives up, as people do, without knowing the outcome of its request. */
const patienceMs = 20_000

export interface Work {
  /** Each client then finishes the request it has begun. */
  readonly isOver?: () => boolean
  /** Answers after this time are dropped: a request without one may have taken effect. */
  readonly isCut?: () => boolean
  /** Each client waits for this before its next request; no wait by default. */
  readonly pause?: () => Promise<void>
}

const never = (): boolean => false
const atOnce = async (): Promise<void> => {}

/** Chooses the next operation of a client on its deposits; undefined ends its work. */
export type Planner = (deposits: readonly Known[]) => Operation | undefined

/** A client that remembers the promises of the service. */
export class Client {
  readonly #plan: Planner
  readonly #deposits = new Map<string, Known>()
  readonly #touched = new Set<string>()
  /** Acknowledged so far. */
  acknowledged = 0
  /** The request that was under way when the service went away: done or not done, never half. */
  pending: Operation | undefined
  /** The last answer that was not an acknowledgement; undefined if there was none. */
  refusal: Reply | undefined
  /** Whether it gave up waiting; a closed connection does not count. */
  isTired = false
  /** Answers that no valid request may get. */
  readonly surprises: string[] = []

  constructor(plan: Planner) {
    this.#plan = plan
  }

  get deposits(): readonly Known[] {
    return [...this.#deposits.values()]
  }

  /** Those with requests since they were last compared. */
  get touched(): readonly Known[] {
    return this.deposits.filter(({ id }) => this.#touched.has(id))
  }

  /** Sends one request after another until one is not acknowledged, or all are sent. */
  async work(
    user: User,
    { isOver = never, isCut = never, pause = atOnce }: Work = {},
  ): Promise<void> {
    while (!isOver()) {
      const operation = this.#plan(this.deposits)
      if (!operation) return
      if (operation.target) this.#touched.add(operation.target.id)
      this.pending = operation
      const began = performance.now()
      const reply = await answerTo(operation, user)
      this.isTired = performance.now() - began >= patienceMs
      if (isCut()) return
      if (reply?.status !== operation.status) {
        this.refusal = reply
        this.#note(operation, reply)
        return
      }
      this.pending = undefined
      this.acknowledged += 1
      this.#remember(acknowledged(operation, reply))
      await pause()
    }
  }

  /** Makes the client expect the state that was found. */
  settle(found: readonly Known[]): void {
    for (const known of found) this.#deposits.set(known.id, known)
    this.#touched.clear()
    this.pending = undefined
    this.refusal = undefined
  }

  #remember(known: Known): void {
    this.#deposits.set(known.id, known)
    this.#touched.add(known.id)
  }

  /** A failing service answers with a status of its own; any other answer is a surprise. */
  #note({ name, target }: Operation, reply: Reply | undefined): void {
    if (!reply || reply.status >= 500) return
    const said = reply.bytes.toString().slice(0, 300)
    this.surprises.push(`${name} ${target?.id ?? ''}: ${reply.status} ${said}`)
  }
}

async function answerTo({ send }: Operation, user: User): Promise<Reply | undefined> {
  const patience = new AbortController()
  try {
    const late = sleep(patienceMs, undefined, { signal: patience.signal, ref: false })
    return await Promise.race([send(user).catch(() => undefined), late.catch(() => undefined)])
  } finally {
    patience.abort()
  }
}
