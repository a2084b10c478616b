import { mayAccept, type Review, type ReviewState } from '../access/review-rights.ts'
import type { Caller, UserId } from '../access/caller.ts'
import {
  acceptRequest,
  mostSteps,
  returnRequest,
  submitRequest,
  type AcceptRequest,
  type ReturnRequest,
  type ReviewStep,
  type SubmitRequest,
} from '../contract/review.ts'
import type { Deposit, DraftDeposit } from '../deposit/deposit.ts'
import { problem, refused, wrongField } from '../errors/errors.ts'
import type { ActionContext, DepositAction } from './action.ts'
import { prepareMerge } from './published-record.ts'
import { publishDraft, requireReady } from './publish.ts'

/**
 * Sends a draft to the reviewers, if it could be published as it is. From then on it does not change
 * until it is taken back or returned: they accept what they have looked at.
 *
 * @see Publication, "Review"
 */
export const submit: DepositAction = {
  summary: 'Submit the draft for review',
  needs: 'submit',
  takes: submitRequest,
  canDoWithoutBody: true,
  countsMessage: true,
  onSubmitted: true,
  prepare: prepareMerge,

  async run(deposit, context) {
    if (context.review === 'none') throw refused('submit', 'no_reviews')
    if (deposit.review?.state === 'submitted') throw refused('submit', 'submitted_already')
    const draft = requireReviewable(deposit, 'submit')
    await requireReady(draft, 'submit', context)
    const { message } = (context.input ?? {}) as SubmitRequest
    return step(draft, 'submit', context, message)
  },
}

/** Takes a submitted draft back, so that it can be changed again. */
export const takeBack: DepositAction = {
  summary: 'Take a submitted draft back, to change it',
  needs: 'submit',
  onSubmitted: true,
  onWithdrawn: true,
  freesRoom: true,

  run: (deposit, context) => step(requireSubmitted(deposit, 'take-back'), 'take-back', context),
}

/** Gives a submitted draft back to its owners, who can change it and submit it again. */
export const returnDraft: DepositAction = {
  summary: 'Return a submitted draft to its owners, with a message',
  needs: 'judge',
  takes: returnRequest,
  onSubmitted: true,
  onWithdrawn: true,
  freesRoom: true,

  run: (deposit, context) => {
    const { message } = context.input as ReturnRequest
    return step(requireSubmitted(deposit, 'return'), 'return', context, message)
  },
}

/** Publishes a submitted draft as it was looked at: any later change refuses it. */
export const accept: DepositAction = {
  summary: 'Accept a submitted draft: publish the revision that was looked at',
  needs: 'judge',
  status: 202,
  takes: acceptRequest,
  canDoWithoutBody: true,
  onSubmitted: true,
  copiesDocument: true,
  prepare: prepareMerge,

  async run(deposit, context) {
    const { revision, message } = (context.input ?? {}) as AcceptRequest
    if (revision === undefined && !context.isRevisionExpected)
      throw wrongField('malformed_request', '/revision', unseen)
    if (revision !== undefined && revision !== deposit.revision)
      throw problem('stale_revision', { current: deposit.revision })
    const draft = requireSubmitted(deposit, 'accept')
    const { caller, review } = context
    if (typeof caller !== 'string' && !mayAccept(caller, draft, review, draft.makers))
      throw problem('permission_denied', { message: ownDraft })
    const published = await publishDraft(draft, 'accept', context)
    const judged = await step(draft, 'accept', context, message)
    return { ...published, ...(judged.review && { review: judged.review }) }
  },
}

const unseen =
  'Say which revision was looked at: by If-Match with its entity tag, or by revision in the body.'

const ownDraft =
  'This service publishes what others have reviewed: somebody else has to accept a draft of yours, or one that you have changed. Give up your role on it if it was given to you unasked.'

/** @throws {DepositError} invalid_action: it is published */
function requireReviewable(deposit: Deposit, operation: string): DraftDeposit {
  if (deposit.status === 'published') throw refused(operation, 'published_reviewed')
  return deposit
}

/** @throws {DepositError} invalid_action: it is published, or does not wait for reviewers */
function requireSubmitted(deposit: Deposit, operation: string): DraftDeposit {
  const draft = requireReviewable(deposit, operation)
  if (draft.review?.state !== 'submitted') throw refused(operation, 'not_submitted')
  return draft
}

const states: Readonly<Record<ReviewStep, ReviewState | undefined>> = {
  submit: 'submitted',
  'take-back': undefined,
  return: 'returned',
  accept: 'accepted',
}

/** The draft after a step of its review, which is told among its comments. */
async function step(
  { review: before, ...draft }: DraftDeposit,
  action: ReviewStep,
  { unit, caller, now }: ActionContext,
  message?: string,
): Promise<DraftDeposit> {
  // Of submissions, it is the revision that comes into being.
  const revision = action === 'submit' ? draft.revision + 1 : draft.revision
  const by = userOf(caller)
  if (by !== undefined) {
    const told = { deposit: draft.id, at: now, by, text: message ?? '', revision }
    await unit.comments.addStep({ ...told, action }, mostSteps)
  }
  const state = states[action]
  if (state === undefined) return draft
  const submittedBy = action === 'submit' ? by : before?.submittedBy
  const review: Review = {
    state,
    ...(by !== undefined && { by }),
    at: now,
    revision,
    ...(message !== undefined && { message }),
    ...(submittedBy !== undefined && { submittedBy }),
  }
  return { ...draft, review }
}

function userOf(caller: Caller): UserId | undefined {
  return typeof caller === 'string' ? undefined : caller.user
}
