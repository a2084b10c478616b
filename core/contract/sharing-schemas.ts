import { Type, type Static } from 'typebox'
import { timestamp } from './schemas.ts'

const personRole = Type.Union(
  [Type.Literal('owner'), Type.Literal('editor'), Type.Literal('reader')],
  {
    description:
      '`owner` may do everything, `editor` changes the document and files and runs actions, `reader` reads.',
  },
)

const linkRole = Type.Union([Type.Literal('reader'), Type.Literal('editor')], {
  description: '`reader` reads, `editor` changes the document and files too; neither publishes.',
})

const email = Type.String({ minLength: 3, maxLength: 254, description: 'E-mail address.' })

/** Somebody with a role on a deposit. */
export const personBody = Type.Object(
  {
    id: Type.String({ description: 'Names the person in the address that removes them.' }),
    user: Type.Object({
      id: Type.String({ description: 'As in `_deposit.owners`.' }),
      email: Type.Union([Type.String(), Type.Null()]),
    }),
    role: personRole,
    since: timestamp,
  },
  { $id: 'Person' },
)
export type PersonBody = Static<typeof personBody>

export const personListBody = Type.Array(personBody)

/** Request of `POST …/people`. */
export const personRequest = Type.Object(
  { user: email, role: personRole },
  { additionalProperties: false, examples: [{ user: 'ada@example.org', role: 'editor' }] },
)
export type PersonRequest = Static<typeof personRequest>

/** Request of `POST …/transfer`. */
export const transferRequest = Type.Object(
  { user: email },
  { additionalProperties: false, examples: [{ user: 'ada@example.org' }] },
)
export type TransferRequest = Static<typeof transferRequest>

/** Answer of `GET` and `POST …/transfer`. */
export const transferBody = Type.Object(
  {
    user: Type.Object({
      id: Type.String(),
      email: Type.Union([Type.String(), Type.Null()]),
    }),
    since: timestamp,
    status: Type.Union([Type.Literal('offered'), Type.Literal('done')], {
      description: '`offered` until the receiver accepts; `done` where an administrator asked.',
    }),
  },
  { $id: 'Transfer' },
)
export type TransferBody = Static<typeof transferBody>

const linkFacts = {
  id: Type.String(),
  role: linkRole,
  label: Type.String({ description: 'For whom it is.' }),
  anonymous: Type.Boolean({ description: 'Hides who made the deposit.' }),
  created: timestamp,
  expires: timestamp,
}

/** Answer of `GET …/links`: without secrets. */
export const linkListBody = Type.Array(Type.Object(linkFacts, { $id: 'ShareLink' }))
export type LinkListBody = Static<typeof linkListBody>

/** Answer of `POST …/links`: the only one with the secret. */
export const newLinkBody = Type.Object(
  { ...linkFacts, url: Type.String({ description: 'Holds the secret; answered only once.' }) },
  { $id: 'NewShareLink' },
)
export type NewLinkBody = Static<typeof newLinkBody>

/** Request of `POST …/links`. */
export const linkRequest = Type.Object(
  {
    role: linkRole,
    expires: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'A time (ISO 8601), or a day, through which it is good in UTC; 30 days without.',
      }),
    ),
    label: Type.Optional(Type.String({ maxLength: 200, description: 'For whom it is.' })),
    anonymous: Type.Optional(
      Type.Boolean({ description: 'Hides who made the deposit; of a `reader` alone.' }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ role: 'reader', expires: '2027-01-31', label: 'Reviewer 2', anonymous: true }],
  },
)
export type LinkRequest = Static<typeof linkRequest>
