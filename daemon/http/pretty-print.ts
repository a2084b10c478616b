import type { FastifyInstance } from 'fastify'
import { atOnce } from './at-once.ts'

/** Indents the JSON of an answer where the request asks for it with `?prettyprint=1`. */
export function prettyPrint(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    atOnce(({ query }, reply) => {
      const { prettyprint } = query as Readonly<Record<string, unknown>>
      if (prettyprint === undefined || prettyprint === '0') return
      reply.serializer((payload: unknown) =>
        typeof payload === 'string' ? payload : JSON.stringify(payload, null, 2),
      )
    }),
  )
}
