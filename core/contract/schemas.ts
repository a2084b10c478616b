import { maxSortedFiles } from './defaults.ts'
import { Type, type Static } from 'typebox'
import { pids } from './pids.ts'
import { tombstoneBody, withdrawalBody } from './withdrawal.ts'
import { reviewBody } from './review.ts'
import { errorCodes } from './problems.ts'

/**
 * Bodies of requests and answers: validation, types and the OpenAPI document are made from these.
 *
 * @see Contract §2
 */

/** A metadata document: any JSON object, checked by its JSON Schema. */
export const metadataDocument = Type.Object(
  {},
  {
    $id: 'Metadata',
    additionalProperties: true,
    description: 'A metadata document, described by the JSON Schema in its `$schema`.',
    examples: [
      {
        title: 'Water levels at the north pier, 2025',
        creators: [{ name: 'Carberry, Josiah', orcid: '0000-0002-1825-0097' }],
        publication_date: '2026-01-31',
        resource_type: 'dataset',
        license: 'CC-BY-4.0',
      },
    ],
  },
)

const links = Type.Record(Type.String(), Type.String(), {
  description: 'Absolute URLs of related resources.',
})

export const timestamp = Type.String({ format: 'date-time', description: 'ISO 8601 in UTC.' })

const document = Type.Object(
  {
    $schema: Type.Optional(Type.Union([Type.String({ format: 'uri' }), Type.Null()])),
    _deposit: Type.Optional(
      Type.Object(
        {
          id: Type.String(),
          status: Type.Union([Type.Literal('draft'), Type.Literal('published')]),
          owners: Type.Array(Type.String()),
          created_by: Type.String(),
          pid: Type.Optional(Type.Integer({ description: 'Record revision of the last edit.' })),
          type: Type.Optional(Type.String()),
          value: Type.Optional(Type.String()),
          revision_id: Type.Optional(Type.Integer()),
        },
        { additionalProperties: true },
      ),
    ),
  },
  { additionalProperties: true, description: 'The metadata, including `$schema` and `_deposit`.' },
)

const item = {
  id: Type.String({ description: 'Value of the persistent identifier.' }),
  metadata: document,
  pids,
  links,
  revision: Type.Integer({ minimum: 0, description: 'Increased by every change; the ETag.' }),
  created: timestamp,
  updated: timestamp,
}

/** A deposit in answers of the list, item and action routes. */
export const depositBody = Type.Object(
  {
    ...item,
    files: Type.Optional(
      Type.Object({
        count: Type.Integer({ minimum: 0 }),
        size: Type.Integer({ minimum: 0, description: 'Bytes of all files.' }),
      }),
    ),
    sealed: Type.Optional(
      Type.Literal(true, {
        description: 'The identifier of the record is registered: it cannot be edited any more.',
      }),
    ),
    withdrawn: Type.Optional(withdrawalBody),
    review: Type.Optional(reviewBody),
    role: Type.Optional(
      Type.Union([Type.Literal('owner'), Type.Literal('editor'), Type.Literal('reader')], {
        description:
          'In lists: the role that the caller was given; absent of deposits of their own.',
      }),
    ),
  },
  { $id: 'Deposit' },
)
export type DepositBody = Static<typeof depositBody>

/** A published record, or one of its revisions. */
export const recordBody = Type.Object(item, { $id: 'Record' })
export type RecordBody = Static<typeof recordBody>

/** A file of a deposit. */
export const fileBody = Type.Object(
  {
    id: Type.String({ description: 'Identifies the file when sorting.' }),
    filename: Type.String({ description: 'The key: a safe relative path.' }),
    filesize: Type.Integer({ minimum: 0, description: 'Bytes.' }),
    checksum: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
    checksums: Type.Optional(Type.Record(Type.String(), Type.String())),
    version_id: Type.String({ format: 'uuid' }),
    storage_class: Type.String(),
    created: Type.Optional(timestamp),
    links: Type.Object({ self: Type.String(), download: Type.String() }),
  },
  { $id: 'File' },
)
export type FileBody = Static<typeof fileBody>

