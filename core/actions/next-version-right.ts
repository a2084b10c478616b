import type { UserId } from '../access/caller.ts'
import { hasRight, personRoleOf } from '../access/rights.ts'
import type { Deposit, DraftDeposit } from '../deposit/deposit.ts'
import { problem } from '../errors/errors.ts'
import type { Readers } from '../ports/database.ts'
import type { ActionContext } from './action.ts'

/** The deposit of the newest version of a concept that was published. */
export async function newestOf(
  { records, deposits }: Pick<Readers, 'records' | 'deposits'>,
  concept: string,
): Promise<Deposit | undefined> {
  const newest = await records.findNewest(concept)
  return newest && deposits.find(newest.deposit.id)
}

/**
 * Demands the right to act on the newest version of a record from those who publish the next one: the
 * address of all versions leads there. Rights on the draft alone, which may be older, do not do.
 *
 * @throws {DepositError} permission_denied
 */
export async function requireRightOnNewest(
  draft: DraftDeposit,
  operation: string,
  context: ActionContext,
): Promise<void> {
  const message = await findLostRight(context.unit, draft, operation, context)
  if (message !== undefined) throw problem('permission_denied', { message })
}

/** Why {@link requireRightOnNewest} refuses; undefined if it does not. */
export async function findLostRight(
  rows: Pick<Readers, 'records' | 'deposits'>,
  draft: DraftDeposit,
  operation: string,
  { caller, mayActOn }: Pick<ActionContext, 'caller' | 'mayActOn'>,
): Promise<string | undefined> {
  if (draft.record) return undefined
  const newest = await newestOf(rows, draft.concept)
  if (!newest || mayActOn(newest)) return undefined
  const hasRole = (user: UserId): boolean => {
    const role = personRoleOf(user, newest)
    return role !== undefined && hasRight(role, 'act')
  }
  const { user, link } = typeof caller === 'string' ? {} : caller
  // Reviewers judge what others want to publish, and holders of links act for the owners.
  const isForOthers = operation === 'accept' || link !== undefined
  const { submittedBy } = draft.review ?? {}
  const others = isForOthers ? [...draft.owners, submittedBy] : []
  if ([user, ...others].some((each) => each !== undefined && hasRole(each))) return undefined
  return isForOthers ? lost : notShared
}

const notShared =
  'The newest version of this record is not shared with you, so you cannot publish the next one: ask an owner of the newest version to make you its editor, or an administrator to publish the draft.'

const lost =
  'No owner of this draft may publish versions of its record any more: an owner of the newest version makes one of them its editor, or an administrator accepts the draft.'
