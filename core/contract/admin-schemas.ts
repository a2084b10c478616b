import { Type, type Static } from 'typebox'
import { timestamp, usageBody } from './schemas.ts'
import { withdrawalBody } from './withdrawal.ts'

/** Names of the roles, as the wire has them. */
const role = Type.String({ description: '`administrator`, `curator` or `reviewer`.' })

const quota = Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
  description: 'Most bytes; null for those of all users.',
})

/** A user as administrators see them. */
export const userBody = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.Union([Type.String(), Type.Null()]),
    roles: Type.Array(role),
    roles_by_claim: Type.Array(role, {
      description: 'Those that claims of the issuer gave when the user was last seen.',
    }),
    disabled: Type.Boolean(),
    quota,
    used: Type.Integer({ description: 'Bytes that count against the quota.' }),
    usage: usageBody,
    created: timestamp,
  },
  { $id: 'User' },
)
export type UserBody = Static<typeof userBody>

export const userListBody = Type.Object(
  { total: Type.Integer(), users: Type.Array(userBody) },
  { $id: 'UserList' },
)

/** Request of `PATCH /admin/users/{id}`: what is left out stays as it is. */
export const userChange = Type.Object(
  {
    disabled: Type.Optional(Type.Boolean()),
    quota: Type.Optional(quota),
    roles: Type.Optional(
      Type.Array(
        Type.Unsafe<string>({ type: 'string', enum: ['administrator', 'curator', 'reviewer'] }),
      ),
    ),
  },
  {
    additionalProperties: false,
    $id: 'UserChange',
    examples: [{ roles: ['curator'], quota: 20_000_000_000 }],
  },
)
export type UserChange = Static<typeof userChange>

/** Records that were withdrawn, last change first. */
export const withdrawalListBody = Type.Array(
  Type.Object(
    { record: Type.String(), deposit: Type.String(), ...withdrawalBody.properties },
    { $id: 'WithdrawnRecord' },
  ),
)

/** Identifiers that their provider refuses. */
export const refusedListBody = Type.Array(
  Type.Object(
    {
      value: Type.String(),
      provider: Type.String(),
      subject: Type.String({ description: 'Value of the record or concept.' }),
      message: Type.Union([Type.String(), Type.Null()]),
      field: Type.Union([Type.String(), Type.Null()]),
    },
    { $id: 'RefusedIdentifier' },
  ),
)

/** People who were given a role, or offered a deposit, and have no account yet; newest first. */
export const invitationListBody = Type.Object(
  {
    total: Type.Integer(),
    invitations: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Of the account that they will have.' }),
          email: Type.String(),
          since: timestamp,
          by: Type.Union([
            Type.Object({ id: Type.String(), email: Type.Union([Type.String(), Type.Null()]) }),
            Type.Null({ description: 'The service, its operator, or a user who was deleted.' }),
          ]),
        },
        { $id: 'Invitation' },
      ),
    ),
  },
  { $id: 'InvitationList' },
)
export type InvitationListBody = Static<typeof invitationListBody>

const amount = Type.Integer({ minimum: 0 })

/** What waits for somebody, or for the service itself. */
export const workBody = Type.Object(
  {
    submitted: Type.Integer({ minimum: 0, description: 'Drafts that wait for review.' }),
    invitations: Type.Integer({ minimum: 0, description: 'Open invitations.' }),
    identifiers: Type.Object({
      pending: Type.Integer({ minimum: 0, description: 'On their way to their provider.' }),
      refused: Type.Integer({ minimum: 0, description: 'Refused by their provider.' }),
      paused: Type.Array(
        Type.Object({ provider: Type.String(), message: Type.String(), since: timestamp }),
        { description: 'Providers to which nothing is sent, and why.' },
      ),
    }),
    trash: Type.Object({ count: amount, size: amount }, { description: 'Deleted files.' }),
  },
  { $id: 'Work' },
)
export type WorkBody = Static<typeof workBody>

/** Entries of the audit trail, newest first. */
export const auditListBody = Type.Array(
  Type.Object(
    {
      id: Type.String(),
      at: timestamp,
      who: Type.Optional(
        Type.String({ description: 'Id of a user, or `owner` for the operator.' }),
      ),
      email: Type.Union([Type.String(), Type.Null()]),
      token: Type.Optional(Type.String()),
      from: Type.Optional(Type.String({ description: 'Address of the client.' })),
      what: Type.String({ description: 'Method and route, or a command of the operator.' }),
      on: Type.Optional(Type.String()),
      deposit: Type.Optional(Type.String()),
      was: Type.Optional(Type.Integer()),
      revision: Type.Optional(Type.Integer()),
      object: Type.Optional(Type.String()),
      files: Type.Optional(Type.Array(Type.String())),
      status: Type.Optional(Type.Integer()),
      failed: Type.Optional(Type.String()),
      request_id: Type.Optional(Type.String()),
      times: Type.Optional(Type.Integer()),
    },
    { $id: 'AuditEntry' },
  ),
)
