import type { FastifyReply } from 'fastify'
import { extname } from 'node:path/posix'
import type { DownloadAs } from '../../core/index.ts'

/** Types that no browser runs anything of, by extension. Everything else is bytes. */
const harmlessTypes = new Map([
  ['.csv', 'text/csv; charset=utf-8'],
  ['.gif', 'image/gif'],
  ['.jpeg', 'image/jpeg'],
  ['.jpg', 'image/jpeg'],
  ['.json', 'application/json'],
  ['.md', 'text/plain; charset=utf-8'],
  ['.pdf', 'application/pdf'],
  ['.png', 'image/png'],
  ['.tsv', 'text/plain; charset=utf-8'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.webp', 'image/webp'],
])

/** The media type a file of this extension is sent as. */
export function typeOf(extension: string): string {
  return harmlessTypes.get(extension.toLowerCase()) ?? 'application/octet-stream'
}

/** The same, as the store of the bytes is to say it. */
export function downloadAs(key: string): DownloadAs {
  return {
    mediaType: typeOf(extname(key)),
    disposition: attachment(key),
    cacheControl: 'private, no-store',
  }
}

/** The policy of content that a stranger wrote: it runs nothing on the origin of the service. */
export const foreignPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

/** Headers under which a stranger's file can be handed out: it is saved, never shown or run. */
export function setFileHeaders(reply: FastifyReply, key: string, extension: string): void {
  reply
    .header('accept-ranges', 'bytes')
    .header('cache-control', 'private, no-store')
    .header('content-disposition', attachment(key))
    .header('content-security-policy', foreignPolicy)
    .header('content-type', typeOf(extension))
    .header('cross-origin-resource-policy', 'same-origin')
    .header('x-content-type-options', 'nosniff')
}

/**
 * An attachment under the file's own name, without its folders.
 *
 * @see RFC 6266 §4.3, RFC 8187 §3.2
 */
function attachment(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1)
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%;]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
