import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import {
  auditListBody,
  invitationListBody,
  refusedListBody,
  userBody,
  userChange,
  userListBody,
  withdrawalListBody,
  workBody,
  type InvitationListBody,
  type UserBody,
  type UserChange,
  type WorkBody,
} from '../../core/contract/admin-schemas.ts'
import { actionsScope, type Scope } from '../../core/contract/scopes.ts'
import {
  isGrantedRole,
  problem,
  rolesOf,
  sumOfUsage,
  wrongField,
  type Account,
  auditTrail,
  type Caller,
  type Database,
  type UserId,
} from '../../core/index.ts'
import { endSignIns } from '../sign-in/identity/end-sign-ins.ts'
import { toWithdrawalBody } from '../discovery/tombstones.ts'
import { json } from './openapi/parameters.ts'
import { done, resource } from './route.ts'
import type { Services } from './services.ts'

/** Rows of a list, unless `size` says otherwise, and at most. */
const usualSize = 100
const mostRows = 1000

const size = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: mostRows,
    default: usualSize,
    description: 'Rows of the list at most.',
  }),
)
const page = Type.Optional(
  Type.Integer({ minimum: 1, default: 1, description: 'Page of the list.' }),
)
const word = (description: string) => Type.Optional(Type.String({ description }))

/** `/admin/`: users, withdrawals, refused identifiers and the audit trail, for administrators. */
export function adminRoutes(services: Services): FastifyPluginAsync {
  const { parts, routes, links, flushAudit } = services
  const { database } = parts
  return async (app) => {
    resource(app, services, routes.adminUsers, {
      GET: {
        id: 'listUsers',
        tag: 'administration',
        summary: 'List the users, oldest first',
        needs: 'administer',
        query: { q: word('A part of the e-mail address or the name.'), page, size },
        answers: { 200: done(userListBody) },
        handler: async (request) => {
          const { q = '' } = request.query as Asked
          const wanted = q.toLowerCase()
          const all = (await database.read.accounts.list()).filter(({ email, name = '' }) =>
            `${email} ${name.toLowerCase()}`.includes(wanted),
          )
          const limit = numberIn(request, 'size', usualSize, mostRows)
          const start = (numberIn(request, 'page', 1) - 1) * limit
          const users = all.slice(start, start + limit).map((each) => toUserBody(database, each))
          return { total: all.length, users: await Promise.all(users) }
        },
      },
    })
    resource(app, services, routes.adminUser, {
      GET: {
        id: 'readUser',
        tag: 'administration',
        summary: 'Read a user',
        needs: 'administer',
        answers: { 200: done(userBody) },
        handler: async (request) => toUserBody(database, await findUser(database, request)),
      },
      PATCH: {
        id: 'changeUser',
        tag: 'administration',
        summary: 'Change roles and quota of a user, or disable them',
        details: 'Roles need `deposit:actions` beside `deposit:write`.',
        needs: 'administer',
        body: json(userChange),
        isChecked: true,
        answers: { 200: done(userBody) },
        handler: async (request) => {
          const { id } = await findUser(database, request)
          const change = request.body as UserChange
          if (change.roles) requireScope(request.caller, actionsScope)
          request.deed = deedOf(request, change)
          const changed = await database.write(async (unit) => {
            const { accounts } = unit
            const current = await accounts.find(id)
            if (!current) throw problem('not_found')
            const next = changedBy(current, change)
            if (isActiveAdmin(current) && !isActiveAdmin(next))
              requireOtherAdmin(await accounts.list(), id)
            await accounts.update(next)
            if (next.disabled) await endSignIns(unit, id)
            return next
          })
          return toUserBody(database, changed)
        },
      },
    })
    resource(app, services, routes.adminWithdrawals, {
      GET: {
        id: 'listWithdrawals',
        tag: 'administration',
        summary: 'List the records that were withdrawn, last change first',
        needs: 'administer',
        query: { size },
        answers: { 200: done(withdrawalListBody) },
        handler: async (request) => {
          const limit = numberIn(request, 'size', usualSize, mostRows)
          const found = await database.read.deposits.withdrawn(limit)
          return found.flatMap(({ id, record, withdrawal }) =>
            record && withdrawal
              ? [{ record: record.value, deposit: id, ...toWithdrawalBody(withdrawal, links) }]
              : [],
          )
        },
      },
    })
    resource(app, services, routes.adminRefusals, {
      GET: {
        id: 'listRefusedIdentifiers',
        tag: 'administration',
        summary: 'List the identifiers, such as DOIs, that their provider refuses',
        needs: 'administer',
        query: { size },
        answers: { 200: done(refusedListBody) },
        handler: async (request) => {
          const limit = numberIn(request, 'size', usualSize, mostRows)
          const asked = { after: '', limit, status: 'refused' } as const
          const found = await database.read.identifiers.list(asked)
          return found.map(({ value, provider, subject, message = null, field = null }) => ({
            value,
            provider,
            subject,
            message,
            field,
          }))
        },
      },
    })
    resource(app, services, routes.adminInvitations, {
      GET: {
        id: 'listInvitations',
        tag: 'administration',
        summary: 'List the people who were invited and have no account yet, newest first',
        needs: 'administer',
        query: { size },
        answers: { 200: done(invitationListBody) },
        handler: async (request) =>
          listInvitations(database, numberIn(request, 'size', usualSize, mostRows)),
      },
    })
    resource(app, services, routes.adminWork, {
      GET: {
        id: 'countWork',
        tag: 'administration',
        summary: 'Count what waits: reviews, invitations, identifiers on their way, deleted files',
        needs: 'administer',
        answers: { 200: done(workBody) },
        handler: async () => countWork(database),
      },
    })
    resource(app, services, routes.adminAudit, {
      GET: {
        id: 'listAudit',
        tag: 'administration',
        summary: 'List the audit trail, newest first',
        needs: 'administer',
        query: {
          user: word('Id of a user, or `owner` for commands of the operator.'),
          deposit: word('Id of a deposit.'),
          since: word('A time: ISO 8601.'),
          before: word('Id of an entry: those before it.'),
          size,
        },
        answers: { 200: done(auditListBody) },
        handler: async (request) => {
          await flushAudit()
          return auditTrail(database, toAuditRequest(request))
        },
      },
    })
  }
}

