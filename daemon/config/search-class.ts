import { parseUserId, type Caller, type Visibility } from '../../core/index.ts'
import { StartFailure } from '../start-failure.ts'
import type { SearchClass } from './endpoint-options.ts'

/** Whom a search class is tried on at the start: a user who owns nothing. */
const nobody: Caller = { user: parseUserId('nobody'), admin: false, scopes: new Set() }

/**
 * The visibility of an operator's search class, which has to answer one of ours: it is tried at the
 * start, and looked at with each search.
 *
 * @throws {StartFailure} it answers something else
 */
export function checkedVisibility({ visibility }: SearchClass): SearchClass['visibility'] {
  const checked = (caller: Caller): Visibility => {
    const answer: unknown = visibility(caller)
    if (isVisibility(answer)) return answer
    throw new StartFailure(
      'config',
      `search_class.visibility answered ${JSON.stringify(answer)}; ` +
        "it must answer {of: 'owner', user} or {of: 'deposits'}, as depositVisibility does.",
    )
  }
  try {
    checked(nobody)
  } catch (error) {
    // An error of its own may be right: it may know no such user.
    if (error instanceof StartFailure) throw error
  }
  return checked
}

function isVisibility(answer: unknown): answer is Visibility {
  if (typeof answer !== 'object' || answer === null) return false
  const { of, user, only } = answer as Readonly<Record<string, unknown>>
  if (only !== undefined && typeof only !== 'string') return false
  return of === 'deposits' || (of === 'owner' && typeof user === 'string')
}
