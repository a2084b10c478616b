import type { FastifyInstance } from 'fastify'

/** One method of one resource. */
export interface Route {
  readonly method: string
  /** The pattern the framework matches. */
  readonly url: string
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route, as it was registered; not those that only refuse a method. */
    listing: readonly Route[]
  }
}

/** Keeps a list of the routes that are registered from now on. */
export function listRoutes(app: FastifyInstance): void {
  const listing: Route[] = []
  app.decorate('listing', listing)
  app.addHook('onRoute', ({ method, url }) => {
    if (typeof method === 'string' && method !== 'HEAD') listing.push({ method, url })
  })
}
