import type { ProblemBody } from '../../core/contract/schemas.ts'
import type { ProblemCode } from '../../core/contract/problems.ts'
import { advice, type Advice } from '../advice.ts'

/** For requests that are about no deposit. */
const unknownId = 'ID'

/** @param id of the deposit that the request was about */
type Hint = (id: string, problem: ProblemBody) => Advice

const byCode: Partial<Record<ProblemCode, Hint>> = {
  malformed_request: advice.correctAbove,
  invalid_document: (id) => (id === unknownId ? advice.correctAbove() : advice.correctDocument(id)),
  unknown_schema: advice.nameSchema,
  invalid_patch: advice.comparePatch,
  invalid_query: advice.correctQuery,
  invalid_paging: advice.correctPaging,
  wrong_file: advice.seeFiles,
  file_already_exists: advice.renameOrReplace,
  precondition_failed: advice.renameOrReplace,
  broken_upload: advice.runAgain,
  upload_conflict: advice.waitForOther,
  idempotency_key_reused: advice.useOtherKey,
  checksum_mismatch: advice.runAgain,
  unauthenticated: advice.logIn,
  insufficient_scope: advice.logInForScopes,
  permission_denied: advice.seeOwner,
  invalid_action: wayOn,
  files_frozen: wayOn,
  deposit_not_found: advice.findDeposit,
  file_not_found: advice.seeFiles,
  merge_conflict: advice.settleConflicts,
  deposit_deleted: advice.seeDeposits,
  stale_revision: advice.lookAgain,
  file_too_large: advice.splitFile,
  too_many_requests: advice.runAgainSoon,
  storage_degraded: advice.tellOperatorOfStore,
  storage_unavailable: advice.runAgainSoon,
  shutting_down: advice.runAgainSoon,
  quota_exceeded: advice.freeRoom,
  storage_full: advice.tellOperatorOfRoom,
  wrong_host: advice.useKnownHost,
}

interface Refused {
  readonly path: string
  /** The header `Retry-After`. */
  readonly retryAfter: string | undefined
  /** The token was given to the command: signing in does not replace it. */
  readonly isGiven: boolean
}

/** What a person does about `problem`, which a request was answered with. */
export function adviceFor(problem: ProblemBody, { path, retryAfter, isGiven }: Refused): Advice {
  // A store that failed stays so, whatever the server says of all that it cannot do now.
  const passes = problem.code !== 'storage_degraded'
  if (passes && retryAfter !== undefined && /^\d+$/.test(retryAfter)) {
    return advice.runAgainIn(Number(retryAfter))
  }
  if (isGiven && isOfToken(problem)) return advice.replaceToken()
  const id = depositOf(problem, path)
  const known = new Map<string, Hint>(Object.entries(byCode)).get(problem.code)
  if (known !== undefined) return known(id, problem)
  return problem.status >= 500 ? advice.tellOperator() : advice.correctAbove()
}

/** The id of the deposit that a request was about, or what stands for it in a message. */
export function depositOf({ errors = [] }: ProblemBody, path: string): string {
  const [, inPath] = /\/deposits\/([^/?]+)/.exec(path) ?? []
  return inPath ?? errors.find(({ deposit }) => deposit !== undefined)?.deposit ?? unknownId
}

function isOfToken({ code }: ProblemBody): boolean {
  return code === 'unauthenticated' || code === 'insufficient_scope'
}

function wayOn(id: string, { errors = [] }: ProblemBody): Advice {
  return namedWay(id, errors) ?? advice.seeStatus(id)
}

/** The actions or uploads that the server names; it knows the status better than we do. */
export function namedWay(
  id: string,
  errors: NonNullable<ProblemBody['errors']>,
): Advice | undefined {
  const actions = errors.flatMap((fault) => fault.actions ?? [])
  if (actions.length > 0) return advice.takeActions(id, actions)
  const uploads = errors.flatMap((fault) => fault.upload ?? [])
  return uploads.length > 0 ? advice.endUploads(id, uploads) : undefined
}
