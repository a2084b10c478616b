import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  isProblem,
  problem,
  oldestAnswer,
  requireAnswerAllowed,
  sha256,
  wrongField,
  newBlobId,
  StagedBlob,
  type Beside,
  type Deposit,
  type Parts,
  type Readers,
  type RememberedAnswer,
  type UnitOfWork,
  type User,
  type UserId,
  type BundledFile,
  type StagedBundle,
} from '../../core/index.ts'
import type { Serializers } from '../config/serializers.ts'
import { sendAs } from '../http/negotiation.ts'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'

/** An answer as a whole, so that it can be kept and given again. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body: object
}

/**
 * Makes the answer of a change from the deposit as it is saved and what else was made, inside the
 * change's own unit.
 */
type ToAnswer<Made = unknown> = (
  deposit: Deposit,
  unit: UnitOfWork,
  made: Made,
) => Answer | Promise<Answer>

/** A change that can be asked for more than once and is made once. */
interface Change<Made = unknown> {
  /** Tells the request apart from others to the same address. */
  readonly content: string
  /** Makes the change, and stores `beside` in the same unit of work. */
  readonly make: (beside: Beside<Made>) => Promise<unknown>
  readonly toAnswer: ToAnswer<Made>
  /** Set for a change that makes room: a full quota does not keep its answer from being stored. */
  readonly freesRoom?: true
  /** Writers of the answer by media type, if it is not JSON alone. */
  readonly serializers?: Serializers
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
  readonly answer: <Made>(reply: FastifyReply, change: Change<Made>) => Promise<FastifyReply>
  /** The same without sending it: for an answer that names what was made, and is written from that. */
  readonly outcome: <Made>(reply: FastifyReply, change: Change<Made>) => Promise<Answer>
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
          this.#answer({ caller, request, reply, change, key, known }),
        ),
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

  async #find(
    user: UserId,
    key: string,
    { answers }: Pick<Readers, 'answers'> = this.#parts.database.read,
  ): Promise<RememberedAnswer | undefined> {
    const known = await answers.find(user, key)
    return known && known.created > oldestAnswer(this.#parts) ? known : undefined
  }

  async #answer<Made>({ known, ...keyed }: Keyed<Made>): Promise<Answer> {
    if (known) return repeat(known, keyed)
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
      return repeat(made, keyed)
    }
  }

  /** @throws {AnsweredElsewhere} another daemon was faster; nothing is changed */
  async #answerFirst<Made>({ caller, request, change, key }: Request<Made>): Promise<Answer> {
    const { user } = caller
    const created = this.#parts.clock.now()
    return makeOnce(change, async (answer, unit) => {
      const known = await this.#find(user, key, unit)
      if (known) throw new AnsweredElsewhere(known)
      const text = JSON.stringify(answer)
      const bytes = Buffer.byteLength(text)
      const { freesRoom = false } = change
      await requireAnswerAllowed(this.#parts, unit, caller, { bytes, freesRoom })
      const description = descriptionOf(request, change)
      const kept = { user, key, request: description, answer: text, created }
      // Another daemon has answered since: a whole unit finds what.
      if (!(await unit.answers.put(kept, oldestAnswer(this.#parts)))) unit.requireWhole()
    })
  }
}

interface Request<Made> {
  readonly caller: User
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly change: Change<Made>
  readonly key: string
}

interface Keyed<Made> extends Request<Made> {
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

/** @throws {DepositError} idempotency_key_reused: the answer is to another request */
function repeat<Made>(known: RememberedAnswer, { request, reply, change }: Request<Made>): Answer {
  if (known.request !== descriptionOf(request, change)) throw problem('idempotency_key_reused')
  reply.header('idempotency-replayed', 'true')
  return JSON.parse(known.answer) as Answer
}

function descriptionOf(
  { method, url }: FastifyRequest,
  { content }: Pick<Change, 'content'>,
): string {
  return sha256([method, url, content].join('\n'))
}

type Unit = Parameters<NonNullable<Beside['after']>>[0]

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
  ...answering((_, change) => makeOnce(change, async () => {})),
  [Symbol.dispose]: () => {},
}

/** @param keep stores the answer in the unit of work of the change */
async function makeOnce<Made>(
  { make, toAnswer }: Change<Made>,
  keep: (answer: Answer, unit: Unit) => Promise<void>,
): Promise<Answer> {
  const answers: Answer[] = []
  await make({
    after: async (unit, { deposit, answer: made }) => {
      const answer = await toAnswer(deposit, unit, made)
      answers.push(answer)
      await keep(answer, unit)
    },
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
  return serializers ? sendAs(reply, serializers, body) : reply.send(body)
}

/**
 * The key under which a client may repeat a request; undefined where it gives none.
 *
 * @throws {DepositError} malformed_request: it is empty, too long, or not printable ASCII
 * @see draft-ietf-httpapi-idempotency-key-header
 */
function idempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  const reason = 'A key has 1 to 255 printable ASCII characters and no spaces.'
  throw wrongField('malformed_request', 'Idempotency-Key', reason)
}

/** Lets those who hold the same key go one after another. */
class KeyQueue {
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

/** Reads bytes that were stored before, only to tell whether they are the same. */
export async function measureOnly(bytes: Readable): Promise<StagedBlob> {
  const sha256 = createHash('sha256')
  const md5 = createHash('md5')
  let size = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    size += chunk.length
    sha256.update(chunk)
    md5.update(chunk)
  }
  const digests = { md5: md5.digest('hex') }
  const blob = { id: newBlobId(), size, sha256: sha256.digest('hex'), digests }
  return new StagedBlob(blob, async () => {})
}

/** As {@link measureOnly}, of several files. */
export async function measureBundle(bundle: readonly BundledFile[]): Promise<StagedBundle> {
  const measuring = bundle.map(async ({ key, name, bytes }) => ({
    key,
    name,
    staged: await measureOnly(Readable.from([bytes])),
  }))
  return { files: await Promise.all(measuring), [Symbol.asyncDispose]: async () => {} }
}

/** The identity of a file: its key, its size and its digest. */
export function fileContent(key: string, { blob }: StagedBlob): string {
  return [key, blob.size, blob.sha256].join('\n')
}
