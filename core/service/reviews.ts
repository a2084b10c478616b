import type { Caller } from '../access/caller.ts'
import { mostComments } from '../contract/review.ts'
import type { Deposit } from '../deposit/deposit.ts'
import { problem } from '../errors/errors.ts'
import { requirePermission } from '../deposit/permissions.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { Comment } from '../ports/review.ts'
import type { Visibility } from '../search/visibility.ts'
import { authorize, findDeposit, permissionFor } from './authorize.ts'
import { boundPage } from './bounded-page.ts'
import type { Parts } from './parts.ts'
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

/** A comment, with the name of the one who wrote it: or else their e-mail address. */
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
  await authorize(parts, caller, id, 'read')
  if (typeof caller !== 'string' && caller.link)
    throw problem('permission_denied', {
      message: 'A link does not show comments: they have names.',
    })
  const { comments } = parts.database.read
  return withNames(parts, await comments.list(id))
}

/**
 * Comments on a deposit: its revision stays.
 *
 * @throws {DepositError} quota_exceeded: it has as many comments as it may have
 */
export async function addComment(
  parts: Parts,
  caller: Caller,
  id: DepositId,
  text: string,
): Promise<ToldComment> {
  await parts.blobs.requireRoomForRows()
  const made = await parts.database.write(async (unit) => {
    const deposit = await findDeposit(unit, id, parts.pidType)
    requirePermission(caller, permissionFor(parts, 'comment'), deposit)
    if (typeof caller === 'string') throw problem('permission_denied')
    if ((await unit.comments.count(id)) >= mostComments)
      throw problem('quota_exceeded', { limit: mostComments, of: 'comments', next: tooMany })
    const { revision } = deposit
    return unit.comments.add({
      deposit: id,
      at: parts.clock.now(),
      by: caller.user,
      text,
      revision,
    })
  })
  const [told = made] = await withNames(parts, [made])
  return told
}

const tooMany = 'Messages of the actions submit, return and accept are still told.'

async function withNames(
  { database: { read } }: Parts,
  comments: readonly Comment[],
): Promise<readonly ToldComment[]> {
  const users = [...new Set(comments.map(({ by }) => by))]
  const accounts = await Promise.all(users.map((user) => read.accounts.find(user)))
  const names = new Map(
    accounts.flatMap((each) => (each ? [[each.id, each.name ?? each.email] as const] : [])),
  )
  return comments.map((comment) => {
    const name = names.get(comment.by)
    return { ...comment, ...(name !== undefined && { name }) }
  })
}
