import { Type, type Static } from 'typebox'
import { timestamp } from './schemas.ts'
import { usualTokenLifetime } from './scopes.ts'

/** A token without its value. */
const tokenFacts = {
  id: Type.String(),
  name: Type.String(),
  scope: Type.String({ description: 'Separated by spaces; empty for a token that can only read.' }),
  deposit: Type.Union([Type.String(), Type.Null()], {
    description: 'The only deposit of the token; null for all deposits.',
  }),
  created: timestamp,
  expires: Type.Union([timestamp, Type.Null()]),
  parent: Type.Union([Type.String(), Type.Null()], {
    description: 'Id of the personal token it was made with, and ends with.',
  }),
}

/** Answer of `GET /tokens/`. */
export const tokenListBody = Type.Array(Type.Object(tokenFacts, { $id: 'Token' }))

/** Answer of `POST /tokens/`: the only one with the value. */
export const newTokenBody = Type.Object(
  { ...tokenFacts, token: Type.String() },
  { $id: 'NewToken', description: 'A token with its value, which is answered only once.' },
)

/** Request of `POST /tokens/`. */
export const tokenRequest = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    scope: Type.String({ maxLength: 500, description: 'Separated by spaces.' }),
    deposit: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    expires_in: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 315_360_000 }), Type.Null()], {
        description: `Seconds from now; ${usualTokenLifetime} where it is absent. Null for a token that does not expire.`,
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ name: 'laboratory', scope: 'deposit:write', expires_in: 2_592_000 }],
  },
)
export type TokenRequest = Static<typeof tokenRequest>
