import { problems, type ProblemCode } from '../../core/contract/problems.ts'
import { refusals, type Refusal } from '../../core/contract/refusals.ts'
import { safeKey } from '../../core/contract/file-key.ts'
import type {
  DepositBody,
  FileBody,
  ProblemBody,
  RehearsalBody,
} from '../../core/contract/schemas.ts'
import { actionsScope, ofOtherDeposit, writeScope } from '../../core/contract/scopes.ts'
import { exitCodeOf, type ExitCode } from '../exit-codes.ts'
import { actionsOf, statusOf } from '../output/deposit-facts.ts'
import { formatBytes } from '../output/units.ts'
import { ApiFailure } from './api-failure.ts'
import type { MeBody } from './bodies.ts'

/** Thrown by a dry run at the first request that would change something. */
export class RehearsalEnd extends Error {
  /** The change, as the object of "would": `publish 4f2a…`. */
  readonly tried: string

  constructor(tried: string) {
    super(`would ${tried}`)
    this.tried = tried
  }
}

/** A draft that was never published, one that was, or no draft. */
type State = 'draft' | 'edited' | 'published'

/** Why the server refuses an operation, by the state of the deposit. */
const refusedIn: Readonly<Record<string, Readonly<Partial<Record<State, Refusal>>>>> = {
  update: { published: 'published' },
  sort: { published: 'published' },
  undo: { published: 'published' },
  upload: { edited: 'files_frozen', published: 'published_files' },
  rename: { edited: 'files_frozen', published: 'published_files' },
  delete: { edited: 'edited_kept', published: 'published_kept' },
  'delete file': { edited: 'files_frozen', published: 'published_files' },
  publish: { published: 'published_already' },
  edit: { draft: 'edit_not_published', edited: 'edit_not_published' },
  discard: { draft: 'nothing_to_discard', published: 'nothing_edited' },
  merge: { draft: 'nothing_to_merge', published: 'nothing_edited' },
  newversion: { draft: 'never_published' },
  reserve: { edited: 'identified_already', published: 'identified_already' },
  register: { draft: 'never_published', edited: 'edited' },
  withdraw: { draft: 'never_published' },
}

/**
 * Refuses, as the server would, an operation that the state of the deposit does not allow. Only the
 * server knows whether an edit has changes that `newversion` would lose.
 *
 * @throws {ApiFailure} with the words of the server
 */
export function requirePossible(tried: string, operation: string, deposit: DepositBody): void {
  const refusal = refusalOf(operation, deposit)
  if (refusal === undefined) return
  const { message, actions } = refusals[refusal]
  const code = refusal === 'files_frozen' ? 'files_frozen' : 'invalid_action'
  const said = refusal === 'files_frozen' ? message : problems[code].message
  const [field = operation] = operation.split(' ')
  const errors = [{ field, message, actions: [...actions] }]
  throw refuse(tried, { code, message: said, errors }, { path: `/deposits/${deposit.id}` })
}

/**
 * Refuses to publish what reviewers publish, as the server would.
 *
 * @throws {ApiFailure}
 */
export function requireReviewed(tried: string, deposit: DepositBody): void {
  const refusal = deposit.review?.state === 'submitted' ? 'submitted' : 'review_required'
  const { message, actions } = refusals[refusal]
  const errors = [{ field: 'publish', message, actions: [...actions] }]
  const about = { path: `/deposits/${deposit.id}` }
  throw refuse(
    tried,
    { code: 'invalid_action', message: problems.invalid_action.message, errors },
    about,
  )
}

/** Refuses with the words and the status of the server. */
export function refuse(
  tried: string,
  { code, message, errors = [] }: Refused,
  about: { readonly path: string; readonly isGiven?: true | undefined },
): ApiFailure {
  const { status } = problems[code]
  return new ApiFailure(tried, { status, code, message, errors, request_id: '' }, about)
}

interface Refused {
  readonly code: ProblemCode
  readonly message: string
  readonly errors?: NonNullable<ProblemBody['errors']>
}

/**
 * Refuses, as the server would, an operation that the token does not allow.
 *
 * @param scopes of the token
 * @param isGiven the token was given to the command
 * @throws {ApiFailure} naming the scope that is missing
 */
export function requireScope(
  tried: string,
  { path }: Pick<Request, 'path'>,
  { scopes, isGiven }: { readonly scopes: readonly string[]; readonly isGiven?: true | undefined },
): void {
  const action = actionIn(path)
  const isSubmission = action === 'submit' || action === 'take-back'
  const scope = action === undefined || isSubmission ? writeScope : actionsScope
  if (scopes.includes(scope) || (isSubmission && scopes.includes(actionsScope))) return
  const message = `This needs the scope ${scope}, which the access token lacks.`
  throw refuse(tried, { code: 'insufficient_scope', message }, { path, isGiven })
}

/**
 * Refuses, as the server would, a publish that its rehearsal found faults in.
 *
 * @throws {ApiFailure} with all of it
 */
