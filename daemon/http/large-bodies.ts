import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Turns } from '../../core/base/turns.ts'
import { problem, turnName } from '../../core/index.ts'
import { networkOf } from './authenticate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** False where the route takes the body from the connection itself, or not at all. */
    isBodyParsed: boolean
    /** Absent where the body is small. */
    largeBody: LargeBody | undefined
  }
}

/** Bytes up to which a body is read at once. */
const mostSmall = 64 * 1024

/** Large bodies that are read, parsed and answered at once: of one user, and in all. */
const most = { each: 4, all: 16 }

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
export function readLargeBodiesInTurn(app: FastifyInstance): void {
  const reading = new Turns({ all: Infinity, each: most.each })
  const working = new Turns(most)
  app.decorateRequest('isBodyParsed', true)
  app.decorateRequest('largeBody', undefined)
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!isLarge(request)) {
      done(null, payload)
      return undefined
    }
    const name = nameOf(request)
    if (reading.waiting(name).own >= mostWaiting) {
      const message = `${mostWaiting + most.each} large requests of yours are under way. Send the next when one of them is answered.`
      done(problem('too_many_requests', { message, retryAfter }))
      return undefined
    }
    const body = new LargeBody(name, reading, working)
    request.largeBody = body
    reply.raw.once('close', body.end)
    return body.read(payload)
  })
  app.addHook('onSend', ({ largeBody }, _reply, payload, done) => {
    largeBody?.endWork()
    done(null, payload)
  })
}

/** A large body and its turns. */
class LargeBody {
  readonly #name: string
  readonly #reading: Turns
  readonly #working: Turns
  readonly #gone = new AbortController()
  #read: Disposable | undefined
  #work: Disposable | undefined

  constructor(name: string, reading: Turns, working: Turns) {
    this.#name = name
    this.#reading = reading
    this.#working = working
  }

  /** Waits until it may be read. @throws {DepositError} broken_upload: the client is gone */
  async read<Payload>(payload: Payload): Promise<Payload> {
    this.#read = await this.#reading.take(this.#name, this.#gone.signal)
    this.#keepIfThere()
    return payload
  }

  /** Waits until it may be parsed. @throws {DepositError} broken_upload: the client is gone */
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
    this.#read?.[Symbol.dispose]()
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
function nameOf({ caller, ip }: Partial<Pick<FastifyRequest, 'caller'>> & { ip: string }): string {
  if (caller === undefined || caller === 'anonymous') return `network ${networkOf(ip)}`
  return turnName(caller)
}
