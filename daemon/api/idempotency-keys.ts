import type { FastifyRequest } from 'fastify'
import { wrongField } from '../../core/index.ts'

/**
 * The key under which a client may repeat a request; undefined where it gives none.
 *
 * @throws {DepositError} malformed_request: it is empty, too long, or not printable ASCII
 * @see draft-ietf-httpapi-idempotency-key-header
 */
export function idempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  const reason = 'A key has 1 to 255 printable ASCII characters and no spaces.'
  throw wrongField('malformed_request', 'Idempotency-Key', reason)
}

/** Lets those who hold the same key go one after another. */
export class KeyQueue {
  readonly #last = new Map<string, Promise<void>>()

  /** Answers when everyone who came before with this key has disposed of their turn. */
  async take(key: string): Promise<Disposable> {
    const before = this.#last.get(key)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last.set(key, promise)
    await before
    return {
      [Symbol.dispose]: () => {
        if (this.#last.get(key) === promise) this.#last.delete(key)
        resolve()
      },
    }
  }
}

/** The parts of a route that tell whether it honors a key. */
interface KeyedRoute {
  readonly headers?: object
  readonly tag: string
  readonly isForeign?: true
  readonly isIdempotent?: true
}

/**
 * Whether a client could rely on an `Idempotency-Key` that the route does not honor. A repeated PUT or
 * DELETE changes no more than the first one; tus has offsets; other services' clients send no keys.
 */
export function mayRelyOnKey(method: string, route: KeyedRoute): boolean {
  const { headers = {}, tag, isForeign, isIdempotent } = route
  const isRepeated = (method === 'POST' || method === 'PATCH') && !isIdempotent
  return isRepeated && !Object.hasOwn(headers, 'idempotency-key') && tag !== 'uploads' && !isForeign
}

/**
 * Refuses a key where no answer is kept: who sends one relies on it.
 *
 * @throws {DepositError} malformed_request
 */
export function refuseKey({ headers }: FastifyRequest): void {
  if (headers['idempotency-key'] === undefined) return
  const reason = 'This request makes its change each time it is sent: leave the key out.'
  throw wrongField('malformed_request', 'Idempotency-Key', reason)
}
