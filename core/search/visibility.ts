import type { Caller, UserId } from '../access/caller.ts'
import { problem } from '../errors/errors.ts'

/**
 * Which documents a caller may find: one owner's deposits, all deposits, or the public records.
 * `only` narrows deposits to one, for a token that is good for no other.
 */
export type Visibility =
  | { readonly of: 'owner'; readonly user: UserId; readonly only?: string }
  | { readonly of: 'deposits'; readonly only?: string }
  | { readonly of: 'records' }

/** The one document that may be found; undefined where it may be any. */
export function onlyDocument(visibility: Visibility): string | undefined {
  return visibility.of === 'records' ? undefined : visibility.only
}

/** Records are public: everybody finds all of them. */
export const recordVisibility: Visibility = { of: 'records' }

/**
 * Which deposits `caller` may find: administrators and the service itself all of them, every other
 * user those the user owns.
 *
 * @throws {DepositError} unauthenticated: there is no user
 * @see Specification, "Authentication"
 */
export function depositVisibility(caller: Caller): Visibility {
  if (caller === 'system') return { of: 'deposits' }
  if (caller === 'anonymous') throw problem('unauthenticated')
  const only = caller.onlyDeposit === undefined ? {} : { only: caller.onlyDeposit }
  return caller.admin ? { of: 'deposits', ...only } : { of: 'owner', user: caller.user, ...only }
}
