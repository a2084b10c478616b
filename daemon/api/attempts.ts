import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  isProblem,
  problem,
  oldestAnswer,
  requireAnswerAllowed,
  sha256,
  type Beside,
  type Changed,
  type Deposit,
  type Parts,
  type Readers,
  type RememberedAnswer,
  type UnitOfWork,
  type User,
  type UserId,
} from '../../core/index.ts'
import type { Serializers } from '../config/serializers.ts'
import { moveLinks, type Answer } from './answer.ts'
import { idempotencyKey, KeyQueue } from './idempotency-keys.ts'
import { sendItem } from './send-list.ts'

/**
 * Makes the answer of a change from the deposit as it is saved and what else was made.
 *
 * @param rows of the change's own unit of work; as they are after it where no answer is kept
 */
type ToAnswer<Made, Rows = UnitOfWork> = (
  deposit: Deposit,
  rows: Rows,
  made: Made,
) => Answer | Promise<Answer>

/** Common to all changes that can be asked for more than once. */
interface Repeatable {
  /** Tells the request apart from others to the same address. */
  readonly content: string
  /** Set for a change that makes room: a full quota does not keep its answer from being stored. */
  readonly freesRoom?: true
  /** Writers of the answer by media type, if it is not JSON alone. */
  readonly serializers?: Serializers
}

/** A change of a deposit. */
interface Change<Made = unknown> extends Repeatable {
  /** Makes the change, and stores `beside` in the same unit of work. */
  readonly make: (beside: Beside<Made>) => Promise<unknown>
  readonly toAnswer: ToAnswer<Made>
}

/** Any other change. */
interface OtherChange extends Repeatable {
  /** Makes the change, and calls `answered` in its unit of work. */
  readonly run: (
    answered: (unit: UnitOfWork, toAnswer: () => Answer | Promise<Answer>) => Promise<void>,
  ) => Promise<unknown>
}

/** A change whose answer costs a unit of work much: it is made there only where it is to be kept. */
interface LateChange<Made> extends Omit<Repeatable, 'content'> {
  /** As of other changes, which is asked for only where there is a key. */
  readonly content: () => string
  /** Makes the change, and stores what is kept beside it in the same unit of work. */
  readonly make: (kept: { readonly beside?: Beside<Made> }) => Promise<Changed<Made>>
  readonly toAnswer: ToAnswer<Made, Pick<Readers, 'files' | 'pids' | 'identifiers'>>
}

