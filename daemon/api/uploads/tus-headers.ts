import { Type } from 'typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseBlobId, problem, wrongField, type BlobId, type Piece } from '../../../core/index.ts'

/** Media type of the bytes of an upload. */
export const tusType = 'application/offset+octet-stream'

const version = '1.0.0'
const extensions =
  'creation,creation-defer-length,creation-with-upload,expiration,termination,checksum,concatenation' as const

/** Bytes of each digest that a piece may come with. */
const digestSizes = { sha1: 20, sha256: 32, md5: 16 } as const

/** Says with every answer which version is spoken, and where it is asked what the service can do. */
export function setTusHeaders(
  { method }: FastifyRequest,
  reply: FastifyReply,
  maxFileSize: number,
): void {
  reply.header('tus-resumable', version).header('tus-version', version)
  if (method !== 'OPTIONS') return
  reply.header('tus-extension', extensions).header('tus-max-size', maxFileSize)
  reply.header('tus-checksum-algorithm', Object.keys(digestSizes).join(','))
}

/** @throws {DepositError} unknown_tus_version */
export function requireTusVersion(request: FastifyRequest): void {
  if (headerOf(request, 'Tus-Resumable') !== version)
    throw problem('unknown_tus_version', {
      message: 'Send Tus-Resumable: 1.0.0, the one version this service speaks.',
    })
}

/** @returns bytes of the whole upload; `deferred` where a later request will tell */
export function lengthToBegin(request: FastifyRequest): number | 'deferred' {
  const length = uploadLength(request)
  const deferred = headerOf(request, 'Upload-Defer-Length')
  if (deferred === undefined && length !== undefined) return length
  if (deferred === '1' && length === undefined) return 'deferred'
  if (deferred !== undefined && deferred !== '1') {
    throw wrongField('malformed_request', 'Upload-Defer-Length', 'Its only value is 1.')
  }
  throw wrongField(
    'malformed_request',
    'Upload-Length',
    'Send the number of bytes, or Upload-Defer-Length: 1 where it is not known yet; not both.',
  )
}

/** @returns bytes of the whole upload, where the request says so */
export function uploadLength(request: FastifyRequest): number | undefined {
  return numberIn(request, 'Upload-Length')
}

/** @returns bytes */
export function uploadOffset(request: FastifyRequest): number {
  const offset = numberIn(request, 'Upload-Offset')
  if (offset !== undefined) return offset
  throw wrongField('malformed_request', 'Upload-Offset', 'It says where the bytes begin.')
}

/** Length and digest of the bytes of a request, as far as it announces them. */
export function announcedBytes(request: FastifyRequest): Pick<Piece, 'length' | 'digest'> {
  const length = numberIn(request, 'Content-Length')
  return { ...(length !== undefined && { length }), ...announcedDigest(request) }
}

/** Digest of the bytes of a request, if it announces one. */
export function announcedDigest(request: FastifyRequest): Pick<Piece, 'digest'> {
  const digest = pieceDigest(request)
  return digest ? { digest } : {}
}

/** @throws {DepositError} malformed_request: a checksum of bytes comes with a request that has none */
export function requireNoPiece(request: FastifyRequest): void {
  if (headerOf(request, 'Upload-Checksum') === undefined) return
  throw wrongField(
    'malformed_request',
    'Upload-Checksum',
    'It is of the bytes that a request brings, and a final upload brings none: name the checksum of the whole file as checksum in Upload-Metadata.',
  )
}

function pieceDigest(request: FastifyRequest): Piece['digest'] {
  const header = headerOf(request, 'Upload-Checksum')
  if (header === undefined) return undefined
  const [name = '', text = ''] = header.split(' ')
  const algorithm = (['sha1', 'sha256', 'md5'] as const).find((known) => known === name)
  const bytes = Buffer.from(text, 'base64')
  if (!algorithm || bytes.length !== digestSizes[algorithm]) {
    const known = Object.keys(digestSizes).join(', ')
    throw wrongField(
      'malformed_request',
      'Upload-Checksum',
      `It is one of ${known}, and a digest in Base64.`,
    )
  }
  return { algorithm, hex: bytes.toString('hex') }
}

/** `partial`, or the uploads that a file is to be made of. */
export function uploadConcat(request: FastifyRequest): 'partial' | readonly BlobId[] | undefined {
  const header = headerOf(request, 'Upload-Concat')
  if (header === undefined || header === 'partial') return header
  const urls = /^final;\s*(\S.*)$/.exec(header)?.[1]?.trim().split(/ +/) ?? []
  // Whose they are is asked later: an upload is looked for in its deposit alone.
  const ids = urls.map((url) => parseBlobId(url.split('/').at(-1) ?? ''))
  if (ids.length === 0 || ids.includes(undefined)) {
    const message = 'It is partial, or final; and the URLs of uploads with spaces between.'
    throw wrongField('malformed_request', 'Upload-Concat', message)
  }
  return ids.filter((id) => id !== undefined)
}

function numberIn(request: FastifyRequest, name: string): number | undefined {
  const header = headerOf(request, name)
  if (header === undefined) return undefined
  const number = /^\d+$/.test(header) ? Number(header) : NaN
  if (Number.isSafeInteger(number)) return number
  throw wrongField('malformed_request', name, 'It is a number of bytes, without sign or fraction.')
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name.toLowerCase()]
  return Array.isArray(value) ? value.join(',') : value
}

/** The header of every request but OPTIONS. */
export const tusVersion = {
  'tus-resumable': Type.String({
    enum: ['1.0.0'],
    default: '1.0.0',
    description: 'Version of the protocol.',
  }),
}

export const uploadChecksum = Type.Optional(
  Type.String({
    description: 'Algorithm and Base64 of the digest of this body: `sha256 47DEQpj8…`.',
  }),
)

/** Headers of a new upload. @see https://tus.io/protocols/resumable-upload#creation */
export const newUpload = {
  ...tusVersion,
  'upload-length': Type.Optional(
    Type.Integer({ minimum: 0, description: 'Bytes of the whole file; not of a concatenation.' }),
  ),
  'upload-defer-length': Type.Optional(
    Type.String({
      enum: ['1'],
      description: 'In place of `upload-length`: a later request will tell it.',
    }),
  ),
  'upload-metadata': Type.Optional(
    Type.String({
      description:
        'Pairs of a name and the Base64 of a value, with commas between: `filename` (the key), ' +
        '`checksum`, `replace`.',
      examples: ['filename ZGF0YS5jc3Y='],
    }),
  ),
  'upload-concat': Type.Optional(
    Type.String({ description: '`partial`, or `final;` and the URLs of the parts.' }),
  ),
  'upload-checksum': uploadChecksum,
}
