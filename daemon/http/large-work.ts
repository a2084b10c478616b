import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { giveWay, Turns, whenThereIsTime } from '../../core/base/turns.ts'
import { costlyTurns, problem, turnName } from '../../core/index.ts'
import { networkOf } from './authenticate.ts'
import { whenGone } from './connections.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** False where the route takes the body from the connection itself, or not at all. */
    isBodyParsed: boolean
    /** Absent where the body is small. */
    largeBody: LargeWork | undefined
    /** Absent where no large document is answered with. */
    largeAnswer: LargeWork | undefined
  }
}

/** Bytes up to which a body is read at once. */
const mostSmall = 64 * 1024

/** Large bodies that are read, parsed and answered at once: of one user, and in all. */
const mostBodies = { each: 4, all: 16 }

/** Requests of one user that wait, at most: each holds a connection, and nothing more. */
const mostWaiting = 100

/** Seconds after which a refused request may be sent again. */
const retryAfter = 5

/**
 * Bounds the memory for bodies that are parsed whole: a megabyte of JSON takes many of objects. A large
 * one is read when it is the turn of its user, and parsed when there is one for all; small ones wait for
 * nothing. So a user who sends slowly does not keep others waiting.
 *
 * Called before the client is asked for a body that it announces by `Expect`.
 */
export function takeLargeTurns(app: FastifyInstance): void {
  const reading = new Turns({ all: Infinity, each: mostBodies.each })
  const working = new Turns(mostBodies)
  app.decorateRequest('isBodyParsed', true)
  app.decorateRequest('largeBody', undefined)
  app.decorateRequest('largeAnswer', undefined)
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!isLarge(request)) {
      done(null, payload)
      return undefined
    }
    const name = turnNameOf(request)
    if (reading.waiting(name).own >= mostWaiting) {
      const message = `${mostWaiting + mostBodies.each} large requests of yours are under way. Send the next when one of them is answered.`
      done(problem('too_many_requests', { message, retryAfter }))
      return undefined
    }
    const body = new LargeWork(name, reading, working)
    request.largeBody = body
    reply.raw.once('close', body.end)
    return body.begin().then(() => payload)
  })
  app.addHook('onSend', ({ largeBody, largeAnswer }, _reply, payload, done) => {
    largeBody?.endWork()
    largeAnswer?.endWork()
    done(null, payload)
  })
}

/** Deposits that are read at once for the requests of one user. */
const reading = new Turns({ all: Infinity, each: 4 })

/** Time after which the reading of a deposit was long: a large one may take ten milliseconds. */
const longMs = 2

/**
 * The turn of a request to read a deposit, whose size is not known yet. A long turn lasts until others
 * have had theirs: so a thousand requests of one user that come together do not keep them waiting.
 *
 * @param onWait called before it waits: it forgets what was read ahead
 * @throws {DepositError} broken_upload: the client is gone
 */
export async function takeTurnToRead(
  request: FastifyRequest,
  reply: FastifyReply,
  onWait?: () => void,
): Promise<Disposable> {
  const name = turnNameOf(request)
  if (reading.isFree(name)) return untilOthersHadTheirs(await reading.take(name))
  onWait?.()
  using held = new DisposableStack()
  const turn = held.use(untilOthersHadTheirs(await reading.take(name, whenGone(reply))))
  await giveWay()
  await request.callAgain?.()
  held.move()
  return turn
}

/** A turn that, if it was long, ends when all have begun that have come meanwhile. */
function untilOthersHadTheirs(turn: Disposable): Disposable {
  const begin = performance.now()
  return {
    [Symbol.dispose]: () => {
      if (performance.now() - begin < longMs) turn[Symbol.dispose]()
      else whenThereIsTime(() => turn[Symbol.dispose]())
    },
  }
}

/**
 * Large answers of one user that are under way: made, and not yet read by the client. Each takes a
 * megabyte.
 */
const sending = new Turns({ all: Infinity, each: 50 })

/** Large answers, or pieces of them, that are made: a user who asks for many has one at a time. */
const making = new Turns({ all: 4, each: 1 })

/**
 * The cost of an answer with a large document: `text` where it is sent as it is stored, `work` where it
 * is parsed, checked or written differently.
 */
export type Cost = 'text' | 'work'

/**
 * Waits for the turn of a request that is answered with a large document, and gives way to the small
 * requests that have come meanwhile. The turn ends when the answer is made.
 *
 * @param onWait called before it waits for others: it forgets the document, which is to be read again
 */
