import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Json } from './json.ts'

/**
 * The one text of a value: the same for documents that differ in the order of fields only.
 *
 * @see RFC 8785 (JSON Canonicalization Scheme)
 */
export function canonicalJson(value: Json): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('only JSON has a canonical text')
  return text
}

/** SHA-256 of the UTF-8 of `text`: 64 hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
