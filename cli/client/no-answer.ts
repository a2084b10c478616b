import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { reasonOfNoAnswer } from '../reason.ts'

/** The server could not be reached, or the connection broke before its answer was there. */
export class NoAnswer extends Failure {
  /** It has answered this command before: most likely it is back in a moment. */
  readonly wasReached: boolean

  constructor(tried: string, server: URL, cause: unknown, wasReached: boolean) {
    const said = `no answer from ${server.origin}: ${reasonOfNoAnswer(cause)}`
    const next = wasReached ? advice.runAgainOnceBack() : advice.checkServer()
    super({ tried, said, next }, { cause, exitCode: exitCodes.unreachable })
    this.wasReached = wasReached
  }
}
