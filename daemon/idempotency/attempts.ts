import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  answersKeptMs,
  IdempotencyKeyReused,
  sha256,
  type Beside,
  type Parts,
  type RememberedAnswer,
  type UserId,
} from '../../core/index.ts'
import type { Serializers } from '../serializers/by-media-type.ts'
import { sendAnswer, type Answer, type ToAnswer } from './answer.ts'
import { idempotencyKey } from './idempotency-key.ts'
import { KeyQueue } from './key-queue.ts'

/** A change that can be asked for more than once and is made once. */
export interface Change {
  /** Whatever tells the request apart from others to the same address. */
  readonly content: string
  /** Makes the change, and stores `beside` in the same unit of work. */
  readonly make: (beside: Beside) => Promise<unknown>
  readonly toAnswer: ToAnswer
  /** What the answer can be sent as, where that is more than JSON. */
  readonly serializers?: Serializers
}

/** One request for a change. Others with its key wait until it is disposed of. */
export interface Attempt extends Disposable {
  /** True where the key has an answer already: nothing is to be changed. */
  readonly isRepeated: boolean
  /**
   * Makes the change and answers it, or gives the first answer again.
   *
   * @throws {IdempotencyKeyReused} the key has an answer, to another request
   */
  readonly answer: (reply: FastifyReply, change: Change) => Promise<FastifyReply>
}

/**
 * Makes requests with an `Idempotency-Key` safe to repeat: the answer is stored in the same unit of
 * work as the change, so one is there exactly when the other is.
 */
export class Attempts {
  readonly #parts: Parts
  readonly #queue = new KeyQueue()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async begin(request: FastifyRequest): Promise<Attempt> {
    const { caller } = request
    const key = idempotencyKey(request)
    if (key === undefined || caller === 'anonymous') return unkeyed
    const turn = await this.#queue.take(JSON.stringify([caller.user, key]))
    try {
      const known = await this.#find(caller.user, key)
      return {
        isRepeated: known !== undefined,
        answer: (reply, change) => this.#answer({ request, reply, change, key, known }),
        [Symbol.dispose]: () => turn[Symbol.dispose](),
      }
    } catch (error) {
      turn[Symbol.dispose]()
      throw error
    }
  }

  /** True where the request has been answered before. */
  async isKnown(request: FastifyRequest): Promise<boolean> {
    const { caller } = request
    const key = idempotencyKey(request)
    if (key === undefined || caller === 'anonymous') return false
    return (await this.#find(caller.user, key)) !== undefined
  }

  async #find(user: UserId, key: string): Promise<RememberedAnswer | undefined> {
    const { clock, database } = this.#parts
    const known = await database.read.answers.find(user, key)
    const age = known ? Date.parse(clock.now()) - Date.parse(known.created) : Infinity
    return age < answersKeptMs ? known : undefined
  }

  async #answer({ request, reply, change, key, known }: Keyed): Promise<FastifyReply> {
    const { method, url, caller } = request
    const description = sha256([method, url, change.content].join('\n'))
    if (!known) {
      const created = this.#parts.clock.now()
      return makeAndSend(reply, change, async (answer, unit) => {
        if (caller === 'anonymous') return
        const text = JSON.stringify(answer)
        await unit.answers.put({
          user: caller.user,
          key,
          request: description,
          answer: text,
          created,
        })
      })
    }
    if (known.request !== description) throw new IdempotencyKeyReused()
    reply.header('idempotency-replayed', 'true')
    return sendAnswer(reply, JSON.parse(known.answer) as Answer, change.serializers)
  }
}

interface Keyed {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly change: Change
  readonly key: string
  readonly known: RememberedAnswer | undefined
}

type Unit = Parameters<NonNullable<Beside['after']>>[0]

const unkeyed: Attempt = {
  isRepeated: false,
  answer: (reply, change) => makeAndSend(reply, change, async () => {}),
  [Symbol.dispose]: () => {},
}

/** @param keep stores the answer in the unit of work of the change */
async function makeAndSend(
  reply: FastifyReply,
  { make, toAnswer, serializers }: Change,
  keep: (answer: Answer, unit: Unit) => Promise<void>,
): Promise<FastifyReply> {
  const answers: Answer[] = []
  await make({
    after: async (unit, { deposit }) => {
      const answer = await toAnswer(deposit, unit)
      answers.push(answer)
      await keep(answer, unit)
    },
  })
  // A unit of work may have been run more than once: the last time counts.
  const answer = answers.at(-1)
  if (!answer) throw new Error('a change was made outside of a unit of work')
  return sendAnswer(reply, answer, serializers)
}
