import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify'
import { MethodNotAllowed } from './http-problems.ts'
import { answerPreflight } from './sharing.ts'

/** How one method of a resource is answered. */
export type Method = Omit<RouteOptions, 'method' | 'url'>

export type Methods = Partial<Record<HTTPMethods, Method>>

/** The methods that a resource of ours may have, or refuse by name. */
export const everyMethod = [
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
] as const

/**
 * Registers a resource: its methods, HEAD beside GET, OPTIONS, and 405 with `Allow` for the rest.
 *
 * @see RFC 9110 §15.5.6
 */
export function resource(app: FastifyInstance, url: string, methods: Methods): void {
  for (const [method, options] of Object.entries(methods)) {
    app.route({ ...options, method, url, exposeHeadRoute: true } as RouteOptions)
  }
  const { config: { shared } = {} } = methods.GET ?? {}
  const { config: { acceptPatch } = {} } = methods.PATCH ?? {}
  const known = new Set([...Object.keys(methods), ...('GET' in methods ? ['HEAD'] : [])])
  const allow = [...known.union(new Set(['OPTIONS']))].sort().join(', ')
  const others = everyMethod.filter((method) => !known.has(method))
  app.route({
    method: others,
    url,
    schema: { hide: true },
    config: { ...(shared && { shared }) },
    onRequest: async (request, reply) => {
      reply.header('allow', allow)
      if (request.method !== 'OPTIONS') throw new MethodNotAllowed(request.method, allow)
      if (acceptPatch !== undefined) reply.header('accept-patch', acceptPatch)
      if (reply.hasHeader('access-control-allow-origin')) answerPreflight(reply)
      return reply.code(204).send()
    },
    handler: async () => undefined,
  })
}
