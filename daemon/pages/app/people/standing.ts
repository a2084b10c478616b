import type { PersonBody } from '../../../../core/contract/sharing-schemas.ts'
import { text, type TextKey } from '../../text/text.ts'
import type { Deposit } from '../api/deposits.ts'
import { readMe, type Me, type ServiceRole } from '../api/me.ts'
import type { Page } from '../api/page.ts'
import { sharingApi } from './sharing-api.ts'

/** What the person who is signed in may do with a deposit; the daemon has the last word. */
export interface Standing {
  readonly user?: string
  /** Their role on the deposit. */
  readonly role?: PersonBody['role']
  /** Their roles on the service. */
  readonly roles: readonly ServiceRole[]
  /** Everybody with a role on the deposit. */
  readonly people: readonly PersonBody[]
}

/** Of those who came by a link, whose page says what the link allows. */
const byLink: Standing = { roles: [], people: [] }

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
  return { user, roles, people, ...(role && { role }) }
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

/** True for those who say who has access. */
export function mayManage(standing: Standing): boolean {
  return mayChange(standing) && standing.role !== 'editor'
}

/** True for those who can give up their role by themselves. An owner hands the deposit over first. */
export function mayLeave({ role }: Standing): boolean {
  return role === 'editor' || role === 'reader'
}

/** True for those who return and accept drafts. */
export function mayJudge({ roles }: Standing): boolean {
  return roles.length > 0
}

/** True for those whom the deposit stays open to when its review is over. */
export function mayStay(standing: Standing): boolean {
  return standing.role !== undefined || mayChange(standing) || standing.roles.includes('curator')
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

/** True of those who correct the metadata of a draft of others while it waits for reviewers. */
export function mayCorrect({ user, role, roles }: Standing, deposit: Deposit): boolean {
  const isRanked = roles.includes('curator') || roles.includes('administrator')
  const { created_by: creator } = deposit.metadata._deposit
  const isOwn = role === 'owner' || role === 'editor' || creator === user
  return isSubmitted(deposit) && isRanked && !isOwn && deposit.review?.submitted_by !== user
}

/** Why somebody sees a deposit that they may not change. */
export function reasonToRead(deposit: Deposit, standing: Standing): TextKey | undefined {
  if (mayChange(standing)) return undefined
  const isDraft = deposit.metadata._deposit.status === 'draft'
  if (standing.role === 'reader') return isDraft ? 'standing.reader' : undefined
  if (standing.role !== undefined) return undefined
  return isSubmitted(deposit) ? 'standing.reviewer' : 'standing.curator'
}

/** The user of an id in words: `you`, their e-mail address if it is known, or what stands for it. */
export function nameOfUser(id: string, { user, people }: Standing, email?: string): string {
  if (id === user) return text('history.you')
  if (id === 'system') return text('history.operator')
  const known = people.find((person) => person.id === id)?.user.email
  return email ?? known ?? text('history.somebody')
}
