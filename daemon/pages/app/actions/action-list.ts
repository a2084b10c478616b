import type { TextKey } from '../../text/text.ts'
import type { ProvidedPid } from '../../../../core/contract/pids.ts'
import type { Deposit } from '../api/deposits.ts'
import type { Page } from '../api/page.ts'
import {
  isSubmitted,
  mayAccept,
  mayChange,
  mayJudge,
  mayManage,
  type Standing,
} from '../people/standing.ts'

/** Steps of a review that ask for a message. */
export type ReviewAction = 'submit' | 'return' | 'accept'

/** Actions on a whole deposit, beside saving it. */
export type ActionName =
  | ReviewAction
  | 'take-back'
  | 'publish'
  | 'reserve'
  | 'edit'
  | 'newversion'
  | 'register'
  | 'discard'
  | 'withdraw'
  | 'restore-record'
  | 'delete'

export interface ActionChoice {
  readonly name: ActionName
  readonly isPrimary: boolean
  readonly isDanger: boolean
  /** True if the page asks first, because the action cannot be undone. */
  readonly asks: boolean
  /** Why it cannot be done now, where that is so. */
  readonly refusal?: TextKey
}

const asked = { isPrimary: false, isDanger: true, asks: true }
const plain = { isPrimary: false, isDanger: false, asks: false }
const primary = { isPrimary: true, isDanger: false, asks: false }
const restore: ActionChoice = { ...primary, name: 'restore-record', asks: true }

/**
 * The actions that the state of a deposit allows, the most likely first.
 *
 * @see Specification, "States and transitions"
 */
export function actionsFor(
  deposit: Deposit,
  standing: Standing,
  { reserves, review }: Pick<Page, 'reserves' | 'review'>,
): readonly ActionChoice[] {
  const { metadata, sealed, pids, withdrawn } = deposit
  const { status, value } = metadata._deposit
  if (isSubmitted(deposit)) return duringReview(deposit, standing, review)
  if (!mayChange(standing)) return ofOthers(deposit, standing)
  if (withdrawn) return afterWithdrawal(withdrawn.bytes_destroyed)
  if (status === 'draft') {
    const wasPublished = typeof value === 'string'
    const mayReserve = reserves === true && !wasPublished && toIdentifiers(pids).length === 0
    return [
      ...(review === 'required' ? [] : [{ ...primary, name: 'publish' as const, asks: true }]),
      ...(review === undefined
        ? []
        : [{ ...plain, name: 'submit' as const, asks: true, isPrimary: review === 'required' }]),
      ...(mayReserve ? [{ ...plain, name: 'reserve' as const }] : []),
      ...(wasPublished ? [{ name: 'discard' as const, ...asked }] : []),
      ...(!wasPublished && mayManage(standing) ? [{ name: 'delete' as const, ...asked }] : []),
    ]
  }
  if (sealed) {
    return [
      { ...primary, name: 'newversion' },
      { ...plain, name: 'edit', refusal: 'actions.sealed' },
      { ...plain, name: 'register', refusal: 'actions.registered' },
      { name: 'withdraw', ...asked },
    ]
  }
  return [
    { ...primary, name: 'edit' },
    { ...plain, name: 'newversion' },
    { name: 'register', ...asked },
    { name: 'withdraw', ...asked },
  ]
}

/** Of what is not theirs, curators withdraw and restore what was published. */
function ofOthers({ metadata, withdrawn }: Deposit, { roles }: Standing): readonly ActionChoice[] {
  if (!roles.includes('curator') || metadata._deposit.status === 'draft') return []
  if (!withdrawn) return [{ name: 'withdraw', ...asked }]
  return withdrawn.bytes_destroyed ? [] : [restore]
}

/** Reviewers accept or return it, and those who submitted it take it back. */
function duringReview(
  deposit: Deposit,
  standing: Standing,
  rule: Page['review'],
): readonly ActionChoice[] {
  const refusal = mayAccept(standing, deposit, rule) ? undefined : ('actions.ownDraft' as const)
  const judging: readonly ActionChoice[] = [
    { ...primary, name: 'accept', asks: true, ...(refusal && { refusal }) },
    { ...plain, name: 'return', asks: true },
  ]
  return [
    ...(mayJudge(standing) ? judging : []),
    ...(mayChange(standing) ? [{ ...plain, name: 'take-back' as const, asks: true }] : []),
  ]
}

/** What is left to do with a record that nobody else sees. */
function afterWithdrawal(isForGood: boolean): readonly ActionChoice[] {
  const newVersion = { ...plain, name: 'newversion' as const }
  return isForGood ? [newVersion] : [restore, newVersion]
}

/** An identifier from another service, with its kind. */
export interface KnownIdentifier extends ProvidedPid {
  readonly kind: string
}

/** The identifiers that a deposit has, or will have, from other services. */
export function toIdentifiers(pids: Deposit['pids']): readonly KnownIdentifier[] {
  return Object.entries(pids ?? {}).flatMap(([kind, pid]) =>
    isProvided(pid) ? [{ ...pid, kind: kind.toUpperCase() }] : [],
  )
}

function isProvided(pid: unknown): pid is ProvidedPid {
  return typeof pid === 'object' && pid !== null && 'status' in pid
}
