import type { FastifyRequest } from 'fastify'
import { wrongField } from '../../core/index.ts'

/**
 * The digest a client gives of the body it sends: `Repr-Digest` with `sha-256`, or `Content-MD5`.
 *
 * @returns `sha256:<hex>` or `md5:<hex>`; undefined where there is none that we know
 * @throws {DepositError} malformed_request: the header cannot be read
 * @see RFC 9530 §3; RFC 1864 (obsolete, and still sent)
 */
export function requestDigest({ headers }: FastifyRequest): string | undefined {
  const digest = headers['repr-digest'] ?? headers['content-digest']
  const found = /(?:^|,)\s*sha-256=(?::([A-Za-z0-9+/=]*):)?/i.exec(String(digest ?? ''))
  if (found) return `sha256:${toHex('repr-digest', found[1] ?? '', 32)}`
  const md5 = headers['content-md5']
  return md5 === undefined ? undefined : `md5:${toHex('content-md5', String(md5), 16)}`
}

function toHex(field: string, base64: string, size: number): string {
  const bytes = Buffer.from(base64.trim(), 'base64')
  if (bytes.length === size) return bytes.toString('hex')
  throw wrongField('malformed_request', field, `A digest of ${size} bytes in base 64 is expected.`)
}
