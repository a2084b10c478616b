import { advice, type Advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { codeOf } from '../../core/base/errno.ts'

/** OAuth errors with a remedy. @see RFC 6749 §5.2, RFC 8628 §3.5 */
const known: Readonly<Record<string, readonly [said: string, next: Advice]>> = {
  access_denied: ['the sign-in was denied', advice.approveLogin()],
  expired_token: ['it was not approved in time', advice.approveLogin()],
  invalid_client: ['the issuer does not know this program', advice.registerClient()],
  invalid_grant: ['the sign-in has ended', advice.logIn()],
  temporarily_unavailable: ['too many sign-ins begin at your network', advice.runAgainIn(60)],
}

/** Runs a step of OAuth and turns its errors into failures with advice. */
export async function explain<T>(
  tried: string,
  signal: AbortSignal,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step()
  } catch (error) {
    signal.throwIfAborted()
    throw toFailure(tried, error)
  }
}

/** The `error` of an OAuth answer. */
export function oauthError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('error' in error)) return undefined
  return typeof error.error === 'string' ? error.error : undefined
}

function toFailure(tried: string, cause: unknown): Failure {
  const code = oauthError(cause)
  if (code === undefined && isLost(cause)) {
    const said = `the server that signs you in gave no answer: ${describe(cause)}`
    const next = advice.tellIfAgain()
    return new Failure({ tried, said, next }, { cause, exitCode: exitCodes.unreachable })
  }
  if (code === undefined) {
    const said = `the issuer did not answer as one: ${describe(cause)}`
    const next = advice.checkServer()
    return new Failure({ tried, said, next }, { cause, exitCode: exitCodes.unreachable })
  }
  const [said, next] = known[code] ?? [`${describe(cause)} (${code})`, advice.logIn()]
  return new Failure({ tried, said, next }, { cause, exitCode: exitCodes.signInFirst })
}

/** The connection was refused or broke, so there was no answer. */
function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isOfSocket = /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(codeOf(error))
  return isOfSocket || error.name === 'TimeoutError' || isLost(error.cause)
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const described = 'error_description' in error ? error.error_description : undefined
  if (typeof described === 'string') return described
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}
