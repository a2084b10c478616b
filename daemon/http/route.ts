import { problem } from '../../core/index.ts'
import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import type { Scope } from '../../core/contract/scopes.ts'
import { answerPreflight } from './sharing.ts'

/** Description of a method of a resource for the API document. */
export interface Operation {
  /** Unique: its name in clients generated from the document. */
  readonly id: string
  readonly tag: string
  /** In the imperative. */
  readonly summary: string
  /** Whole sentences beside the summary. */
  readonly details?: string
  /** The permission it needs, in the words of the API. */
  readonly needs: string
  /** Scopes the token must have; `public` where no token is needed. */
  readonly scopes: 'public' | readonly Scope[]
  /** True where a token makes a difference and yet none is needed. */
  readonly optionalToken?: boolean
  readonly query?: Readonly<Record<string, TSchema>>
  readonly headers?: Readonly<Record<string, TSchema>>
  /** Of the request, by media type. */
  readonly body?: Readonly<Record<string, TSchema>>
  /** Another service describes it: the API document leaves it out. */
  readonly isForeign?: true
  /** Those that succeed, by status. */
  readonly answers: Readonly<Record<number, AnswerOf>>
  /** Headers of every answer that succeeds. */
  readonly answerHeaders?: readonly string[]
}

/** An answer: in words, with its bodies by media type where it has one. */
export interface AnswerOf {
  readonly description: string
  readonly content?: Readonly<Record<string, TSchema>>
}

/** One method of a resource. */
export interface Method extends Omit<RouteOptions, 'method' | 'url'> {
  /** `none` of a page, and of what another protocol describes. */
  readonly operation: Operation | 'none'
}

export type Methods = Partial<Record<HTTPMethods, Method>>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of the API document. The HEAD beside a GET has that of the GET. */
    readonly operation?: Operation & { readonly method: string }
  }
  interface FastifyInstance {
    /** Every route, as it was registered; not those that only refuse a method. */
    listing: readonly Listed[]
  }
}

/** One method of one resource. */
export interface Listed {
  readonly method: string
  /** The pattern the framework matches. */
  readonly url: string
  /** Of a route that the API document has. */
  readonly needs: string | undefined
}

/** Keeps a list of the routes that are registered from now on. */
export function listRoutes(app: FastifyInstance): void {
  const listing: Listed[] = []
  app.decorate('listing', listing)
  app.addHook('onRoute', ({ method, url, config }) => {
    if (typeof method !== 'string' || method === 'HEAD') return
    listing.push({ method, url, needs: config?.operation?.needs })
  })
}

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
  for (const [method, given] of Object.entries(methods)) {
    if (!given) continue
    const { operation, ...options } = given
    const described = operation !== 'none' && { operation: { ...operation, method } }
    const config = { ...options.config, ...described }
    app.route({ ...options, config, method, url, exposeHeadRoute: true })
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
      if (request.method !== 'OPTIONS')
        throw problem('method_not_allowed', { method: request.method, allowed: allow })
      if (acceptPatch !== undefined) reply.header('accept-patch', acceptPatch)
      if (reply.hasHeader('access-control-allow-origin')) answerPreflight(reply)
      return reply.code(204).send()
    },
    handler: async () => undefined,
  })
}