export const fileListBody = Type.Array(fileBody)

/** `POST /files/{bucket}/{key}`: a link for one download by a browser. */
export const downloadLinkBody = Type.Object(
  { url: Type.String({ format: 'uri' }), expires: timestamp },
  { $id: 'DownloadLink' },
)
export type DownloadLinkBody = Static<typeof downloadLinkBody>

/** Uploads of a deposit that are under way. */
export const uploadListBody = Type.Array(
  Type.Object(
    {
      id: Type.String(),
      filename: Type.String({ description: 'The key the file will have.' }),
      partial: Type.Optional(
        Type.Literal(true, { description: 'One part of a file; the file is made of several.' }),
      ),
      filesize: Type.Integer({
        minimum: 0,
        description: 'Total bytes; with a deferred length, the bytes known so far.',
      }),
      length_deferred: Type.Optional(
        Type.Literal(true, { description: 'The total is not known yet.' }),
      ),
      offset: Type.Integer({ minimum: 0, description: 'Bytes that are durable.' }),
      created: timestamp,
      updated: Type.String({ format: 'date-time', description: 'When the last bytes came.' }),
      expires: timestamp,
      links: Type.Object({ self: Type.String() }),
    },
    { $id: 'Upload' },
  ),
)
export type UploadListBody = Static<typeof uploadListBody>

/** `PUT …/files`: every file's id, in the new order. */
export const sortBody = Type.Array(Type.Object({ id: Type.String() }), {
  maxItems: maxSortedFiles,
  examples: [[{ id: '0199a3c2-7b1e-4c55-9d1f-2f6f0a3b8e21' }]],
})
export type SortBody = Static<typeof sortBody>

/** `PUT …/files/{key}`: the new name, in its safe form. */
export const renameBody = Type.Object(
  { filename: Type.String() },
  { examples: [{ filename: 'data/levels-2025.csv' }] },
)

/** A page of search results, of deposits or of records. */
export const searchBody = Type.Object(
  {
    hits: Type.Object({
      hits: Type.Array(Type.Union([depositBody, recordBody])),
      total: Type.Integer({ minimum: 0 }),
    }),
    aggregations: Type.Record(
      Type.String(),
      Type.Object({
        buckets: Type.Array(
          Type.Object({ key: Type.String(), doc_count: Type.Integer({ minimum: 0 }) }),
        ),
      }),
    ),
    links: Type.Object({
      self: Type.String(),
      prev: Type.Optional(Type.String()),
      next: Type.Optional(Type.String()),
    }),
  },
  { $id: 'SearchResult' },
)
export type SearchBody = Static<typeof searchBody>

const nameTaken = Type.Optional(
  Type.Boolean({
    description: 'True if a file has the name of the upload: it can only be deleted then.',
  }),
)

const waysOn = Type.Optional(
  Type.Array(Type.String(), { description: 'Actions of the deposit that solve the problem.' }),
)

/** Bytes that count against a quota, by kind; their sum is `used`. */
export const usageBody = Type.Object(
  {
    files: Type.Integer({ description: 'Bytes of files, deleted ones that are kept too.' }),
    uploads: Type.Integer({
      description:
        'Bytes that unfinished uploads have announced, and 512 with the name, or longer metadata, for each.',
    }),
    metadata: Type.Integer({
      description:
        'Bytes of metadata, revisions, history and comments, 512 for each version of a file, and the names of files.',
    }),
    answers: Type.Integer({
      description: 'Bytes of answers kept for `Idempotency-Key`: each is forgotten after 24 hours.',
    }),
  },
  { $id: 'Usage' },
)

