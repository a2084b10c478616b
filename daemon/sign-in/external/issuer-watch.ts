import type { Logger } from 'pino'
import { DepositError } from '../../../core/index.ts'

/** Time between two checks of the issuer while no token makes the daemon ask it. Milliseconds. */
const everyMs = 60_000

/** Time before the same line is logged again. Milliseconds. */
const quietMs = 60_000

/** Reasons that are counted apart; more of them are forged. */
const mostReasons = 100

/** The issuer of the institution cannot be asked about a token. */
export class IssuerUnreachable extends DepositError<'overloaded'> {
  constructor(cause: unknown) {
    const message = 'The issuer of access tokens does not answer; try again in a moment.'
    super('overloaded', { message, cause })
  }
}

/**
 * Watches the issuer for the operator: whether it answers, and why tokens were refused. Each
 * reason is logged once a minute, with how often it came in between.
 */
export class IssuerWatch implements Disposable {
  /** Failed requests to the issuer since the start. */
  failures = 0
  readonly issuer: string
  readonly #logger: Logger
  readonly #said = new Map<string, { readonly atMs: number; count: number }>()
  #isFailing = false
  #timer: NodeJS.Timeout | undefined

  constructor(issuer: string, logger: Logger) {
    this.issuer = issuer
    this.#logger = logger
  }

  get isFailing(): boolean {
    return this.#isFailing
  }

  /** Looks at the issuer at once and every minute. @param probe throws where it does not answer */
  start(probe: () => Promise<unknown>): void {
    const look = (): void =>
      void probe().then(
        () => this.answered(),
        (error: unknown) => this.failed(error),
      )
    look()
    this.#timer = setInterval(look, everyMs).unref()
  }

  answered(): void {
    if (this.#isFailing) this.#logger.info({ issuer: this.issuer }, 'the issuer answers again')
    this.#isFailing = false
  }

  failed(error: unknown): void {
    this.failures += 1
    this.#isFailing = true
    this.#say('the issuer cannot be asked; its tokens are refused', causeOf(error))
  }

  refused(reason: string): void {
    this.#say('refused an access token', reason)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #say(message: string, reason: string): void {
    const key = `${message} ${reason}`
    const now = performance.now()
    const said = this.#said.get(key)
    if (said && now - said.atMs < quietMs) {
      said.count += 1
      return
    }
    if (this.#said.size >= mostReasons) this.#said.clear()
    this.#said.set(key, { atMs: now, count: 0 })
    const more = said && said.count > 0 ? { times_before: said.count } : {}
    this.#logger.warn({ issuer: this.issuer, reason, ...more }, message)
  }
}

/** The messages of an error and of what caused it: a TLS failure lies two or three levels down. */
function causeOf(error: unknown): string {
  // The library tells two names that differ as an object, with all that the issuer says of itself.
  if (!(error instanceof Error)) return JSON.stringify(error, ['expected', 'body', 'issuer']) ?? ''
  const { cause } = error
  if (error instanceof IssuerUnreachable && cause !== undefined) return causeOf(cause)
  const said = error.message || ('code' in error ? String(error.code) : error.name)
  return cause === undefined ? said : `${said}: ${causeOf(cause)}`
}
