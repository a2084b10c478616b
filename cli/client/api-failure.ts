import type { ProblemBody } from '../../core/contract/schemas.ts'
import { exitCodeOf, exitCodes } from '../exit-codes.ts'
import { Failure, severally } from '../failure.ts'
import { adviceTable } from '../../core/base/advice.ts'
import { problems, type ProblemCode } from '../../core/contract/problems.ts'
import { givesNoRights } from '../../core/contract/scopes.ts'
import { refusals, type Refusal } from '../../core/contract/refusals.ts'
import { faultLine } from '../output/finding.ts'
import { advice, type Advice } from '../advice.ts'
import { reasonOfNoAnswer } from '../reason.ts'

interface RefusedRequest {
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
  /** From `Retry-After`; 0 without it. */
  readonly retryAfterSeconds: number

  constructor(tried: string, problem: ProblemBody, request: RefusedRequest) {
    const { retryAfter, path = '' } = request
    const id = depositOf(problem, path)
    const isMissing = problem.code === 'deposit_not_found'
    const isCut = isMissing && tried === `delete ${id}` && beginning.test(id)
    const next = isCut ? advice.giveWhole() : adviceFor(problem, request)
    const isShort = isMissing && !isCut && tooShort.test(id)
    const words = inOurWords(problem, id)
    const said = isShort ? sayShort(id) : words.said + (isCut ? wholeOnly : '')
    const exitCode = isStrange(problem) ? exitCodes.unreachable : exitCodeOf(problem)
    super({ tried, said, next }, { exitCode, ...words.list })
    this.problem = problem
    this.retryAfterSeconds = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : 0
  }
}

/** Codes of answers that are not those of the service begin so; the status follows. */
export const strangeCode = 'http_'

/** Of an identifier. */
const beginning = /^[0-9a-f]{1,31}$/i
const tooShort = /^[0-9a-f]{1,5}$/i
const wholeOnly = '; `delete` takes the whole identifier'

function sayShort(id: string): string {
  return `${id} is too short: give at least 6 characters of the identifier`
}

/** Messages of the service that a person at a terminal reads in other words. */
const messages: Partial<Record<ProblemCode, string>> = {
  deposit_not_found: 'There is no deposit with this id.',
  record_not_found: 'There is no record at this address.',
  deposit_deleted: 'The deposit was deleted.',
}

/** The refusals of the service, each with the command that solves it. */
export const ownRefusals = adviceTable({
  published: (id: string) => `The deposit is published: run \`deposit edit ${id}\` first.`,
  sealed: (id: string) =>
    `The record is locked for good, so it cannot be changed: \`deposit newversion ${id}\` opens a draft of its next version.`,
  published_already: (id: string) =>
    `The deposit is published already; to change it, run \`deposit edit ${id}\` first.`,
  nothing_edited: () => 'The deposit is published: it has no changes.',
  published_files: (id: string) =>
    `The files of a published deposit cannot change: \`deposit newversion ${id}\` opens a draft of its next version, with the same files.`,
  published_kept: (id: string) =>
    `A published deposit cannot be deleted: its record is public. To correct its metadata, run \`deposit edit ${id}\`; to change its files, \`deposit newversion ${id}\`.`,
  withdrawn_kept: () =>
    'A deposit whose record was withdrawn is kept for its tombstone. Withdrawn once more with --destroy-bytes, it loses its files for good.',
  edited_kept: (id: string) =>
    `A deposit that was published cannot be deleted: its record is public. \`deposit discard ${id}\` gives up the changes since.`,
  never_published: (id: string) =>
    `The draft was never published: run \`deposit publish ${id}\` first.`,
  edited: (id: string) =>
    `The deposit is open for changes: run \`deposit publish ${id}\` or \`deposit discard ${id}\` first.`,
  nothing_to_discard: (id: string) =>
    `The draft was never published: there is nothing to go back to. \`deposit delete ${id} --yes\` deletes it.`,
  nothing_to_merge: () => refusals.nothing_to_merge.message,
  files_frozen: (id: string) =>
    `The files of a deposit that was published are frozen: \`deposit newversion ${id}\` opens a draft of its next version, with the same files.`,
  nothing_to_undo: () => refusals.nothing_to_undo.message,
  nothing_since_published: (id: string) =>
    `The metadata were not changed since the deposit was opened: there is nothing to undo. \`deposit history ${id}\` lists older states, and undo with --to brings one back.`,
  edit_not_published: () => 'This is already a draft; change it directly.',
  identified_already: () => refusals.identified_already.message,
  nothing_to_reserve: () => refusals.nothing_to_reserve.message,
  registered_already: () => refusals.registered_already.message,
  withdrawn: (id: string) =>
    `The record was withdrawn: \`deposit restore-record ${id}\` brings it back.`,
  withdrawn_for_good: (id: string) =>
    `The record was withdrawn and its files are gone for good: \`deposit newversion ${id}\` opens a draft of its next version.`,
  withdrawn_already: () => refusals.withdrawn_already.message,
  not_withdrawn: () => refusals.not_withdrawn.message,
  destroyed_files: () => refusals.destroyed_files.message,
  submitted: (id: string) =>
    `The draft waits for review, so it cannot change: \`deposit take-back ${id}\` makes it a draft that can be changed again.`,
  submitted_already: () => refusals.submitted_already.message,
  not_submitted: (id: string) =>
    `The draft is not submitted for review: \`deposit submit ${id}\` does that.`,
  published_reviewed: (id: string) =>
    `The deposit is published: there is nothing to review. To change it, run \`deposit edit ${id}\` first.`,
  review_required: (id: string) =>
    `This service publishes what was reviewed: \`deposit submit ${id}\` sends the draft to the reviewers.`,
  no_reviews: (id: string) =>
    `This service has no reviews: \`deposit publish ${id}\` publishes the draft.`,
} satisfies Record<Refusal, (id: string) => string>)

