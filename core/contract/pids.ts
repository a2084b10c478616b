import { Type, type Static } from 'typebox'

/** An identifier from a provider. */
const providedPid = Type.Object({
  value: Type.String({ description: 'Such as `10.5072/j4nfh-zjv59`.' }),
  status: Type.Union(
    [
      Type.Literal('reserved'),
      Type.Literal('pending'),
      Type.Literal('registered'),
      Type.Literal('refused'),
      Type.Literal('hidden'),
    ],
    {
      description:
        'Of what is said here: `reserved` before it is published, `pending` until the provider has it, `registered` from then on, `refused` where the provider finds fault with it, `hidden` where the record is withdrawn. Whether the identifier resolves, `registered` says.',
    },
  ),
  url: Type.String({ description: 'Address that resolves it, once it is registered.' }),
  registered: Type.Optional(
    Type.String({
      description:
        'When it was registered first: it resolves since, also while a later change is `pending` or `refused`. ISO 8601, UTC.',
    }),
  ),
  message: Type.Optional(
    Type.String({ description: 'Why it is refused, or what the last attempt met with.' }),
  ),
  field: Type.Optional(Type.String({ description: 'Field of the document it is about.' })),
})
export type ProvidedPid = Static<typeof providedPid>

/** `pids` of deposits and records. */
export const pids = Type.Object(
  {
    concept: Type.Object(
      {
        value: Type.String({ description: 'Leads to the newest version, at the same addresses.' }),
        doi: Type.Optional(providedPid),
      },
      { additionalProperties: true, description: 'Identifies all versions together.' },
    ),
    doi: Type.Optional(providedPid),
  },
  {
    additionalProperties: true,
    description: 'Persistent identifiers beside `id`; those from other services by their kind.',
  },
)
