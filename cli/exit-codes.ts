import type { ProblemCode } from '../core/contract/problems.ts'
import { givesNoRights, ofOtherDeposit } from '../core/contract/scopes.ts'

/**
 * Exit statuses. Scripts depend on these: they are never renumbered.
 *
 * @see Contract §4
 */
export const exitCodes = {
  done: 0,
  /** Anything else, such as invalid metadata, or metadata that say "embargoed". */
  failed: 1,
  /** The command line, or a file it names, cannot be used; nothing was sent. */
  usage: 2,
  notFound: 3,
  signInFirst: 4,
  /** Refused by the state of the deposit, or in conflict with it. */
  refused: 5,
  unreachable: 6,
  someFailed: 7,
  differences: 8,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/**
 * The `code` of `--json` by exit status, for failures that are not answers of the server; that of
 * `failed` for all other statuses.
 */
export const ownCodes = {
  [exitCodes.failed]: 'failed',
  [exitCodes.usage]: 'usage',
  [exitCodes.notFound]: 'not_found',
  [exitCodes.signInFirst]: 'sign_in_first',
  [exitCodes.refused]: 'refused',
  [exitCodes.unreachable]: 'unreachable',
  [exitCodes.interrupted]: 'interrupted',
} as const satisfies Partial<Record<ExitCode, string>>

const byCode: Partial<Record<ProblemCode, ExitCode>> = {
  invalid_query: exitCodes.usage,
  invalid_paging: exitCodes.usage,
  invalid_action: exitCodes.refused,
  files_frozen: exitCodes.refused,
  files_restricted: exitCodes.refused,
  file_already_exists: exitCodes.refused,
  idempotency_key_reused: exitCodes.refused,
  insufficient_scope: exitCodes.signInFirst,
  shutting_down: exitCodes.unreachable,
}

const byStatus: Readonly<Record<number, ExitCode>> = {
  401: exitCodes.signInFirst,
  404: exitCodes.notFound,
  409: exitCodes.refused,
  410: exitCodes.notFound,
  412: exitCodes.refused,
  423: exitCodes.refused,
}

interface Answered {
  readonly status: number
  readonly code: string
  readonly message?: string
}

/** The exit status for an error answered by the server; its `code` goes before its `status`. */
export function exitCodeOf(problem: Answered): ExitCode {
  const { code, message } = problem
  // Another token helps, as for a missing scope.
  const isNarrow = message === ofOtherDeposit || message === givesNoRights
  if (code === 'permission_denied' && isNarrow) return exitCodes.signInFirst
  const special = new Map<string, ExitCode>(Object.entries(byCode)).get(problem.code)
  return special ?? byStatus[problem.status] ?? exitCodes.failed
}