const byMessage: ReadonlyMap<string, (id: string) => string> = new Map(
  Object.entries(refusals).flatMap(([name, { message }]) =>
    isRefusal(name) ? [[message, ownRefusals[name]] as const] : [],
  ),
)

/**
 * A problem in the words of the command line. A message that no table here has, from a newer
 * service for example, stays as it is.
 *
 * @param id of the deposit, for the commands in the message
 */
function inOurWords(problem: Omit<ProblemBody, 'status'>, id: string): Words {
  const { message, code, errors = [], request_id: request } = problem
  const origin = request ? `${code}, request ${request}` : code
  const ours = errors.map((fault) => sayRefusal(fault.message, id))
  const faults = errors.flatMap((fault, at) =>
    isSaid(fault.message, message) ? (ours[at] ?? []) : (ours[at] ?? faultLine(fault)),
  )
  const isWhole = ours.some((said) => said !== undefined)
  const head = sayMessage(problem)
  // What it refuses of access is no fault by the schema.
  const isOfAccess =
    code === 'invalid_document' && errors.every(({ field }) => /^\/access(?:\/|$)/.test(field))
  const before = faults.length === 0 || isWhole || isOfAccess ? '' : `${head.replace(/\.$/, '')}: `
  const said = faults.length === 0 ? head : `${before}${faults.join(' ')}`
  const { listed, shortly } = severally(faults, before)
  const list = listed && { listed, shortly: `${shortly} (${origin})` }
  return { said: `${said} (${origin})`, list }
}

/** The message of a problem may begin with its only fault, and go on with what helps. */
function isSaid(fault: string, message: string): boolean {
  return fault === message || (fault !== '' && message.startsWith(fault))
}

interface Words {
  readonly said: string
  /** Undefined for a single fault. */
  readonly list: Pick<Failure, 'listed' | 'shortly'> | undefined
}

/** The message of one fault from a rehearsal, in the words of the command line. */
export function sayRefusal(message: string, id: string): string | undefined {
  return byMessage.get(message)?.(id)
}

/** The service may name the deposit or the scope, which the table does not. */
function sayMessage({
  message,
  code,
}: {
  readonly message: string
  readonly code: string
}): string {
  const known = Object.entries(problems).find(([name]) => name === code)
  return known?.[1].message === message
    ? (new Map<string, string>(Object.entries(messages)).get(code) ?? message)
    : message
}

function isRefusal(name: string): name is Refusal {
  return Object.hasOwn(refusals, name)
}

/** Placeholder in advice without a deposit. */
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
  upload_locked: advice.runAgainSoon,
  idempotency_key_reused: advice.useOtherKey,
  checksum_mismatch: advice.runAgain,
  unauthenticated: advice.logIn,
  insufficient_scope: advice.logInForScopes,
  permission_denied: whoMay,
  invalid_action: wayOn,
  files_frozen: wayOn,
  files_restricted: advice.askForFiles,
  deposit_not_found: advice.findDeposit,
  file_not_found: advice.seeFiles,
  merge_conflict: advice.settleConflicts,
  deposit_deleted: advice.seeDeposits,
  record_withdrawn: (_id, { tombstone }) => {
    if (!tombstone) return advice.seeDeposits()
    const { url, replaced_by: next } = tombstone
    return next?.url === undefined ? advice.readTombstone(url) : advice.seeReplacement(next.url)
  },
  stale_revision: advice.lookAgain,
  last_owner: advice.handOver,
  file_too_large: advice.splitFile,
  too_many_requests: advice.runAgainSoon,
  storage_degraded: advice.tellOperatorOfStore,
  storage_unavailable: advice.runAgainSoon,
  shutting_down: advice.runAgainSoon,
  quota_exceeded: advice.freeRoom,
  storage_full: advice.tellOperatorOfRoom,
  wrong_host: (_id, { errors = [] }) => toKnownHost(errors),
}

