import { Type, type Static } from 'typebox'
import { timestamp } from './schemas.ts'

/** The body of the action `undo`. */
export const undoRequest = Type.Object(
  {
    to: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Brings back the document as it was at this revision, an `n` of the history or one between; without it the last change is undone.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ to: 3 }, {}] },
)
export type UndoRequest = Static<typeof undoRequest>

const operation = Type.Object(
  {
    op: Type.Union([Type.Literal('add'), Type.Literal('remove'), Type.Literal('replace')]),
    path: Type.String({ description: 'JSON pointer into the document.' }),
    value: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
)

/** A change of the document of a draft. */
export const historyEntryBody = Type.Object(
  {
    n: Type.Integer({ minimum: 1, description: 'Revision of the deposit that the change led to.' }),
    at: timestamp,
    by: Type.String({
      description: 'Id of the user; `system` for a command of the operator.',
    }),
    email: Type.Optional(Type.String({ description: 'Of that user, for owners.' })),
    action: Type.String({ description: '`update`, or the name of the action.' }),
    to: Type.Optional(
      Type.Integer({ description: 'Of an undo: the revision whose document it brought back.' }),
    ),
    patch: Type.Array(operation, { description: 'JSON Patch (RFC 6902) from the state before.' }),
    undo: Type.Array(operation, { description: 'JSON Patch back to it.' }),
  },
  { $id: 'Change' },
)
export type HistoryEntryBody = Static<typeof historyEntryBody>

/** `GET …/history`: newest first. */
export const historyBody = Type.Array(historyEntryBody)
export type HistoryBody = Static<typeof historyBody>

/** A file that was deleted from a draft and can be brought back. */
export const trashedFileBody = Type.Object(
  {
    id: Type.String({ description: 'Id of the file, as when it was there.' }),
    filename: Type.String({ description: 'The key that it had.' }),
    filesize: Type.Integer({ minimum: 0, description: 'Bytes.' }),
    checksum: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
    version_id: Type.String({ format: 'uuid' }),
    deleted: timestamp,
    by: Type.String({ description: 'Id of the user who deleted it.' }),
    expires: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Until when it is kept at most; it goes earlier where room is short.',
      }),
    ),
    links: Type.Object({ self: Type.String({ description: 'POST brings the file back.' }) }),
  },
  { $id: 'DeletedFile' },
)
export type TrashedFileBody = Static<typeof trashedFileBody>

/** `GET …/trash`: last deleted first. */
export const trashBody = Type.Array(trashedFileBody)
export type TrashBody = Static<typeof trashBody>

/** `POST …/trash/{id}`. */
export const restoreFileRequest = Type.Object(
  {
    filename: Type.Optional(
      Type.String({ description: 'Another name, in its safe form; without it the one it had.' }),
    ),
  },
  { additionalProperties: false, examples: [{}] },
)
export type RestoreFileRequest = Static<typeof restoreFileRequest>
