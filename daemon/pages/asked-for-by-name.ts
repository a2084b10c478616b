import { problem } from '../../core/index.ts'
import type { FastifyPluginAsync } from 'fastify'
import { resource } from '../http/route.ts'
import { readIcon } from './assets.ts'

interface Asked {
  readonly origin: () => string
  /** `DEPOSIT_SECURITY_CONTACT`; there is no security.txt without it. */
  readonly contact: string | undefined
}

/** For how long a copy of security.txt is good. */
const goodMs = 30 * 86_400_000

/**
 * Files that programs ask for by a name of their own: the icon of the site, and whom to tell of a
 * weakness.
 *
 * @see RFC 9116
 */
export function askedForByName({ origin, contact }: Asked): FastifyPluginAsync {
  return async (app) => {
    resource(app, '/favicon.ico', {
      GET: {
        operation: 'none',
        handler: async (_request, reply) =>
          reply
            .type('image/svg+xml')
            .header('cache-control', 'public, max-age=86400')
            .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
            .send(await readIcon()),
      },
    })
    resource(app, '/.well-known/security.txt', {
      GET: {
        operation: 'none',
        handler: async (_request, reply) => {
          if (contact === undefined) throw problem('not_found')
          const expires = new Date(Date.now() + goodMs).toISOString()
          const canonical = `${origin()}/.well-known/security.txt`
          const text = `Contact: ${contact}\nExpires: ${expires}\nCanonical: ${canonical}\n`
          return reply.type('text/plain; charset=utf-8').send(text)
        },
      },
    })
  }
}
