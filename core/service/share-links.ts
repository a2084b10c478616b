import { randomUUID } from 'node:crypto'
import type { Caller, LinkRole, UserId } from '../access/caller.ts'
import { isGood, type ShareLink } from '../access/links.ts'
import { requirePermission } from '../deposit/permissions.ts'
import { problem, wrongField } from '../errors/errors.ts'
import { parseDepositId, type DepositId } from '../pid/deposit-pid.ts'
import { authorize, findDeposit, permissionFor } from './authorize.ts'
import type { Parts } from './parts.ts'

/** What a new link is to be. */
export interface NewLink {
  /** SHA-256 of its secret, 64 hexadecimal digits. */
  readonly hash: string
  readonly role: LinkRole
  /** A time, or a day; 30 days from now where it is absent. */
  readonly expires?: string | undefined
  readonly label?: string | undefined
  readonly anonymous?: boolean | undefined
}

interface Asked {
  readonly caller: Caller
  readonly id: DepositId
}

/** The use cases of links to a deposit. Owners and administrators alone make, list and revoke them. */
export interface ShareLinks {
  /** @throws {DepositError} malformed_request, quota_exceeded */
  readonly create: (asked: Asked, link: NewLink) => Promise<ShareLink>
  /** Those that were not revoked, oldest first. */
  readonly list: (asked: Asked) => Promise<readonly ShareLink[]>
  /** @throws {DepositError} not_found */
  readonly revoke: (asked: Asked, link: string) => Promise<void>
  /**
   * The link with a secret, while it is good.
   *
   * @throws {DepositError} not_found: there never was one, or its deposit is gone
   * @throws {DepositError} link_ended: it expired or was revoked, or its maker may make none now
   */
  readonly open: (hash: string) => Promise<ShareLink>
}

/** Links of one deposit that were not revoked. */
const mostLinks = 100

const presetMs = 30 * 24 * 60 * 60 * 1000

export function createShareLinks(parts: Parts): ShareLinks {
  const { database, clock } = parts
  return {
    create: async ({ caller, id }, wanted) => {
      const now = clock.now()
      const expires = toExpiry(wanted.expires, clock.forward())
      const anonymous = wanted.anonymous === true
      if (anonymous && wanted.role !== 'reader') {
        const why = 'Who changes a document has to see it: only a reader’s link can be anonymous.'
        throw wrongField('malformed_request', 'anonymous', why)
      }
      await parts.blobs.requireRoomForRows()
      return database.write(async (unit) => {
        const deposit = await findDeposit(unit, id, parts.pidType)
        requirePermission(caller, permissionFor(parts, 'share'), deposit)
        const others = await unit.links.list(id)
        if (others.length >= mostLinks)
          throw problem('quota_exceeded', {
            limit: mostLinks,
            of: 'links',
            next: 'Revoke one that is not needed any more.',
          })
        const { hash, role, label = '' } = wanted
        const createdBy = typeof caller === 'string' ? ('' as UserId) : caller.user
        const link = { id: randomUUID(), deposit: id, hash, role, label, anonymous, createdBy }
        const made = { ...link, created: now, expires }
        await unit.links.insert(made)
        return made
      })
    },
    list: async ({ caller, id }) => {
      await authorize(parts, caller, id, 'manage')
      return database.read.links.list(id)
    },
    revoke: ({ caller, id }, link) =>
      database.write(async (unit) => {
        const deposit = await findDeposit(unit, id, parts.pidType)
        requirePermission(caller, permissionFor(parts, 'share'), deposit)
        if (!(await unit.links.revoke(id, link, clock.now()))) throw problem('not_found')
      }),
    open: async (hash) => {
      const link = await database.read.links.findByHash(hash)
      if (!link) throw problem('not_found')
      if (!isGood(link, clock.forward())) throw problem('link_ended')
      if (!(await mayStillShare(parts, link))) throw problem('link_ended')
      return link
    },
  }
}

/** Whether the maker of a link may make one now: an owner or administrator who is not disabled. */
async function mayStillShare(
  { database: { read } }: Parts,
  { createdBy, deposit }: ShareLink,
): Promise<boolean> {
  // The service itself.
  if (createdBy === '') return true
  const account = await read.accounts.find(createdBy)
  if (!account || account.disabled) return false
  if (account.admin || account.claimedAdmin) return true
  const shared = await read.deposits.find(parseDepositId(deposit))
  // One that is out of sight is refused as such.
  return shared?.owners.includes(createdBy) ?? true
}

/** A day lasts until the next one begins. @throws {DepositError} malformed_request */
function toExpiry(text: string | undefined, now: string): string {
  if (text === undefined) return new Date(Date.parse(now) + presetMs).toISOString()
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const isTime = /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.test(text)
  const ms = isDay || isTime ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    throw wrongField('malformed_request', 'expires', 'Write a day, 2027-01-31, or a time in UTC.')
  const expires = new Date(isDay ? ms + 24 * 60 * 60 * 1000 : ms).toISOString()
  if (expires <= now) throw wrongField('malformed_request', 'expires', 'That time is over.')
  return expires
}