export async function waitForTurn(
  request: FastifyRequest,
  reply: FastifyReply,
  cost: Cost,
  onWait?: () => void,
): Promise<void> {
  if (request.largeAnswer) return
  const turns = [sending, cost === 'text' ? making : costlyTurns] as const
  const answer = largeAnswer(request, reply, ...turns)
  const { mustWait } = answer
  if (mustWait) onWait?.()
  await answer.begin()
  await answer.work()
  await giveWay()
  if (mustWait) await request.callAgain?.()
}

/** Long lists of one user that are sent: each has a piece of some megabytes in memory. */
const listing = new Turns({ all: Infinity, each: 8 })

/**
 * Waits until a long list may be sent, before its answer begins: one that has begun, and makes no
 * progress, is ended.
 */
export async function waitToList(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.largeAnswer) return
  const answer = largeAnswer(request, reply, listing, making)
  const { mustWait } = answer
  await answer.begin()
  if (mustWait) await request.callAgain?.()
}

/** @throws {DepositError} broken_upload: the client is gone */
function largeAnswer(
  request: FastifyRequest,
  { raw }: FastifyReply,
  whole: Turns,
  working: Turns,
): LargeWork {
  if (raw.closed || raw.destroyed) throw problem('broken_upload')
  const answer = new LargeWork(turnNameOf(request), whole, working)
  request.largeAnswer = answer
  raw.once('close', answer.end)
  return answer
}

/** Bytes of documents from which on a list that is answered as a whole is made in its turn. */
const largeList = 256 * 1024

/** As {@link waitForTurn}, of a list whose documents are written differently, as a whole. */
export async function waitForList(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes }: { readonly bytes: number },
): Promise<void> {
  if (bytes > largeList) await waitForTurn(request, reply, 'work')
}

/** The turn of a request for a piece of a long list. */
export async function takeTurnForPiece(request: FastifyRequest): Promise<Disposable> {
  const name = turnNameOf(request)
  const mustWait = !making.isFree(name)
  using held = new DisposableStack()
  const turn = held.use(await making.take(name))
  await giveWay()
  if (mustWait) await request.callAgain?.()
  held.move()
  return turn
}

/** The two turns of a request that takes much memory: for all of it, and for the work in it. */
class LargeWork {
  readonly #name: string
  readonly #whole: Turns
  readonly #working: Turns
  readonly #gone = new AbortController()
  #begun: Disposable | undefined
  #work: Disposable | undefined

  constructor(name: string, whole: Turns, working: Turns) {
    this.#name = name
    this.#whole = whole
    this.#working = working
  }

  get mustWait(): boolean {
    return !this.#whole.isFree(this.#name) || !this.#working.isFree(this.#name)
  }

  /** Waits until it may begin. @throws {DepositError} broken_upload: the client is gone */
  async begin(): Promise<void> {
    this.#begun = await this.#whole.take(this.#name, this.#gone.signal)
    this.#keepIfThere()
  }

  /** Waits until the work may be done. @throws {DepositError} broken_upload: the client is gone */
  async work(): Promise<void> {
    this.#work = await this.#working.take(this.#name, this.#gone.signal)
    this.#keepIfThere()
  }

  /** Its answer is made. */
  endWork(): void {
    this.#work?.[Symbol.dispose]()
  }

  /** Its answer was sent, or its client is gone. */
  readonly end = (): void => {
    this.#gone.abort(problem('broken_upload'))
    this.endWork()
    this.#begun?.[Symbol.dispose]()
  }

  /** A turn may be given in the moment in which the client goes. */
  #keepIfThere(): void {
    if (!this.#gone.signal.aborted) return
    this.end()
    throw this.#gone.signal.reason as Error
  }
}

/** A body of unknown length is as good as large. */
function isLarge({ headers, isBodyParsed }: FastifyRequest): boolean {
  if (!isBodyParsed) return false
  const isUnknown = headers['transfer-encoding'] !== undefined
  if (!isUnknown && !(Number(headers['content-length'] ?? 0) > mostSmall)) return false
  // Parts are read one by one, as they come.
  return !/^multipart\//i.test(headers['content-type'] ?? '')
}

/** The user, the deposit of a link, or the network of a visitor. Pages and the issuer have no callers. */
function turnNameOf({
  caller,
  ip,
}: Partial<Pick<FastifyRequest, 'caller'>> & { ip: string }): string {
  if (caller === undefined || caller === 'anonymous') return `network ${networkOf(ip)}`
  return turnName(caller)
}
