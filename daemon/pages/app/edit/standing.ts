import type { Role } from '../../../../core/access/caller.ts'
import type { PersonBody } from '../../../../core/contract/sharing-schemas.ts'
import type { Deposit } from '../api/deposits.ts'
import { readMe, type Me } from '../api/me.ts'
import type { Page } from '../api/page.ts'
import { sharingApi } from '../people/sharing-api.ts'

/** What the person who is signed in may do with a deposit; the daemon has the last word. */
export interface Standing {
  readonly user?: string
  /** Their role on the deposit. */
  readonly role?: PersonBody['role']
  /** Their roles on the service. */
  readonly roles: readonly Role[]
}

/** Of those who came by a link, whose page says what the link allows. */
const byLink: Standing = { roles: [] }

/** Asks who is signed in, and which role they have on the deposit. */
export async function readStanding(page: Page, id: string): Promise<Standing> {
  if (page.isByLink === true) return byLink
  const [me, people] = await Promise.all([
    orUndefined(readMe(page)),
    orUndefined(sharingApi(page, id).people()),
  ])
  return me ? standingOf(me, people ?? []) : byLink
}

function standingOf({ user, roles }: Me, people: readonly PersonBody[]): Standing {
  const role = people.find((person) => person.id === user)?.role
  return { user, roles, ...(role && { role }) }
}

/** Without it the page shows what the daemon may refuse. */
function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch(() => undefined)
}

/** True for all but readers, and reviewers and curators who have no role on the deposit. */
export function mayChange({ role, roles }: Standing): boolean {
  if (roles.includes('administrator')) return true
  return role === undefined ? roles.length === 0 : role !== 'reader'
}

/** True for those who return and accept drafts. */
export function mayJudge({ roles }: Standing): boolean {
  return roles.length > 0
}

/** Where review is required, only administrators accept drafts of their own. */
export function mayAccept(
  { user, role, roles }: Standing,
  { review }: Deposit,
  rule: Page['review'],
): boolean {
  if (rule !== 'required' || roles.includes('administrator')) return true
  return role !== 'owner' && role !== 'editor' && review?.submitted_by !== user
}

/** True of a draft that is not submitted, for those who may change it. */
export function isChangeable(deposit: Deposit, standing: Standing): boolean {
  const isDraft = deposit.metadata._deposit.status === 'draft'
  return isDraft && !isSubmitted(deposit) && mayChange(standing)
}

/** True of a draft that waits for reviewers, and does not change until then. */
export function isSubmitted({ review }: Deposit): boolean {
  return review?.state === 'submitted'
}
