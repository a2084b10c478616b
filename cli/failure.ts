import type { ProblemBody } from '../core/contract/schemas.ts'
import type { Advice } from './advice.ts'
import { exitCodes, type ExitCode } from './exit-codes.ts'

interface FailureLines {
  /** Replaces the first line, `could not <tried>`. */
  readonly headline?: string
  /** The attempt, as the object of "could not": `publish 4f2a…`. */
  readonly tried: string
  /** The reason, in the server's words where it gave any. */
  readonly said: string
  /** The next step, with a command where there is one. */
  readonly next: Advice
}

/** One of several reasons. */
export interface Fault {
  /** As in a finding. */
  readonly field: string
  readonly message: string
}

interface FailureOptions extends ErrorOptions {
  readonly exitCode?: ExitCode | undefined
  /** For `errors` of `--json`. */
  readonly faults?: readonly Fault[]
  /** Lines for a person, told before the three of the failure. */
  readonly listed?: readonly string[]
  /** In place of the reason, for a person who has read the list. */
  readonly shortly?: string | undefined
  readonly problem?: ProblemBody
}

/** A failed command: three lines and an exit status. */
export class Failure extends Error {
  readonly headline: string
  readonly tried: string
  readonly said: string
  readonly next: Advice
  readonly exitCode: ExitCode
  readonly faults: readonly Fault[]
  readonly listed: readonly string[]
  readonly shortly: string | undefined
  /** The server's answer, where it was the server that refused. */
  readonly problem: ProblemBody | undefined

  constructor(lines: FailureLines, options: FailureOptions = {}) {
    const { tried, said, next, headline = `could not ${tried}` } = lines
    super(`${headline}: ${said}`, options)
    this.headline = headline
    this.tried = tried
    this.said = said
    this.next = next
    this.exitCode = options.exitCode ?? exitCodes.failed
    this.faults = options.faults ?? []
    this.listed = options.listed ?? []
    this.shortly = options.shortly
    this.problem = options.problem ?? causeOf(options)?.problem
  }

  override get name(): string {
    return this.constructor.name
  }
}

/** Options of a failure with these reasons: several are told as a list. */
export function severally(
  reasons: readonly string[],
  head = '',
): Pick<FailureOptions, 'listed' | 'shortly'> {
  if (reasons.length < 2) return {}
  return { listed: reasons, shortly: `${head}${reasons.length} faults, listed above` }
}

/**
 * One failure for several of different kinds, so that all are told at once. It ends with the status of
 * the first.
 *
 * @param next what to do about all of them
 */
export function together(failures: readonly [Failure, ...Failure[]], next: Advice): Failure {
  const [first, ...others] = failures
  if (others.length === 0) return first
  const faults = failures.flatMap(({ faults: own, said }) =>
    own.length > 0 ? own : [{ field: '', message: said }],
  )
  const lines = failures.flatMap(({ listed, said }) => (listed.length > 0 ? listed : [said]))
  const said = failures.map((each) => each.said).join('; ')
  const { tried, exitCode } = first
  return new Failure({ tried, said, next }, { cause: first, exitCode, faults, ...severally(lines) })
}

function causeOf({ cause }: ErrorOptions): Failure | undefined {
  return cause instanceof Failure ? cause : undefined
}

/** The command line, or a file it names, cannot be used. Thrown before anything is sent. */
export class UsageFailure extends Failure {
  constructor(lines: FailureLines, options: ErrorOptions = {}) {
    super(lines, { ...options, exitCode: exitCodes.usage })
  }
}

/** A person did not answer yes: told in one line, as it is no error. */
export class Declined extends Failure {
  /** The same, of one of several ids. */
  of(id: string): Declined {
    const { headline, tried, said, next } = this
    return new Declined({ headline: `${id}: ${headline}`, tried, said, next })
  }
}

/** The user ended the command. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
