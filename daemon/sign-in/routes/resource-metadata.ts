import type { FastifyPluginAsync } from 'fastify'
import { scopes } from '../../../core/contract/scopes.ts'
import { resource } from '../../http/route.ts'
import { oidcScopes, resourceAt } from '../issuer/scopes.ts'

/** Where a client that was refused learns where to sign in. */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource/api'

interface ResourceMetadataOptions {
  readonly origin: () => string
  /** Whose tokens the service takes. */
  readonly issuer: () => string
}

/** What the service says of itself as a protected resource. @see RFC 9728 */
export function resourceMetadata(options: ResourceMetadataOptions): FastifyPluginAsync {
  const { origin, issuer } = options
  return async (app) => {
    for (const url of [resourceMetadataPath, '/.well-known/oauth-protected-resource']) {
      resource(app, url, {
        GET: {
          operation: 'none',
          handler: async () => ({
            resource: resourceAt(origin()),
            authorization_servers: [issuer()],
            scopes_supported: [...Object.keys(oidcScopes), ...Object.keys(scopes)],
            bearer_methods_supported: ['header'],
            resource_name: 'deposit',
          }),
        },
      })
    }
  }
}
