import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Audit } from './audit.ts'
import { atOnce } from './turns.ts'
import { withoutSecrets } from './request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The name in the audit trail of one who acts without a token. */
    actor: string | undefined
    /** The action, if the route does not name it. */
    deed: string | undefined
    /** Why it failed, where the status of the answer does not say so. */
    failed: string | undefined
    /** Path of what was made, where the answer has no location. */
    made: string | undefined
    /** Keys of the files that were stored, where the answer has no location. */
    storedFiles: readonly string[] | undefined
  }
}

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Notes each request that changed something, and each that was refused for want of a right. */
export function auditRequests(app: FastifyInstance, audit: Audit): void {
  app.decorateRequest('actor')
  app.decorateRequest('deed')
  app.decorateRequest('failed')
  app.decorateRequest('made')
  app.decorateRequest('storedFiles')
  app.addHook(
    'onResponse',
    atOnce((request, reply) => {
      const { statusCode: status } = reply
      const isChange = !reads.has(request.method) && status < 400
      const isWanted = isChange || request.deed !== undefined || status === 401 || status === 403
      if (!isWanted) return
      audit.note({ ...describe(request), ...(isChange && changeOf(request, reply)), status })
    }),
  )
}

/** Identifiers and revisions of what a request has changed, as its answer names them. */
function changeOf(request: FastifyRequest, reply: FastifyReply) {
  const { deposit, storedFiles } = request
  const revision = header(reply, 'deposit-revision') ?? header(reply, 'etag')?.replaceAll('"', '')
  const location = header(reply, 'content-location') ?? header(reply, 'location')
  // A redirect of a sign-in is no place of a thing that was made.
  const located = reply.statusCode < 300 ? URL.parse(location ?? '')?.pathname : undefined
  const made = request.made ?? located
  return {
    ...(deposit && { deposit: deposit.id, was: deposit.revision }),
    ...(revision !== undefined && /^\d+$/.test(revision) && { revision: Number(revision) }),
    ...(made !== undefined && { made }),
    ...(storedFiles && { files: storedFiles }),
  }
}

function header(reply: FastifyReply, name: string): string | undefined {
  const value = reply.getHeader(name)
  return typeof value === 'string' ? value : undefined
}

function describe(request: FastifyRequest) {
  const { method, url, routeOptions, ip, id, actor, deed, failed, caller } = request
  const signedIn = caller === undefined || caller === 'anonymous' ? undefined : caller
  const who = signedIn?.user ?? actor
  return {
    ...(who !== undefined && { who }),
    ...(signedIn && { token: signedIn.token.name }),
    ...(signedIn?.token.id !== undefined && { token_id: signedIn.token.id }),
    ...(failed !== undefined && { failed }),
    what: deed ?? `${method} ${routeOptions.url ?? ''}`.trim(),
    on: withoutSecrets(url),
    from: ip,
    request_id: id,
  }
}
