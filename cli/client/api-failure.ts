import type { ProblemBody } from '../../core/contract/schemas.ts'
import { exitCodeOf } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { inOurWords } from './own-words.ts'
import { adviceFor, depositOf } from './problem-advice.ts'

interface Refusal {
  /** The header `Retry-After`. */
  readonly retryAfter?: string | undefined
  /** The token was given to the command: signing in does not replace it. */
  readonly isGiven?: true | undefined
  /** Of the request: it names the deposit that commands in the advice are about. */
  readonly path?: string
}

/** The server answered with a problem. */
export class ApiFailure extends Failure {
  override readonly problem: ProblemBody
  /** How long the server asks us to wait; 0 where it does not. */
  readonly retryAfterSeconds: number

  constructor(tried: string, problem: ProblemBody, refusal: Refusal) {
    const { retryAfter, isGiven = false, path = '' } = refusal
    const next = adviceFor(problem, { path, retryAfter, isGiven })
    const said = inOurWords(problem, depositOf(problem, path))
    super({ tried, said, next }, { exitCode: exitCodeOf(problem) })
    this.problem = problem
    this.retryAfterSeconds = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : 0
  }
}
