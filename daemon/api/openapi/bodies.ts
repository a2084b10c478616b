import { Type } from 'typebox'
import { metadataDocument } from '../../../core/contract/schemas.ts'
import { maxBundledBytes, maxBundleFiles } from '../../../core/contract/bundles.ts'

/** A JSON Patch. @see RFC 6902 */
export const jsonPatch = Type.Array(
  Type.Object(
    {
      op: Type.Union(
        (['add', 'remove', 'replace', 'move', 'copy', 'test'] as const).map((op) =>
          Type.Literal(op),
        ),
      ),
      path: Type.String({ description: 'JSON pointer.' }),
      from: Type.Optional(Type.String()),
      value: Type.Optional(Type.Unknown()),
    },
    { additionalProperties: true },
  ),
  {
    $id: 'JsonPatch',
    description: 'Operations one after another (RFC 6902); all are done or none.',
    examples: [[{ op: 'replace', path: '/title', value: 'Water levels' }]],
  },
)

/** A patch by the media types it may come as. */
export const patches = {
  'application/json-patch+json': jsonPatch,
  'application/merge-patch+json': metadataDocument,
  'application/json': jsonPatch,
}

const csv = 'time,level\n2025-01-01T00:00Z,1.42\n'

/** `POST …/files`. */
export const uploadForm = Type.Object(
  {
    file: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }),
    name: Type.Optional(Type.String({ description: 'The key, in place of the name of the file.' })),
    checksum: Type.Optional(Type.String({ description: '`sha256:<hex>` or `md5:<hex>`.' })),
  },
  { examples: [{ file: csv, name: 'levels.csv' }] },
)

/** `POST …/bundles`. */
export const bundleForm = Type.Object(
  {
    file: Type.Array(Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }), {
      description: `Files of at most ${maxBundledBytes} bytes; the name of each is its key.`,
      minItems: 1,
      maxItems: maxBundleFiles,
    }),
  },
  { examples: [{ file: [csv, csv] }] },
)

/** `GET /deposits/_options`. */
export const optionsBody = Type.Object(
  {
    default_media_type: Type.String(),
    item_media_types: Type.Array(Type.String()),
    search_media_types: Type.Array(Type.String()),
    max_result_window: Type.Integer({ minimum: 1 }),
    sort_fields: Type.Array(Type.Record(Type.String(), Type.Object({ title: Type.String() }))),
    facets: Type.Array(Type.String()),
    response_messages: Type.Record(Type.String(), Type.String()),
  },
  { $id: 'SearchOptions' },
)

/** `GET /api/me`. */
export const meBody = Type.Object(
  {
    user: Type.String(),
    email: Type.Union([Type.String(), Type.Null()]),
    used: Type.Integer({
      description:
        'Bytes that count against the quota: files with uploads under way, metadata, revisions and kept answers.',
    }),
    quota: Type.Integer({ description: 'Most bytes of them.' }),
    admin: Type.Boolean(),
    scopes: Type.Array(Type.String()),
    expires: Type.Union([Type.String(), Type.Null()]),
    deposit: Type.Union([Type.String(), Type.Null()]),
    token: Type.Object({ name: Type.String() }),
  },
  { $id: 'Me' },
)

/** `GET /schemas/`. */
export const schemaListBody = Type.Object({ schemas: Type.Array(Type.String({ format: 'uri' })) })

const target = Type.Object({
  href: Type.String({ format: 'uri' }),
  type: Type.Optional(Type.String({ description: 'Media type.' })),
})

/** The links of a record. @see RFC 9264 §4.2 */
export const linksetBody = Type.Object(
  {
    linkset: Type.Array(
      Type.Object(
        { anchor: Type.String({ format: 'uri' }) },
        { additionalProperties: Type.Array(target), description: 'Targets by relation type.' },
      ),
    ),
  },
  { $id: 'Linkset' },
)

export const readyBody = Type.Object({ status: Type.Literal('ready') })

export const anyObject = Type.Object({}, { additionalProperties: true })
