import type { Usage } from '../../core/contract/usage.ts'
import type { HistoryBody, TrashBody } from '../../core/contract/history.ts'
import type {
  DepositBody,
  FileBody,
  IndexBody,
  ProblemBody,
  RecordBody,
  RehearsalBody,
  SearchBody,
  UploadListBody,
} from '../../core/contract/schemas.ts'

/** The user and the scopes of the access token: `GET /api/me`. */
export interface MeBody {
  readonly user: string
  readonly email: string | null
  /** Older servers do not say. */
  readonly name?: string | null
  readonly admin: boolean
  /** Older servers do not say. */
  readonly roles?: readonly string[]
  readonly scopes: readonly string[]
  readonly expires: string | null
  readonly deposit: string | null
  readonly token: { readonly name: string } | null
  /** Bytes; older servers do not say. */
  readonly used?: number
  readonly quota?: number | null
  readonly usage?: Usage
  /** Bytes that give way to uploads, where they were asked for. */
  readonly releasable?: number
}

/** A token of the user's own: `GET /api/tokens/`. */
export interface TokenBody {
  readonly id: string
  readonly name: string
  /** Separated by spaces. */
  readonly scope: string
  readonly deposit: string | null
  readonly created: string
  readonly expires: string | null
  /** Id of the token it was made with; older servers do not say. */
  readonly parent?: string | null
}

/** With its value, which is answered only once. */
export interface NewTokenBody extends TokenBody {
  readonly token: string
}

/** Checks a body against the contract; a proxy may answer anything. */
export type Guard<T> = (body: unknown) => body is T

export const isDeposit = (body: unknown): body is DepositBody =>
  has(body, { id: 'string', metadata: 'object', links: 'object', revision: 'number' }) &&
  [body['created'], body['updated']].every(isTimeOrAbsent)

const isTimeOrAbsent = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && !Number.isNaN(Date.parse(value)))

export const isIndex = (body: unknown): body is IndexBody =>
  has(body, { endpoints: 'object' }) && Object.values(body['endpoints'] ?? {}).every(isEndpoint)

const isEndpoint = (endpoint: unknown): boolean => has(endpoint, { links: 'object' })

export const isFile = (body: unknown): body is FileBody =>
  has(body, { id: 'string', filename: 'string', filesize: 'number', checksum: 'string' })

export const isFileList = (body: unknown): body is FileBody[] =>
  Array.isArray(body) && body.every(isFile)

export const isRevisionList = (body: unknown): body is RecordBody[] =>
  Array.isArray(body) &&
  body.every((each) => isDeposit(each) && typeof (each as RecordBody).updated === 'string')

export const isSearch = (body: unknown): body is SearchBody =>
  has(body, { hits: 'object', links: 'object' }) && isHits(body['hits'])

export const isSearchOptions = (body: unknown): body is { readonly max_result_window: number } =>
  has(body, { max_result_window: 'number' })

/** An upload that is not finished. */
export type UploadBody = UploadListBody[number]

const isUpload = (body: unknown): body is UploadBody =>
  has(body, {
    id: 'string',
    filename: 'string',
    filesize: 'number',
    offset: 'number',
    expires: 'string',
    links: 'object',
  })

export const isUploadList = (body: unknown): body is UploadBody[] =>
  Array.isArray(body) && body.every(isUpload)

export const isHistory = (body: unknown): body is HistoryBody =>
  Array.isArray(body) &&
  body.every((each) => has(each, { n: 'number', at: 'string', by: 'string', patch: 'object' }))

export const isTrash = (body: unknown): body is TrashBody =>
  Array.isArray(body) &&
  body.every((each) =>
    has(each, { id: 'string', filename: 'string', filesize: 'number', deleted: 'string' }),
  )

export const isMe = (body: unknown): body is MeBody =>
  has(body, { user: 'string', scopes: 'object' }) && Array.isArray(body['scopes'])

export const isToken = (body: unknown): body is TokenBody =>
  has(body, { id: 'string', name: 'string', scope: 'string', created: 'string' })

export const isNewToken = (body: unknown): body is NewTokenBody =>
  isToken(body) && has(body, { token: 'string' })

export const isTokenList = (body: unknown): body is TokenBody[] =>
  Array.isArray(body) && body.every(isToken)

/** A program or browser in which the user is signed in. */
export interface SignInBody {
  readonly id: string
  readonly program: string
  readonly since?: string
  readonly until: string
  /** The command is signed in with it. */
  readonly current?: true
}

export const isSignInList = (body: unknown): body is SignInBody[] =>
  Array.isArray(body) &&
  body.every((item) => has(item, { id: 'string', program: 'string', until: 'string' }))

export const isRehearsal = (body: unknown): body is RehearsalBody =>
  has(body, { errors: 'object', warnings: 'object' }) &&
  [body['errors'], body['warnings']].every(isFindings) &&
  isWithdrawnVersion(body['withdrawn_version'])

/** Absent where there is none, and from older services. */
const isWithdrawnVersion = (value: unknown): boolean =>
  value === undefined || has(value, { url: 'string', at: 'string', reason: 'string' })

export const isProblem = (body: unknown): body is ProblemBody =>
  has(body, { status: 'number', message: 'string', code: 'string' })

function isHits(hits: unknown): boolean {
  if (!has(hits, { hits: 'object', total: 'number' })) return false
  return Array.isArray(hits['hits']) && hits['hits'].every(isDeposit)
}

function isFindings(list: unknown): boolean {
  return (
    Array.isArray(list) && list.every((item) => has(item, { field: 'string', message: 'string' }))
  )
}

type Kind = 'string' | 'number' | 'object'

export function has(
  body: unknown,
  fields: Readonly<Record<string, Kind>>,
): body is Record<string, unknown> {
  if (typeof body !== 'object' || body === null) return false
  const values = new Map<string, unknown>(Object.entries(body))
  return Object.entries(fields).every(
    ([name, kind]) => typeof values.get(name) === kind && values.get(name) !== null,
  )
}