/** One request for a change. Others with its key wait until it is disposed of. */
interface Attempt extends Disposable {
  /** True where the key has an answer already: nothing is to be changed. */
  readonly isRepeated: boolean
  /**
   * Makes the change and answers it, or gives the first answer again.
   *
   * @throws {DepositError} idempotency_key_reused: the key has an answer, to another request
   */
  readonly answer: <Made>(
    reply: FastifyReply,
    change: Change<Made> | OtherChange,
  ) => Promise<FastifyReply>
  /** The same without sending it: for an answer that names what was made, and is written from that. */
  readonly outcome: <Made>(
    reply: FastifyReply,
    change: Change<Made> | OtherChange,
  ) => Promise<Answer>
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
        ...answering((reply, change) =>
          this.#answer({ caller, request, reply, change: inUnit(change), key, known }),
        ),
        [Symbol.dispose]: () => turn[Symbol.dispose](),
      }
    } catch (error) {
      turn[Symbol.dispose]()
      throw error
    }
  }

  /** Makes and answers a change once; without a key, as often as it is asked for. */
  async answer<Made>(
    request: FastifyRequest,
    reply: FastifyReply,
    change: LateChange<Made>,
  ): Promise<FastifyReply> {
    if (idempotencyKey(request) === undefined) {
      const { deposit, answer: made } = await change.make({})
      const answer = await change.toAnswer(deposit, this.#parts.database.read, made)
      return sendAnswer(reply, answer, change.serializers)
    }
    using attempt = await this.begin(request)
    const make = (beside: Beside<Made>) => change.make({ beside })
    return await attempt.answer(reply, { ...change, content: change.content(), make })
  }

  /** True where the request has been answered before. */
  async isKnown(request: FastifyRequest): Promise<boolean> {
    const { caller } = request
    const key = idempotencyKey(request)
    if (key === undefined || caller === 'anonymous') return false
    return (await this.#find(caller.user, key)) !== undefined
  }

  async #find(
    user: UserId,
    key: string,
    { answers }: Pick<Readers, 'answers'> = this.#parts.database.read,
  ): Promise<RememberedAnswer | undefined> {
    const known = await answers.find(user, key)
    return known && known.created > oldestAnswer(this.#parts) ? known : undefined
  }

  async #answer({ known, ...keyed }: Keyed): Promise<Answer> {
    if (known) return this.#repeat(known, keyed)
    try {
      return await this.#answerFirst(keyed)
    } catch (error) {
      // Where another daemon was faster, the change may be refused because it is made already.
      const made =
        error instanceof AnsweredElsewhere
          ? error.known
          : isProblem(error) &&
            (await this.#find(keyed.caller.user, keyed.key).catch(() => undefined))
      if (!made) throw error
      return this.#repeat(made, keyed)
    }
  }

  /** @throws {AnsweredElsewhere} another daemon was faster; nothing is changed */
  async #answerFirst({ caller, request, change, key }: Request): Promise<Answer> {
    const { user } = caller
    const created = this.#parts.clock.now()
    return makeOnce(change, async (answer, unit) => {
      const known = await this.#find(user, key, unit)
      if (known) throw new AnsweredElsewhere(known)
      const text = JSON.stringify({ ...answer, origin: this.#parts.origin() })
      const bytes = Buffer.byteLength(text)
      const { freesRoom = false } = change
      await requireAnswerAllowed(this.#parts, unit, caller, { bytes, freesRoom })
      const description = descriptionOf(request, change)
      const kept = { user, key, request: description, answer: text, created }
      // Another daemon has answered since: a whole unit finds what.
      if (!(await unit.answers.put(kept, oldestAnswer(this.#parts)))) unit.requireWhole()
    })
  }

  /** @throws {DepositError} idempotency_key_reused: the answer is to another request */
  #repeat(known: RememberedAnswer, { request, reply, change }: Request): Answer {
    if (known.request !== descriptionOf(request, change)) throw problem('idempotency_key_reused')
    reply.header('idempotency-replayed', 'true')
    const { origin: before, ...answer } = JSON.parse(known.answer) as KeptAnswer
    const origin = this.#parts.origin()
    return before === undefined || before === origin ? answer : moveLinks(answer, before, origin)
  }
}

type KeptAnswer = Answer & {
  /** Of the service when it was given; older ones do not say. */
  readonly origin?: string
}

interface Request {
  readonly caller: User
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly change: OtherChange
  readonly key: string
}

interface Keyed extends Request {
  readonly known: RememberedAnswer | undefined
}

/** Undoes a change that another daemon has made and answered first. */
class AnsweredElsewhere extends Error {
  readonly known: RememberedAnswer

  constructor(known: RememberedAnswer) {
    super('answered by another daemon')
    this.known = known
  }
}

function descriptionOf({ method, url }: FastifyRequest, { content }: Repeatable): string {
  return sha256([method, url, content].join('\n'))
}

/** Both ways to answer, from the one that sends nothing. */
function answering(outcome: Attempt['outcome']): Pick<Attempt, 'answer' | 'outcome'> {
  return {
    outcome,
    answer: async (reply, change) =>
      sendAnswer(reply, await outcome(reply, change), change.serializers),
  }
}

const unkeyed: Attempt = {
  isRepeated: false,
  ...answering((_, change) => makeOnce(inUnit(change), async () => {})),
  [Symbol.dispose]: () => {},
}

/** The same, with its answer made in the unit of work of the change. */
function inUnit<Made>(change: Change<Made> | OtherChange): OtherChange {
  if ('run' in change) return change
  const { make, toAnswer } = change
  return {
    ...change,
    run: (answered) =>
      make({
        after: (unit, { deposit, answer }) => answered(unit, () => toAnswer(deposit, unit, answer)),
      }),
  }
}

/** @param keep stores the answer in the unit of work of the change */
async function makeOnce(
  { run }: OtherChange,
  keep: (answer: Answer, unit: UnitOfWork) => Promise<void>,
): Promise<Answer> {
  const answers: Answer[] = []
  await run(async (unit, toAnswer) => {
    const answer = await toAnswer()
    answers.push(answer)
    await keep(answer, unit)
  })
  // A unit of work may have been run more than once: the last time counts.
  const answer = answers.at(-1)
  if (!answer) throw new Error('a change was made outside of a unit of work')
  return answer
}

/** @param serializers where the answer can be sent as more than JSON */
function sendAnswer(
  reply: FastifyReply,
  { status, headers, body }: Answer,
  serializers?: Serializers,
): FastifyReply {
  reply.code(status).headers(headers)
  if (body === undefined) return reply.send()
  return serializers ? sendItem(reply, serializers, body) : reply.send(body)
}
