import type {
  Account,
  BucketId,
  Clock,
  Database,
  FileKey,
  JsonObject,
  Role,
  VersionId,
} from '../../../core/index.ts'
import type { Scope } from '../../../core/contract/scopes.ts'
import { parseUserId, rolesOf } from '../../../core/index.ts'
import { isInTime, hashSecret, isSecret, newSecret } from './secret.ts'
import type { Identified } from '../../http/identity.ts'

/** The target of a link: one version of one file. */
export interface Downloadable {
  readonly bucket: BucketId
  readonly key: FileKey
  readonly version: VersionId
}

/**
 * Links with which a browser downloads by itself, without the token of a page: each for one version
 * of a file, once, within a minute. They are kept beside the tokens, so any daemon knows them.
 */
export interface DownloadLinks {
  /** The ticket of a new link, which works only while `caller` may read the file. */
  readonly issue: (caller: Identified, place: Downloadable) => Promise<DownloadTicket>
  /**
   * The user it was issued to, with the rights that they have now; undefined if it is used, too old,
   * for something else, or the user disabled or their token revoked.
   */
  readonly redeem: (
    ticket: string,
    place: Downloadable,
    use: TicketUse,
  ) => Promise<Identified | undefined>
}

/** `look` leaves the link as it is. */
export type TicketUse = 'look' | 'use'

/** A secret, and until when it is good. */
export interface DownloadTicket {
  readonly ticket: string
  /** ISO 8601, UTC. */
  readonly expires: string
}

/** The lifetime of a link. */
const lifetimeMs = 60_000

const kind = 'Download'

interface Stores {
  readonly database: Database
  readonly clock: Clock
}

export function downloadLinks({ database, clock }: Stores): DownloadLinks {
  return {
    issue: async (caller, place) => {
      const ticket = newSecret('download')
      const expires = new Date(Date.parse(clock.forward()) + lifetimeMs).toISOString()
      const payload = { ...toPayload(caller), place: nameOf(place) }
      const entry = { kind, hash: hashSecret(ticket), payload, expires }
      await database.write((unit) => unit.issuer.put(entry))
      return { ticket, expires }
    },
    redeem: async (ticket, place, use) => {
      if (!isSecret('download', ticket)) return undefined
      const hash = hashSecret(ticket)
      const found = await database.read.issuer.find(kind, hash)
      if (!found || found.consumed !== undefined || !isInTime(found, lifetimeMs, clock))
        return undefined
      if (found.payload['place'] !== nameOf(place)) return undefined
      if (use === 'use') {
        const now = Math.floor(Date.parse(clock.forward()) / 1000)
        const isFirst = await database.write((unit) => unit.issuer.consume(kind, hash, now))
        if (!isFirst) return undefined
      }
      return asOfNow(database, found.payload)
    },
  }
}

/**
 * The maker of a link with no more rights than they have left: one who is disabled, or whose token
 * was revoked, has none, and a role of the service that was taken away does not count.
 */
async function asOfNow({ read }: Database, payload: JsonObject): Promise<Identified | undefined> {
  const caller = toCaller(payload)
  const account = await read.accounts.find(caller.user)
  if (!account || account.disabled) return undefined
  const { id } = caller.token
  if (id !== undefined && !(await read.tokens.has(id))) return undefined
  const roles = caller.roles.intersection(everyRoleOf(account))
  return { ...caller, roles, admin: caller.admin && roles.has('administrator') }
}

/** Those that were granted, and those that claims of the issuer gave when the user was last seen. */
function everyRoleOf(account: Account): ReadonlySet<Role> {
  const { claimedAdmin, claimedRoles = [] } = account
  return rolesOf(account).union(
    new Set<Role>([...(claimedAdmin ? (['administrator'] as const) : []), ...claimedRoles]),
  )
}

/** No bucket and no version has a slash in it. */
function nameOf({ bucket, key, version }: Downloadable): string {
  return `${bucket}/${version}/${key}`
}

/** The stored payload of a link: the caller, beside the file. */
interface Kept {
  readonly user: string
  readonly scopes: readonly Scope[]
  readonly admin: boolean
  /** Absent in links of an older program. */
  readonly roles?: readonly Role[]
  readonly token: string
  /** Of a personal token. */
  readonly tokenId?: string
  readonly onlyDeposit?: string
  readonly person?: Pick<Identified, 'email' | 'name' | 'groups' | 'claims'>
}

function toPayload(caller: Identified): JsonObject {
  const { user, scopes, admin, roles, onlyDeposit, token, email, name, groups, claims } = caller
  // What a permission of the operator may ask of it; a claim that is no JSON cannot come.
  const person = JSON.parse(JSON.stringify({ email, name, groups, claims })) as JsonObject
  const only = onlyDeposit === undefined ? {} : { onlyDeposit }
  const id = token.id === undefined ? {} : { tokenId: token.id }
  const made = { token: token.name, ...id, person, ...only }
  return { user, scopes: [...scopes], admin, roles: [...roles], ...made }
}

function toCaller(payload: JsonObject): Identified {
  const {
    user,
    scopes,
    admin,
    roles = [],
    token,
    tokenId,
    onlyDeposit,
    person,
  } = payload as JsonObject & Kept
  return {
    user: parseUserId(user),
    scopes: new Set(scopes),
    admin,
    roles: new Set(roles),
    ...person,
    token: { name: token, ...(tokenId !== undefined && { id: tokenId }) },
    ...(onlyDeposit !== undefined && { onlyDeposit }),
  }
}
