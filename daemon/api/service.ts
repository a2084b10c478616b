import type { FastifyPluginAsync } from 'fastify'
import { healthBody, indexBody } from '../../core/contract/schemas.ts'
import { resource } from '../http/route.ts'
import { requireToken } from './guards.ts'
import type { Services } from './services.ts'

/** Routes of the service itself: its health, its endpoints, and who a token stands for. */
export function serviceRoutes(services: Services): FastifyPluginAsync {
  const { parts, routes, version, health, failingIssuer } = services
  return async (app) => {
    resource(app, routes.health, {
      GET: {
        config: { hosts: 'any' },
        schema: { response: { 200: healthBody } },
        handler: async (request) => {
          const damaged = await parts.database.upkeep.damaged()
          const issuer = failingIssuer()
          const own = await health.faults()
          const faults = issuer === undefined ? own : [...own, 'issuer']
          const status = faults.length === 0 && damaged === 0 ? 'ok' : 'degraded'
          if (!request.isForOwnName) return { status }
          return {
            status,
            version,
            ...(faults.length > 0 && { faults }),
            ...(damaged > 0 && { damaged }),
            ...(issuer !== undefined && { issuer }),
          }
        },
      },
    })
    resource(app, routes.index, {
      GET: {
        schema: { response: { 200: indexBody } },
        handler: async () => {
          const found = [...services.endpoints.values()].map(({ endpoint, parts: own, links }) => {
            return [endpoint, { pid_type: own.pidType, links: links.endpoint() }] as const
          })
          return { endpoints: Object.fromEntries(found) }
        },
      },
    })
    resource(app, routes.me, {
      GET: {
        onRequest: [requireToken],
        handler: async ({ caller }) => {
          if (caller === 'anonymous') return undefined
          const { accounts, usage } = parts.database.read
          const account = await accounts.find(caller.user)
          return {
            user: caller.user,
            email: account?.email ?? null,
            used: (await usage.of(caller.user)) + (await usage.metadata(caller.user)),
            quota: account?.quota ?? parts.settings.quota,
            admin: caller.admin,
            scopes: [...caller.scopes],
            expires: caller.expires ?? null,
            deposit: caller.onlyDeposit ?? null,
            token: { name: caller.token.name },
          }
        },
      },
    })
  }
}