export function requireFaultless(tried: string, id: string, errors: RehearsalBody['errors']): void {
  const [first] = errors
  if (first === undefined) return
  const code = codeOf(first)
  const { message } = problems[code]
  throw refuse(tried, { code, message, errors: [...errors] }, { path: `/deposits/${id}` })
}

/** The exit status of a publish that would be refused with these errors. */
export function exitCodeAfter(errors: RehearsalBody['errors']): ExitCode | undefined {
  const [first] = errors
  if (first === undefined) return undefined
  const code = codeOf(first)
  return exitCodeOf({ code, status: problems[code].status })
}

function codeOf({ code }: RehearsalBody['errors'][number]): ProblemCode {
  return isCode(code) ? code : 'invalid_document'
}

function isCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code)
}

/** Refuses a `$schema` that the server does not have, as the server would. */
export function unknownSchema(tried: string, schema: unknown, path: string): ApiFailure {
  const shown = typeof schema === 'string' ? schema : JSON.stringify(schema)
  const errors = [{ field: '/$schema', message: `${shown} is not a schema of this service.` }]
  const { message } = problems.unknown_schema
  return refuse(tried, { code: 'unknown_schema', message, errors }, { path })
}

/** Refuses a deposit that the token is not for, as the server would. */
export function otherDeposit(tried: string, path: string): ApiFailure {
  return refuse(tried, { code: 'permission_denied', message: ofOtherDeposit }, { path })
}

/**
 * Refuses files that the quota has no room for.
 *
 * @throws {ApiFailure}
 */
export function requireRoom(
  tried: string,
  { used = 0, quota }: Pick<MeBody, 'used' | 'quota'>,
  bytes: number,
): void {
  if (typeof quota !== 'number' || used + bytes <= quota) return
  const left = formatBytes(Math.max(0, quota - used))
  const message = `The files need ${formatBytes(bytes)}, and your quota has ${left} left.`
  throw refuse(tried, { code: 'quota_exceeded', message }, { path: '' })
}

/**
 * Refuses a name that another file of the deposit has, as the server would.
 *
 * @throws {ApiFailure}
 */
export function requireFree(
  tried: string,
  name: string,
  { path, files }: { readonly path: string; readonly files: readonly FileBody[] },
): void {
  const safe = safeKey(name)
  const key = 'key' in safe ? safe.key : name
  if (!files.some(({ filename }) => filename === key)) return
  const errors = [{ field: 'name', message: `The deposit already has a file named "${key}".` }]
  const { message } = problems.file_already_exists
  throw refuse(tried, { code: 'file_already_exists', message, errors }, { path })
}

interface Request {
  readonly method: string
  readonly path: string
}

function actionIn(path: string): string | undefined {
  return /\/actions\/([^/?]+)/.exec(path)?.[1]
}

/** As {@link requirePossible}, for a request to the API; its action may be unknown. */
export function requireAllowed(
  tried: string,
  { method, path }: Request,
  deposit: DepositBody,
): void {
  const action = actionIn(path)
  if (action !== undefined && !actionsOf(deposit).includes(action)) {
    const { message } = problems.not_found
    throw refuse(tried, { code: 'not_found', message }, { path })
  }
  requirePossible(tried, action ?? operationOf(method, path), deposit)
}

function operationOf(method: string, path: string): string {
  const isOfFile = /\/files\/[^?]/.test(path)
  if (method === 'DELETE') return isOfFile ? 'delete file' : 'delete'
  if (isOfFile) return 'rename'
  return path.endsWith('/files') ? 'sort' : 'update'
}

function refusalOf(operation: string, deposit: DepositBody): Refusal | undefined {
  const state = stateOf(deposit)
  const { review, withdrawn } = deposit
  if (withdrawn && ['edit', 'publish', 'register', 'merge', 'reserve', 'undo'].includes(operation))
    return withdrawn.bytes_destroyed ? 'withdrawn_for_good' : 'withdrawn'
  if (withdrawn?.bytes_destroyed && operation === 'withdraw') return 'withdrawn_already'
  if (withdrawn?.bytes_destroyed && operation === 'restore-record') return 'withdrawn_for_good'
  if (withdrawn && operation === 'delete') return 'withdrawn_kept'
  if (!withdrawn && operation === 'restore-record') return 'not_withdrawn'
  const isSubmitted = review?.state === 'submitted'
  if (['submit', 'take-back', 'return', 'accept'].includes(operation)) {
    if (state === 'published') return 'published_reviewed'
    if (operation === 'submit') return isSubmitted ? 'submitted_already' : undefined
    return isSubmitted ? undefined : 'not_submitted'
  }
  if (isSubmitted && operation !== 'edit' && operation !== 'withdraw') return 'submitted'
  if (state === 'published' && deposit.sealed === true) {
    if (operation === 'register') return 'registered_already'
    if (['edit', 'update', 'publish', 'undo'].includes(operation)) return 'sealed'
  }
  return refusedIn[operation]?.[state]
}

function stateOf(deposit: DepositBody): State {
  if (statusOf(deposit) === 'published') return 'published'
  return deposit.metadata._deposit?.value === undefined ? 'draft' : 'edited'
}