/** The next step for the person whose request was answered with `problem`. */
function adviceFor(
  problem: ProblemBody,
  { path = '', retryAfter, isGiven }: RefusedRequest,
): Advice {
  // A failed store does not recover by itself, even if `Retry-After` names a time.
  const passes = problem.code !== 'storage_degraded'
  if (passes && retryAfter !== undefined && /^\d+$/.test(retryAfter)) {
    return advice.runAgainIn(Number(retryAfter))
  }
  if (isStrange(problem)) return problem.status >= 500 ? advice.tellIfAgain() : advice.checkUrl()
  if (isGiven && isOfToken(problem)) return advice.replaceToken()
  const id = depositOf(problem, path)
  if (problem.code === 'stale_revision' && path.endsWith('/actions/accept'))
    return advice.acceptRevision(id, `deposit accept ${id} --revision REVISION`)
  const known = new Map<string, Hint>(Object.entries(byCode)).get(problem.code)
  if (known !== undefined) return known(id, problem)
  return problem.status >= 500 ? advice.tellOperator() : advice.correctAbove()
}

/** The id of the deposit that a request was about, or a placeholder for a message. */
function depositOf({ errors = [] }: ProblemBody, path: string): string {
  const [, inPath] = /\/deposits\/([^/?]+)/.exec(path) ?? []
  return inPath ?? errors.find(({ deposit }) => deposit !== undefined)?.deposit ?? unknownId
}

/** A service that has an address of its own names it to those who use another one. */
function toKnownHost(errors: readonly { readonly address?: unknown }[]): Advice {
  const address = errors.map((fault) => fault.address).find((text) => typeof text === 'string')
  const url = URL.parse(address ?? '')
  const isOfWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  return url && isOfWeb ? advice.followTo(url.origin) : advice.useKnownHost()
}

function isStrange({ code }: ProblemBody): boolean {
  return code.startsWith(strangeCode)
}

function isOfToken({ code, message }: ProblemBody): boolean {
  return code === 'unauthenticated' || code === 'insufficient_scope' || message === givesNoRights
}

function wayOn(id: string, { errors = [] }: ProblemBody): Advice {
  return namedWay(id, errors) ?? advice.seeStatus(id)
}

/** The server names the command of its operator where others may do what was refused. */
function whoMay(id: string, { message }: ProblemBody): Advice {
  const [, what, value] = /depositd record (withdraw|restore) ([\w-]+)$/.exec(message) ?? []
  if (message === givesNoRights) return advice.logInForScopes()
  if (value === undefined) return advice.seeOwner()
  return what === 'withdraw' ? advice.askToWithdraw(id, value) : advice.askToRestore(id, value)
}

/** The actions or uploads that the server names. */
export function namedWay(
  id: string,
  errors: NonNullable<ProblemBody['errors']>,
): Advice | undefined {
  const actions = errors.flatMap((fault) => fault.actions ?? [])
  if (actions.length > 0) return advice.takeActions(id, actions)
  const uploads = errors.flatMap((fault) => fault.upload ?? [])
  if (uploads.length === 0) return undefined
  // Nothing else leads on for those, so they come first.
  const taken = errors.flatMap((fault) => (fault.name_taken ? (fault.upload ?? []) : []))
  return taken.length > 0 ? advice.deleteUploads(id, taken) : advice.endUploads(id, uploads)
}

/** The server could not be reached, or the connection broke before its answer was there. */
export class NoAnswer extends Failure {
  /** It has answered this command before, so a retry may succeed. */
  readonly wasReached: boolean

  constructor(tried: string, server: URL, cause: unknown, wasReached: boolean) {
    const said = `no answer from ${server.origin}: ${reasonOfNoAnswer(cause)}`
    const next = wasReached ? advice.runAgainOnceBack() : advice.checkServer()
    super({ tried, said, next }, { cause, exitCode: exitCodes.unreachable })
    this.wasReached = wasReached
  }
}
