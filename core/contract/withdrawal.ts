import { Type, type Static } from 'typebox'
import { mostOfNote, withdrawalReasons, type WithdrawalReason } from './defaults.ts'

export { withdrawalReasons, type WithdrawalReason }

/** The body of the action `withdraw`. */
export const withdrawalRequest = Type.Object(
  {
    reason: Type.Unsafe<WithdrawalReason>({ type: 'string', enum: [...withdrawalReasons] }),
    note: Type.Optional(
      Type.String({ maxLength: mostOfNote, description: 'Shown to everybody, as it is.' }),
    ),
    replaced_by: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: mostOfNote,
        description: 'Identifier of another record here, a DOI, or an address.',
      }),
    ),
    destroy_bytes: Type.Optional(
      Type.Boolean({ description: 'Removes the files for good: the record cannot be restored.' }),
    ),
  },
  {
    $id: 'WithdrawalRequest',
    additionalProperties: false,
    examples: [{ reason: 'retracted', note: 'The gauge was broken.', replaced_by: '6q4wn-8c158' }],
  },
)
export type WithdrawalRequest = Static<typeof withdrawalRequest>

/** What is told of a withdrawal. */
const told = {
  at: Type.String({ description: 'When it was withdrawn: ISO 8601, UTC.' }),
  by: Type.Unsafe<WithdrawnBy>({
    type: 'string',
    enum: ['owner', 'curator', 'administrator', 'operator'],
  }),
  reason: withdrawalRequest.properties.reason,
  note: Type.Optional(Type.String()),
  replaced_by: Type.Optional(
    Type.Object({ identifier: Type.String(), url: Type.Optional(Type.String()) }),
  ),
}

export type WithdrawnBy = 'owner' | 'curator' | 'administrator' | 'operator'

/** What everybody is told of a withdrawal. */
export interface ToldWithdrawal {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly by: WithdrawnBy
  readonly reason: WithdrawalReason
  readonly note?: string
  /** Identifier of another record here, a DOI, or an address. */
  readonly replacedBy?: string
}

/** What its owner sees of a deposit whose record was withdrawn. */
export const withdrawalBody = Type.Object({
  ...told,
  bytes_destroyed: Type.Boolean({ description: 'The files are gone: it cannot be restored.' }),
  bytes_kept_by: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Other deposits that had files of the same bytes then: they are still there.',
    }),
  ),
})
export type WithdrawalBody = Static<typeof withdrawalBody>

/** What is left of a record for everybody. */
export const tombstoneBody = Type.Object(
  {
    ...told,
    id: Type.String(),
    url: Type.String({ description: 'Address of its page.' }),
    citation: Type.String({ description: 'What was cited.' }),
    doi: Type.Optional(Type.String()),
    other_versions: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String(),
          url: Type.String(),
          version: Type.String({ description: 'As its metadata say, else its number.' }),
        }),
        { description: 'The newest versions that are public, newest first; at most ten.' },
      ),
    ),
  },
  { $id: 'Tombstone' },
)
export type TombstoneBody = Static<typeof tombstoneBody>
