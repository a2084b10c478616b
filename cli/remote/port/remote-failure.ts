import type { Advice } from '../../advice.ts'
import { advice } from '../../advice.ts'
import type { ProblemBody } from '../../../core/contract/schemas.ts'
import { exitCodes, ownCodes, type ExitCode } from '../../exit-codes.ts'
import { Failure } from '../../failure.ts'

/** What a repository answered in place of what was wanted. */
export interface RemoteAnswer {
  readonly status: number
  /** In its own words. */
  readonly message: string
  /** For its support. */
  readonly requestId?: string | undefined
  /** Seconds, from `Retry-After`. */
  readonly retryAfter?: number | undefined
}

/** Of which repository a failure is. */
export interface RemoteName {
  /** As the user named it. */
  readonly name: string
  readonly host: string
  /** The command that gives it another token. */
  readonly renew: string
  /** The environment variable that its token comes from: it wins over a stored one. */
  readonly variable?: string | undefined
}

/** A repository of others refused a request, or could not answer it. */
export class RemoteFailure extends Failure {
  readonly remote: RemoteName
  /** Undefined where no answer arrived. */
  readonly answer: RemoteAnswer | undefined
  /** The answer in the form of our own service, for `--json`. */
  override readonly problem: ProblemBody | undefined

  constructor(
    tried: string,
    remote: RemoteName,
    answer: RemoteAnswer | undefined,
    { cause, said }: { readonly cause?: unknown; readonly said?: string } = {},
  ) {
    const words = answer && `${remote.host} answers ${answer.status}: ${wordsOf(answer)}`
    super(
      { tried, said: said ?? words ?? 'no answer', next: adviceFor(remote, answer) },
      { cause, exitCode: exitCodeOf(answer) },
    )
    this.remote = remote
    this.answer = answer
    this.problem = answer && toProblem(answer, this.exitCode)
  }

  get status(): number | undefined {
    return this.answer?.status
  }
}

/** Sentences of a repository end with a full stop, and ours goes on. */
function wordsOf({ message, requestId }: RemoteAnswer): string {
  if (requestId === undefined) return message
  return `${message.replace(/\.$/, '')}, request ${requestId}`
}

/** Of a request that may have had its effect, or that others kept from it. */
export function isPassing({ status }: RemoteFailure): boolean {
  return status === undefined || status === 429 || status >= 500
}

/**
 * Of a request that only asks whose token it is: nothing was begun that could go on.
 *
 * @throws whatever it is given
 */
export function atWrongAddress(error: unknown): never {
  if (!(error instanceof RemoteFailure)) throw error
  const { tried, said, exitCode, remote } = error
  const isAway = exitCode === exitCodes.unreachable
  if (!isAway && exitCode !== exitCodes.notFound) throw error
  const next = isAway
    ? advice.askRemoteAgain(remote.host)
    : advice.correctRemote(remote.renew, remote.host)
  throw new Failure({ tried, said, next }, { exitCode, cause: error })
}

function adviceFor(
  { name, renew, host, variable }: RemoteName,
  answer: RemoteAnswer | undefined,
): Advice {
  if (answer === undefined) return advice.pushAgain()
  const { status } = answer
  const isOfToken = status === 401 || status === 403
  if (isOfToken && variable !== undefined) return advice.renewTokenVariable(variable, host)
  if (status === 401) return advice.renewRemoteToken(renew)
  if (status === 403) return advice.giveRemoteRights(host, renew)
  if (status === 404 || status === 410) return advice.checkRemote(name)
  return status === 429 || status >= 500 ? advice.pushAgain() : advice.correctForRemote()
}

/** As of our own service: `exitCodes`. */
function exitCodeOf(answer: RemoteAnswer | undefined): ExitCode {
  if (answer === undefined) return exitCodes.unreachable
  const { status } = answer
  if (status === 401 || status === 403) return exitCodes.signInFirst
  if (status === 404 || status === 410) return exitCodes.notFound
  if (status === 409 || status === 412) return exitCodes.refused
  return status === 429 || status >= 500 ? exitCodes.unreachable : exitCodes.failed
}

function toProblem({ status, message, requestId }: RemoteAnswer, exitCode: ExitCode): ProblemBody {
  const codes: Partial<Record<ExitCode, string>> = ownCodes
  const code = codes[exitCode] ?? ownCodes[exitCodes.failed]
  return { status, code, message, request_id: requestId ?? '' }
}