/** Every error's body. */
export const problemBody = Type.Object(
  {
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    message: Type.String(),
    code: Type.Unsafe<string>({
      type: 'string',
      enum: errorCodes,
      description: 'Stable name of the problem; later versions may add further ones.',
    }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            field: Type.String(),
            message: Type.String(),
            actions: waysOn,
            deposit: Type.Optional(
              Type.String({ description: 'Id of the deposit with these actions.' }),
            ),
            upload: Type.Optional(Type.String({ description: 'Id of an upload to be finished.' })),
            address: Type.Optional(
              Type.String({ description: 'Of the service, where another host was asked.' }),
            ),
            name_taken: nameTaken,
          },
          { additionalProperties: true },
        ),
      ),
    ),
    tombstone: Type.Optional(tombstoneBody),
    request_id: Type.String({ description: 'Id of the request in the log.' }),
  },
  {
    $id: 'Problem',
    description: 'An error.',
    examples: [
      {
        status: 404,
        message: 'PID does not exist.',
        code: 'deposit_not_found',
        request_id: '5fd4c6dc-6bd4-4b06-8e0f-5d9a3a7e4e0a',
      },
    ],
  },
)
export type ProblemBody = Static<typeof problemBody>

const finding = { field: Type.String(), message: Type.String() }

/** `GET …/actions/publish`: the rehearsal of a publish. */
export const rehearsalBody = Type.Object(
  {
    publishable: Type.Boolean({ description: 'True without errors.' }),
    needs_review: Type.Optional(
      Type.Literal(true, {
        description: 'It is published once a reviewer accepts it: submit it.',
      }),
    ),
    errors: Type.Array(
      Type.Object(
        {
          code: Type.String({
            description: 'Code of the problem that publishing would fail with.',
          }),
          ...finding,
          base: Type.Optional(
            Type.Unknown({ description: 'Of a conflict: the value when the edit began.' }),
          ),
          ours: Type.Optional(
            Type.Unknown({ description: 'The value in the draft; absent if the draft has none.' }),
          ),
          theirs: Type.Optional(Type.Unknown({ description: 'The value in the record now.' })),
          upload: Type.Optional(Type.String({ description: 'Id of an upload to be finished.' })),
          name_taken: nameTaken,
          actions: waysOn,
          deposit: Type.Optional(Type.String()),
        },
        { additionalProperties: false },
      ),
      { description: 'All reasons why it cannot be published.' },
    ),
    warnings: Type.Array(Type.Object(finding), {
      description: 'Missing recommended fields, which do not prevent publishing.',
    }),
    withdrawn_version: Type.Optional(
      Type.Object(
        {
          url: Type.String({ description: 'Address of its page.' }),
          at: withdrawalBody.properties.at,
          reason: withdrawalBody.properties.reason,
        },
        {
          description:
            'The version of the record that was published last, where that was withdrawn: a next version comes after it.',
        },
      ),
    ),
  },
  { $id: 'Rehearsal' },
)
export type RehearsalBody = Static<typeof rehearsalBody>

/** `GET /api`: the endpoints. */
export const indexBody = Type.Object(
  {
    endpoints: Type.Record(
      Type.String(),
      Type.Object({
        pid_type: Type.String({ description: 'Type of the identifiers of its deposits.' }),
        links: Type.Record(Type.String(), Type.String(), {
          description: 'Addresses, with `{name}` for parameters.',
        }),
      }),
    ),
  },
  { $id: 'Index' },
)
export type IndexBody = Static<typeof indexBody>

/** `GET /health`. */
export const healthBody = Type.Object(
  {
    /** `degraded`: something fails, or files are damaged. */
    status: Type.Union([Type.Literal('ok'), Type.Literal('degraded')]),
    version: Type.Optional(Type.String({ description: 'Absent under a name of another service.' })),
    faults: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Failing parts: `database`, `storage`, `disk` (it is full), `home` or `issuer`.',
      }),
    ),
    /** Files that were found damaged; absent where none was. */
    damaged: Type.Optional(Type.Integer()),
    /** The issuer of access tokens, if it does not answer. */
    issuer: Type.Optional(Type.String()),
  },
  { $id: 'Health' },
)
