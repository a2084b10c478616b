import { createHash } from 'node:crypto'

/** In hexadecimal. */
export function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}
