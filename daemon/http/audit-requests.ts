import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Audit } from '../audit.ts'
import { atOnce } from './at-once.ts'
import { withoutSecrets } from './describe-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who the audit trail says did this, where it is nobody that a token stands for. */
    actor: string | undefined
    /** What they did, where the route does not say it. */
    deed: string | undefined
  }
}

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Notes each request that changed something, and each that was refused for want of a right. */
export function auditRequests(app: FastifyInstance, audit: Audit): void {
  app.decorateRequest('actor')
  app.decorateRequest('deed')
  app.addHook(
    'onResponse',
    atOnce((request, { statusCode: status }) => {
      const isChange = !reads.has(request.method) && status < 400
      if (isChange || status === 401 || status === 403) audit.note({ ...describe(request), status })
    }),
  )
}

function describe(request: FastifyRequest) {
  const { method, url, routeOptions, ip, id, actor, deed, caller } = request
  const signedIn = caller === undefined || caller === 'anonymous' ? undefined : caller
  const who = signedIn?.user ?? actor
  return {
    ...(who !== undefined && { who }),
    ...(signedIn && { token: signedIn.token.name }),
    what: deed ?? `${method} ${routeOptions.url ?? ''}`.trim(),
    on: withoutSecrets(url),
    from: ip,
    request_id: id,
  }
}
