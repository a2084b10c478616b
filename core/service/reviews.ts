import { rolesOf, type Account, type Caller, type User, type UserId } from '../access/caller.ts'
import { hasReviewRight } from '../access/review-rights.ts'
import { personRoleOf } from '../access/rights.ts'
import { mostComments, mostOfOthers } from '../contract/review.ts'
import type { Deposit } from '../deposit/deposit.ts'
import { problem } from '../errors/errors.ts'
import { requirePermission } from '../deposit/permissions.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { Readers, UnitOfWork } from '../ports/database.ts'
import type { Comment } from '../ports/review.ts'
import type { Visibility } from '../search/visibility.ts'
import { authorize, findDeposit, permissionFor } from './authorize.ts'
import { boundPage } from './bounded-page.ts'
import { requireMetadataAllowed } from './limits.ts'
import type { Parts } from './parts.ts'
import { emailsOf } from './people.ts'
import { readableOf, type Found } from './search.ts'

/**
 * The drafts that wait for reviewers, longest first: all of them for those who review, else those
 * that the caller owns.
 *
 * @throws {DepositError} unauthenticated
 */
export async function listSubmitted(
  parts: Parts,
  caller: Caller,
  { offset, size }: { readonly offset: number; readonly size: number },
): Promise<Found<Deposit>> {
  const { deposits } = parts.database.read
  const { ids, total } = await deposits.submitted({
    visibility: visibleTo(parts, caller),
    ...(parts.pidTypes.length > 1 && { pidType: parts.pidType }),
    offset,
    limit: size,
  })
  const { items, ...page } = await boundPage(ids, deposits.measure)
  const batches = readableOf(parts, caller, deposits.batchesOf(items))
  return { batches, ...page, total, facets: {} }
}

function visibleTo(parts: Parts, caller: Caller): Visibility {
  const own = parts.visibility(caller)
  const isReviewer = typeof caller !== 'string' && caller.roles.size > 0
  if (!isReviewer) return own
  return { of: 'deposits', ...('only' in own && own.only !== undefined && { only: own.only }) }
}

/** A comment, with the name of the one who wrote it: or else their e-mail address, where it is known. */
export interface ToldComment extends Comment {
  readonly name?: string
}

/**
 * Comments on a deposit and the steps of its review, oldest first, for those who may read it.
 *
 * @throws what {@link authorize} throws
 */
export async function listComments(
  parts: Parts,
  caller: Caller,
  id: DepositId,
): Promise<readonly ToldComment[]> {
  const deposit = await authorize(parts, caller, id, 'read')
  if (typeof caller !== 'string' && caller.link)
    throw problem('permission_denied', {
      message: 'A link does not show comments: they have names.',
    })
  const { comments } = parts.database.read
  return withNames(parts.database.read, { caller, deposit }, await comments.list(id))
}

/**
 * Comments on a deposit: its revision stays. The text counts against the quota of the caller.
 *
 * @param after runs in the same unit of work, with the comment as the caller is told it
 * @throws {DepositError} quota_exceeded: it has as many comments as it may have, or the caller has no room
 */
export async function addComment(
  parts: Parts,
  caller: Caller,
  id: DepositId,
  text: string,
  after: (unit: UnitOfWork, made: ToldComment) => Promise<void> = async () => {},
): Promise<ToldComment> {
  await parts.blobs.requireRoomForRows()
  return parts.database.write(async (unit) => {
    const deposit = await findDeposit(unit, id, parts.pidType)
    requirePermission(caller, permissionFor(parts, 'comment'), deposit)
    if (typeof caller === 'string') throw problem('permission_denied')
    await requireRoomForComment(unit, caller, deposit)
    await requireMetadataAllowed(parts, unit, caller, caller.user, Buffer.byteLength(text))
    const { revision } = deposit
    const at = parts.clock.now()
    const comment = await unit.comments.add({ deposit: id, at, by: caller.user, text, revision })
    const [told = comment] = await withNames(unit, { caller, deposit }, [comment])
    await after(unit, told)
    return told
  })
}

/**
 * No editor takes the room of an owner or a reviewer.
 *
 * @throws {DepositError} quota_exceeded
 */
async function requireRoomForComment(
  { comments }: Pick<UnitOfWork, 'comments'>,
  caller: User,
  deposit: Deposit,
): Promise<void> {
  const isFirst =
    caller.admin ||
    personRoleOf(caller.user, deposit) === 'owner' ||
    hasReviewRight(caller, 'judge', deposit)
  const limit = isFirst ? mostComments : mostOfOthers
  if ((await comments.count(deposit.id, caller.user)) >= limit)
    throw problem('quota_exceeded', { limit, of: 'comments', per: 'You', next: tooMany })
  if (!isFirst && (await comments.count(deposit.id)) >= mostComments)
    throw problem('quota_exceeded', { limit: mostComments, of: 'comments', next: tooMany })
}

const tooMany = 'Messages of the actions submit, return and accept are still told.'

/** Who is told, and of which deposit. */
interface Told {
  readonly caller: Caller
  readonly deposit: Deposit
}

/**
 * Those with a role on the deposit are named by an address as far as the others know it; those with
 * a role of the service by the one that they have. Of anybody else the name is told alone.
 */
async function withNames(
  rows: Pick<Readers, 'accounts' | 'invitations'>,
  { caller, deposit }: Told,
  comments: readonly Comment[],
): Promise<readonly ToldComment[]> {
  const known = await emailsOf(rows, deposit)
  const isTold = (account: Account): boolean =>
    typeof caller === 'string' ||
    caller.admin ||
    caller.user === account.id ||
    known.has(account.id) ||
    (rolesOf(account).size > 0 && personRoleOf(account.id, deposit) === undefined)
  const users = [...new Set(comments.map(({ by }) => by))]
  const names = new Map<UserId, string>()
  for (const user of users) {
    const account = await rows.accounts.find(user)
    const name = account?.name ?? (account && isTold(account) ? account.email : undefined)
    if (name !== undefined) names.set(user, name)
  }
  return comments.map((comment) => {
    const name = names.get(comment.by)
    return { ...comment, ...(name !== undefined && { name }) }
  })
}
