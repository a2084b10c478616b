import { problem, type DepositError } from '../errors/errors.ts'
import type { UserId } from '../access/caller.ts'
import { amountsOf, quotaOf, type Amount } from '../contract/usage.ts'
import { sumOfUsage, type Usage } from '../ports/uploads.ts'
import { forgottenAt } from './kept-answers.ts'
import type { Parts } from './parts.ts'

/** The quota of a user, and how much of it something would use. */
export interface Shortage {
  readonly quota: number
  /** Bytes that there would be with what is refused; absent where it is not known yet. */
  readonly wanted?: number
  /** Of the user, where the caller may know it. */
  readonly email?: string
  /** Bytes of `wanted` that would be kept for an `Idempotency-Key`, and for nothing else. */
  readonly answer?: number
}

/** The usage of a user at the time it was looked up. */
export interface TakenStock extends Usage {
  /** When the oldest answer is forgotten: ISO 8601, UTC. */
  readonly forgotten?: string
  /** Bytes of deleted files that are kept: they make room as soon as they are enough. */
  readonly trash?: number
}

/** Looks up what a user has, for {@link quotaExceeded}: what is refused is not in it. */
export async function takeStock(parts: Parts, user: UserId): Promise<TakenStock> {
  const [stock, trash] = await Promise.all([
    takeStockAhead(parts, user),
    parts.database.read.trash.bytesOf(user),
  ])
  return { ...stock, trash }
}

/** The same for a refusal that may come: without what takes longer to look up. */
export async function takeStockAhead(
  { database: { read } }: Parts,
  user: UserId,
): Promise<TakenStock> {
  const usage = await read.usage.breakdown(user)
  const oldest = usage.answers > 0 ? await read.answers.oldest(user) : undefined
  return { ...usage, ...(oldest !== undefined && { forgotten: forgottenAt(oldest) }) }
}

const nothing: TakenStock = { files: 0, uploads: 0, metadata: 0, answers: 0 }

/** Tells what a quota is used by, what would have been added, and what makes room. */
export function quotaExceeded(
  { quota, wanted, email, answer }: Shortage,
  stock: TakenStock = nothing,
  arriving = 0,
): DepositError<'quota_exceeded'> {
  const used = sumOfUsage(stock) + arriving
  const amounts: readonly Amount[] = [
    ...amountsOf(stock),
    ...(arriving > 0 ? [[arriving, 'files that are arriving'] as const] : []),
  ]
  const each = amounts.map(([bytes, of]) => `${bytes} by ${of}`)
  // What a deposit shared with the caller has is its owner's business.
  const by = email === undefined || each.length === 0 ? '' : ` (${each.join(', ')})`
  const isAnswer =
    answer === undefined ? '' : ', with the answer to be kept for its Idempotency-Key'
  const isBeyond = wanted !== undefined && wanted - used > quota
  const added =
    wanted === undefined
      ? 'this does not fit into the rest'
      : `this would add ${wanted - used}${isBeyond ? ', more than the whole quota' : ''}`
  const remedies = [
    ...(answer === undefined ? [] : ['send the request without the key']),
    ...(isBeyond ? [] : remediesOf(stock, (wanted ?? quota + 1) - quota)),
    `let an operator raise the quota: depositd user quota ${email ?? '<email>'} <size>`,
  ]
  return problem('quota_exceeded', {
    message:
      `${quotaOf(email)} is ${quota} bytes: ${used} of them are used${by}, ` +
      `and ${added}${isAnswer}. To make room, ${remedies.join('; or ')}`,
    ...(answer !== undefined && {
      faults: [
        { field: 'Idempotency-Key', message: 'Without the key no answer is kept: leave it out.' },
      ],
    }),
  })
}

/**
 * @param missing bytes; 1 where they are not known yet. What cannot make so much room is no advice,
 *   unless nothing can alone; to wait is none then
 */
function remediesOf(
  { files, uploads, metadata, answers, forgotten, trash = 0 }: TakenStock,
  missing: number,
): readonly string[] {
  const more =
    trash > 0 && trash < missing
      ? `, ${missing - trash} bytes of them: with so many more, the ${trash} bytes of those that were deleted and are kept make room by themselves`
      : missing > 1
        ? `, ${missing} bytes of them`
        : ''
  const all = [
    [files + metadata, `delete files, drafts or metadata that are not needed${more}`],
    [uploads, 'delete uploads that are not to be finished'],
    [
      answers,
      'wait until answers are forgotten, each 24 hours after it was given, ' +
        `the oldest at ${forgotten ?? 'any moment'}`,
    ],
  ] as const
  const enough = all.filter(([bytes]) => bytes >= missing)
  const [kept, left] = all
  const some = enough.length > 0 ? enough : [kept, left].filter(([bytes]) => bytes > 0)
  return some.map(([, words]) => words)
}