async function listInvitations(
  { read: { invitations } }: Database,
  limit: number,
): Promise<InvitationListBody> {
  const found = await invitations.list(limit)
  const inviters = [...new Set(found.flatMap(({ by }) => by ?? []))]
  const emails = await invitations.emailsOf(inviters)
  return {
    total: await invitations.count(),
    invitations: found.map(({ user, email, created, by }) => ({
      id: user,
      email,
      since: created,
      by: by === undefined ? null : { id: by, email: emails.get(by) ?? null },
    })),
  }
}

async function countWork({ read }: Database): Promise<WorkBody> {
  const { deposits, identifiers, invitations, trash } = read
  const everywhere = { visibility: { of: 'deposits' }, offset: 0, limit: 1 } as const
  const paused = await identifiers.pauses()
  return {
    submitted: (await deposits.submitted(everywhere)).total,
    invitations: await invitations.count(),
    identifiers: {
      pending: await identifiers.count('pending'),
      refused: await identifiers.count('refused'),
      paused: paused.map(({ provider, message, since }) => ({ provider, message, since })),
    },
    trash: await trash.totals(),
  }
}

type Asked = Readonly<Record<string, string | undefined>>

/** @throws {DepositError} malformed_request: the parameter is no number, or too large */
function numberIn({ query }: FastifyRequest, name: string, preset: number, most = 1e6): number {
  const text = (query as Asked)[name]
  if (text === undefined) return preset
  const number = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= most) return number
  throw wrongField('malformed_request', name, `A number from 1 to ${most} is expected.`)
}

function toAuditRequest(request: FastifyRequest): Parameters<typeof auditTrail>[1] {
  const { user, deposit, since, before } = request.query as Asked
  const time = since === undefined ? undefined : Date.parse(since)
  if (Number.isNaN(time))
    throw wrongField('malformed_request', 'since', 'A time is expected, such as 2026-11-24.')
  return {
    ...(user !== undefined && { who: user }),
    ...(deposit !== undefined && { deposit }),
    ...(time !== undefined && { since: new Date(time).toISOString() }),
    ...(before !== undefined && { before }),
    limit: numberIn(request, 'size', usualSize, mostRows),
  }
}

/** @throws {DepositError} not_found */
async function findUser({ read }: Database, { params }: FastifyRequest): Promise<Account> {
  const { id } = params as { readonly id: string }
  const account = await read.accounts.find(id as UserId)
  if (!account) throw problem('not_found')
  return account
}

/**
 * A role may publish, accept and withdraw what is others'.
 *
 * @throws {DepositError} insufficient_scope
 */
function requireScope(caller: Caller, scope: Scope): void {
  if (typeof caller !== 'string' && !caller.scopes.has(scope))
    throw problem('insufficient_scope', { scope })
}

/** The change in words for the audit trail, which has no bodies: `PATCH … roles=curator disabled=true`. */
function deedOf(
  { method, routeOptions: { url = '' } }: FastifyRequest,
  change: UserChange,
): string {
  const words = Object.entries(change).map(([name, value]) => `${name}=${String(value)}`)
  return [method, url, ...words].join(' ')
}

function changedBy(account: Account, { disabled, quota, roles }: UserChange): Account {
  const { quota: before, ...rest } = account
  const next = quota === undefined ? before : (quota ?? undefined)
  return {
    ...rest,
    ...(next !== undefined && { quota: next }),
    ...(disabled !== undefined && { disabled }),
    ...(roles && { admin: roles.includes('administrator'), roles: roles.filter(isGrantedRole) }),
  }
}

const isActiveAdmin = ({ admin, disabled }: Account): boolean => admin && !disabled

/** @throws {DepositError} permission_denied: no administrator would be left */
function requireOtherAdmin(accounts: readonly Account[], id: UserId): void {
  if (accounts.some((each) => each.id !== id && isActiveAdmin(each))) return
  const message = 'This is the last administrator who is not disabled: make another user one first.'
  throw problem('permission_denied', { message })
}

async function toUserBody({ read: { usage } }: Database, account: Account): Promise<UserBody> {
  const { id, email, name = null, disabled, quota = null, created } = account
  const { claimedAdmin, claimedRoles = [] } = account
  const own = await usage.breakdown(id)
  return {
    id,
    email,
    name,
    roles: [...rolesOf(account)],
    roles_by_claim: [...(claimedAdmin ? ['administrator'] : []), ...claimedRoles],
    disabled,
    quota,
    used: sumOfUsage(own),
    usage: own,
    created,
  }
}
