import type { Role, UserId } from './caller.ts'

/** `DEPOSIT_REVIEW`: whether drafts are published by their owners, by reviewers, or by both. */
export const reviewRules = ['none', 'optional', 'required'] as const

export type ReviewRule = (typeof reviewRules)[number]

export const reviewStates = ['submitted', 'returned', 'accepted'] as const

export type ReviewState = (typeof reviewStates)[number]

/** Where the review of a deposit stands: beside its status, which stays draft or published. */
export interface Review {
  readonly state: ReviewState
  /** The user who brought it there; absent where the service did. */
  readonly by?: UserId
  /** ISO 8601, UTC. */
  readonly at: string
  /** The deposit's revision that was submitted, returned or accepted. */
  readonly revision: number
  /** For the reviewers, where it was submitted; for the owners, where it was returned. */
  readonly message?: string
  /** The user who submitted it. */
  readonly submittedBy?: UserId
}

/**
 * Rights that a role of the service gives on a submitted draft of others: `read` it with its files;
 * `judge` it: comment, return and accept; `correct` its metadata.
 */
export type ReviewRight = 'read' | 'judge' | 'correct'

/** What the rights of review depend on. */
export interface Reviewed {
  readonly owners: readonly UserId[]
  readonly createdBy: UserId
  /** Everybody with a role on the deposit, where it is shared. */
  readonly people?: readonly { readonly user: UserId; readonly role: string }[]
  readonly review?: Review
}

/** Somebody who reviews, with the roles that count. */
export interface Reviewer {
  readonly user: UserId
  readonly roles: ReadonlySet<Role>
}

const rights: Readonly<Record<Role, readonly ReviewRight[]>> = {
  administrator: ['read', 'judge', 'correct'],
  curator: ['read', 'judge', 'correct'],
  reviewer: ['read', 'judge'],
}

/** Whether a role lets a user do this to a deposit, whether it is theirs or not. */
export function hasReviewRight(
  { roles }: Reviewer,
  right: ReviewRight,
  deposit: Reviewed | undefined,
): boolean {
  if (deposit?.review?.state !== 'submitted') return false
  return [...roles].some((role) => rights[role].includes(right))
}

/** A draft that a user owns, made, edits or submitted. */
function isOwnDraft(user: UserId, { owners, createdBy, people = [], review }: Reviewed): boolean {
  const isEditor = people.some((each) => each.user === user && each.role !== 'reader')
  return isEditor || [...owners, createdBy, review?.submittedBy].includes(user)
}

/**
 * Where review is required, only administrators accept drafts of their own, or those that they have
 * changed themselves.
 *
 * @param makers those who have changed the document or the files since it was last published
 */
export function mayAccept(
  reviewer: Reviewer,
  deposit: Reviewed,
  rule: ReviewRule,
  makers: readonly UserId[] = [],
): boolean {
  if (rule !== 'required' || reviewer.roles.has('administrator')) return true
  return !isOwnDraft(reviewer.user, deposit) && !makers.includes(reviewer.user)
}

/** The document of a submitted draft is corrected by others than those who submitted it. */
export function mayCorrect(reviewer: Reviewer, deposit: Reviewed): boolean {
  return hasReviewRight(reviewer, 'correct', deposit) && !isOwnDraft(reviewer.user, deposit)
}
