import { Type, type TSchema } from 'typebox'
import type { SearchOptions } from '../../../core/index.ts'
import { defaultPageSize, filesPerPage } from '../../../core/contract/defaults.ts'

/** Parts of requests and answers that several operations have in common. */

/** The parameters in the path of a request. */
export const pathParameters: Readonly<Record<string, string>> = {
  pid_value: 'Value of the persistent identifier.',
  key: 'Name of the file, which may have folders: `data/2025.csv`. A slash may be sent as it is, or as `%2F`.',
  bucket: 'Id of the files of a deposit, from its link `bucket`.',
  id: 'Id of the one that is meant, from the list.',
  revision: 'Number of the revision; the first is 0.',
}

const header = (description: string) => Type.Optional(Type.String({ description }))

/** Of every operation: indents the JSON of the answer. */
export const prettyprint = {
  prettyprint: Type.Optional(Type.Literal('1', { description: 'Indents the JSON.' })),
}

export const conditionalRead = {
  'if-none-match': header('Answers 304 where the entity tag is still this one.'),
  'if-modified-since': header('Answers 304 where nothing was changed since.'),
}

export const conditionalChange = {
  'if-match': header(
    'Changes nothing, with 412, where the entity tag is another one; without it the last wins.',
  ),
}

export const conditionalRemoval = {
  'if-match': header(
    'Changes nothing, with 412, where it names neither the entity tag of the file, which is its checksum, such as `"sha256:9f86…"`, nor that of the deposit; without it the last wins.',
  ),
}

export const repeatable = {
  'idempotency-key': header(
    'The same key with the same request gives the first answer again, for 24 hours. It counts in the quota until then.',
  ),
}

/** The header `version_id` says the same; generators would give both one name. */
export const versionId = Type.Optional(
  Type.String({
    format: 'uuid',
    description: 'The version; without it the latest. The header `version_id` says the same.',
  }),
)

export const rangeHeaders = {
  range: header('One range of bytes (RFC 9110 §14).'),
  'if-range': header('Sends the range only where the entity tag is still this one.'),
  'if-match': header('Sends nothing, with 412, where the entity tag is another one.'),
  'if-unmodified-since': header('Sends nothing, with 412, where it was changed since.'),
}

export const digestHeaders = {
  'repr-digest': header('`sha-256` of the body (RFC 9530); another one is refused with 400.'),
  'content-md5': header('MD5 of the body, likewise.'),
  'if-none-match': header('`*` makes a new file or nothing.'),
}

/** Of lists; an answer ends at 8 MiB, and its `next` leads on from there. */
export const paging = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, default: 1, description: 'Which page of the results.' }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Results before the page, in place of `page`.' }),
  ),
  size: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: defaultPageSize,
      description: 'A page of more than 8 MiB ends early; follow `next` to its rest.',
    }),
  ),
}

/** Of files: all of them, where nothing is said. */
export const filePaging = {
  ...paging,
  size: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: filesPerPage,
      description: 'An answer of more than 8 MiB ends early; follow `next` of `Link` to its rest.',
    }),
  ),
}

const search = {
  q: Type.Optional(
    Type.String({
      description:
        'Terms, "phrases", field:value, AND OR NOT + - *. status, id, owner, record, created and ' +
        'updated also name fields of the service: `status:draft created:>2026-01`. At most 64 ' +
        'clauses, of which 8 words end in * or ~ and 16 are ranges.',
    }),
  ),
  ...paging,
  sort: Type.Optional(Type.String({ description: 'A sort option; with - in front reversed.' })),
  facets: Type.Optional(Type.String({ description: 'Names with commas between; default: all.' })),
}

/** Of a search, with the post filter of each facet. */
export function searchQuery({ facets }: SearchOptions) {
  const filters = Object.keys(facets).map((name) => {
    const description = `Lets through those whose ${name} is this one.`
    return [name, Type.Optional(Type.String({ description }))] as const
  })
  return { ...search, ...Object.fromEntries(filters) }
}

/** An example of a file. */
export const csv = 'time,level\n2025-01-01T00:00Z,1.42\n'

export const bytes = Type.Unsafe<Uint8Array>({
  type: 'string',
  format: 'binary',
  examples: [csv],
})

export const sentBytes = { 'application/octet-stream': bytes }

export const anyObject = Type.Object({}, { additionalProperties: true })

/** One schema as JSON. */
export const json = (schema: TSchema) => ({ 'application/json': schema })

export const gone = { 204: { description: 'It is gone.' } }
export const unchanged = { 304: { description: 'It is as it was.' } }

/** Answered with `DEPOSIT_STORAGE_REDIRECT` alone. */
export const elsewhere = {
  302: { description: 'The bytes are at `Location`, in the store, for five minutes.' },
}

/** Headers of an answer that a client can ask for again with conditions. */
export const validators = ['ETag', 'Last-Modified'] as const
