import { problems } from '../../core/contract/problems.ts'
import { refusals, type Refusal } from '../../core/contract/refusals.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { actionsOf, statusOf } from '../output/deposit-facts.ts'
import { ApiFailure } from './api-failure.ts'

/** A rehearsal has come to the first request that would change something. */
export class RehearsalEnd extends Error {
  /** What would be done: `publish 4f2a…`. */
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
  upload: { edited: 'files_frozen', published: 'published_files' },
  rename: { edited: 'files_frozen', published: 'published_files' },
  delete: { edited: 'edited_kept', published: 'published_kept' },
  'delete file': { edited: 'files_frozen', published: 'published_files' },
  publish: { published: 'published_already' },
  edit: { draft: 'edit_not_published', edited: 'edit_not_published' },
  discard: { draft: 'nothing_to_discard', published: 'nothing_edited' },
  merge: { draft: 'nothing_to_merge', published: 'nothing_edited' },
  newversion: { draft: 'never_published' },
  register: { draft: 'never_published', edited: 'edited' },
}

/**
 * Refuses as the server would what the state of the deposit does not allow. Whether an edit has
 * changes, which `newversion` would lose, the server alone knows.
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
  const { status } = problems[code]
  const problem = { status, code, message: said, errors, request_id: '' }
  throw new ApiFailure(tried, problem, { path: `/deposits/${deposit.id}` })
}

/** As {@link requirePossible}, for a request to the API; the action may be one that is not there. */
export function requireAllowed(
  tried: string,
  { method, path }: { readonly method: string; readonly path: string },
  deposit: DepositBody,
): void {
  const [, action] = /\/actions\/([^/?]+)/.exec(path) ?? []
  if (action !== undefined && !actionsOf(deposit).includes(action)) {
    const problem = { code: 'not_found', ...problems.not_found, request_id: '' }
    throw new ApiFailure(tried, problem, { path })
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
  if (state === 'published' && deposit.sealed === true) {
    if (operation === 'register') return 'registered_already'
    if (['edit', 'update', 'publish'].includes(operation)) return 'sealed'
  }
  return refusedIn[operation]?.[state]
}

function stateOf(deposit: DepositBody): State {
  if (statusOf(deposit) === 'published') return 'published'
  return deposit.metadata._deposit?.value === undefined ? 'draft' : 'edited'
}
