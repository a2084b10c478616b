import type { UserId } from '../access/caller.ts'
import type { ReviewStep } from '../contract/review.ts'
import type { DepositId } from '../pid/deposit-pid.ts'

/** A comment on a deposit, or a step of its review. */
export interface Comment {
  /** Ids rise with time. */
  readonly id: string
  readonly deposit: DepositId
  /** ISO 8601, UTC. */
  readonly at: string
  readonly by: UserId
  readonly text: string
  /** Absent for a comment. */
  readonly action?: ReviewStep
  /** The deposit's revision then. */
  readonly revision: number
}

export interface CommentReader {
  /** Oldest first. */
  readonly list: (deposit: DepositId) => Promise<readonly Comment[]>
  /** Comments alone, without the steps of reviews: all, or those of one user. */
  readonly count: (deposit: DepositId, by?: UserId) => Promise<number>
}

export interface CommentWriter extends CommentReader {
  readonly add: (comment: Omit<Comment, 'id'>) => Promise<Comment>
  /**
   * Adds a step of a review. Of more than `most` the oldest are removed: submissions and what was
   * taken back first, without a message before those with one; then the others.
   */
  readonly addStep: (step: Omit<Comment, 'id'>, most: number) => Promise<void>
}
