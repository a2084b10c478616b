import { Type } from 'typebox'
import type { FastifyPluginAsync } from 'fastify'
import { healthBody, indexBody, usageBody } from '../../core/contract/schemas.ts'
import { roles, sumOfUsage, type Role } from '../../core/index.ts'
import { json } from './openapi/parameters.ts'
import { done, resource } from './route.ts'
import type { Services } from './services.ts'

const meBody = Type.Object(
  {
    user: Type.String(),
    email: Type.Union([Type.String(), Type.Null()]),
    name: Type.Union([Type.String(), Type.Null()], { description: 'As the account has it.' }),
    used: Type.Integer({
      description:
        'Bytes that count against the quota: files with uploads under way, metadata, revisions, kept answers, and 512 with the name for each file.',
    }),
    usage: usageBody,
    quota: Type.Integer({ description: 'Most bytes of them.' }),
    releasable: Type.Optional(
      Type.Integer({
        description: 'Bytes of the trash and the history, which give way to uploads; if asked for.',
      }),
    ),
    admin: Type.Boolean(),
    roles: Type.Array(Type.Unsafe<Role>({ type: 'string', enum: [...roles] })),
    scopes: Type.Array(Type.String()),
    expires: Type.Union([Type.String(), Type.Null()]),
    deposit: Type.Union([Type.String(), Type.Null()]),
    token: Type.Object({ name: Type.String() }),
  },
  { $id: 'Me' },
)

/** Routes of the service itself: its health, its endpoints, and who a token stands for. */
export function serviceRoutes(services: Services): FastifyPluginAsync {
  const { parts, routes, version, health, failingIssuer } = services
  return async (app) => {
    resource(app, services, routes.health, {
      GET: {
        config: { hosts: 'any', needsNoRows: true },
        id: 'readHealth',
        tag: 'service',
        summary: 'Tell how the service is',
        needs: 'nothing',
        answers: { 200: done(healthBody) },
        handler: async (request) => {
          const issuer = failingIssuer()
          const { faults, damaged, isDegraded } = await health.state(issuer)
          const status = isDegraded ? 'degraded' : 'ok'
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
    resource(app, services, routes.index, {
      GET: {
        id: 'listEndpoints',
        tag: 'service',
        summary: 'List the endpoints: kinds of deposits, with the templates of their addresses',
        needs: 'nothing',
        answers: { 200: done(indexBody) },
        handler: async () => {
          const found = [...services.endpoints.values()].map(({ endpoint, parts: own, links }) => {
            return [endpoint, { pid_type: own.pidType, links: links.endpoint() }] as const
          })
          return { endpoints: Object.fromEntries(found) }
        },
      },
    })
    resource(app, services, routes.me, {
      GET: {
        id: 'readMe',
        tag: 'tokens',
        summary: 'Tell who the token stands for',
        needs: 'token',
        query: {
          releasable: Type.Optional(
            Type.Literal('true', { description: 'Counts what gives way to uploads, too.' }),
          ),
        },
        answers: { 200: { description: 'The user.', content: json(meBody) } },
        handler: async ({ caller, query }) => {
          if (caller === 'anonymous') return undefined
          const { accounts, usage, trash, history } = parts.database.read
          const { releasable } = query as { readonly releasable?: 'true' }
          const account = await accounts.find(caller.user)
          const own = await usage.breakdown(caller.user)
          return {
            user: caller.user,
            email: account?.email ?? null,
            name: account?.name ?? null,
            used: sumOfUsage(own),
            usage: own,
            quota: account?.quota ?? parts.settings.quota,
            ...(releasable && {
              releasable: (await trash.bytesOf(caller.user)) + (await history.bytesOf(caller.user)),
            }),
            admin: caller.admin,
            roles: [...caller.roles],
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
