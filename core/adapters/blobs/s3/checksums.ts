import { hash } from 'node:crypto'

/** SHA-256 as S3 writes it: base64. */
export function sha256Of(bytes: Buffer): string {
  return hash('sha256', bytes, 'base64')
}

export function hexToBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64')
}

/**
 * What S3 calls the checksum of an object that was sent in parts: of their checksums, one after
 * another.
 */
export function checksumOfParts(checksums: readonly string[]): string {
  const all = Buffer.concat(checksums.map((checksum) => Buffer.from(checksum, 'base64')))
  return `${sha256Of(all)}-${checksums.length}`
}
