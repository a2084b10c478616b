import type { FastifyReply, FastifyRequest } from 'fastify'
import { extname } from 'node:path/posix'
import { Readable } from 'node:stream'
import { problem } from '../../core/index.ts'
import type { ByteRange, Deposit, Files, FileVersion } from '../../core/index.ts'
import { downloadAs, setFileHeaders } from './file-headers.ts'
import { addVary, setPublic } from './sharing.ts'
import { fileTag, isFresh, lastModified, requireNamedFile } from './revision.ts'

interface Sendable {
  /** Public: anybody may read and cache it. */
  readonly isPublic?: boolean
  readonly deposit: Pick<Deposit, 'revision'>
  readonly file: { readonly key: string }
  readonly version: FileVersion
}

/**
 * Sends the bytes of a version, or the range that is asked for. Files of strangers are shown by no
 * browser as a page of ours: they are attachments, of a type that is none or known to be harmless.
 *
 * @see RFC 9110 §13 (conditional requests) and §14 (ranges)
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { deposit, file, version, isPublic = false }: Sendable,
  { read, addressOf }: Pick<Files, 'read' | 'addressOf'>,
): Promise<FastifyReply> {
  const { size, sha256 } = version.blob
  const etag = fileTag(version)
  requireNamedFile(request, version, deposit)
  if (isFollowing(request) && !isFresh(request.headers, etag, version.created)) {
    const address = await addressOf(version, downloadAs(file.key))
    if (address !== undefined) return reply.header('cache-control', 'no-store').redirect(address)
  }
  setFileHeaders(reply, file.key, extname(file.key))
  if (isPublic) setPublic(request, reply)
  else addVary(reply, 'authorization')
  reply.header('etag', etag).header('last-modified', lastModified(version.created))
  if (isFresh(request.headers, etag, version.created)) return reply.code(304).send()
  return sendBytes(request, reply, { size, etag, sha256, read: (range) => read(version, range) })
}

/** Bytes that any range of can be read. */
interface Bytes {
  /** Bytes. */
  readonly size: number
  /** Strong. */
  readonly etag: string
  /** 64 hexadecimal digits, where they are known. */
  readonly sha256?: string
  readonly read: (range?: ByteRange) => Readable | Promise<Readable>
}

/**
 * Sends all bytes, or the range that is asked for.
 *
 * @throws {DepositError} range_not_satisfiable: the range begins behind the end
 */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { size, etag, sha256, read }: Bytes,
): Promise<FastifyReply> {
  const range = parseRange(request, reply, size, etag)
  if (range) {
    reply.code(206).header('content-length', range.end - range.start + 1)
    reply.header('content-range', `bytes ${range.start}-${range.end}/${size}`)
  } else {
    reply.header('content-length', size)
    if (sha256 !== undefined) {
      const digest = Buffer.from(sha256, 'hex').toString('base64')
      reply.header('repr-digest', `sha-256=:${digest}:`)
    }
  }
  return reply.send(request.method === 'HEAD' ? noBytes() : await read(range))
}

/**
 * Whether the client follows a redirect to another address for the bytes. A script of a page
 * cannot: its browser blocks answers of other origins.
 */
function isFollowing({ method, headers }: FastifyRequest): boolean {
  const mode = headers['sec-fetch-mode'] ?? 'navigate'
  return method === 'GET' && mode === 'navigate'
}

/** For an answer to HEAD: a stream leaves the length that was set, a text would replace it. */
function noBytes(): Readable {
  return Readable.from([])
}

/**
 * The one range a request asks for; undefined where the whole file is to be sent: without the
 * header, with several ranges, with one that cannot be read, or when `If-Range` names another
 * version.
 *
 * @param size bytes of the file
 * @throws {DepositError} range_not_satisfiable: the range begins behind the end
 * @see RFC 9110 §14.2
 */
function parseRange(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  size: number,
  etag: string,
): ByteRange | undefined {
  const condition = headers['if-range']
  if (typeof condition === 'string' && condition !== etag) return undefined
  const found = /^bytes=(\d*)-(\d*)$/.exec(headers.range?.replaceAll(' ', '') ?? '')
  if (!found) return undefined
  const [, first = '', last = ''] = found
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  if (start >= size || (first === '' && Number(last) === 0)) {
    reply.header('content-range', `bytes */${size}`)
    throw problem('range_not_satisfiable', { size })
  }
  return { start, end }
}
