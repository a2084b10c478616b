import type { ProblemBody } from '../../core/contract/schemas.ts'
import { exitCodeOf } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { adviceFor } from './advice.ts'

/** The server answered with a problem. */
export class ApiFailure extends Failure {
  readonly problem: ProblemBody
  /** How long the server asks us to wait; 0 where it does not. */
  readonly retryAfterSeconds: number

  constructor(tried: string, problem: ProblemBody, retryAfter?: string) {
    const said = wordsOf(problem)
    super({ tried, said, next: adviceFor(problem, retryAfter) }, { exitCode: exitCodeOf(problem) })
    this.problem = problem
    this.retryAfterSeconds = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : 0
  }
}

/** Everything the server said: message, each fault, and what finds it in the server's log. */
function wordsOf({ message, code, errors = [], request_id: id }: ProblemBody): string {
  const faults = errors.map(({ field, message: fault }) => (field ? `${field}: ${fault}` : fault))
  const origin = id ? `${code}, request ${id}` : code
  const said = faults.length > 0 ? `${message.replace(/\.$/, '')}: ${faults.join(' ')}` : message
  return `${said} (${origin})`
}
