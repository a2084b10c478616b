import type { FastifyInstance } from 'fastify'
import { atOnce } from './at-once.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the JSON of the answer is to be indented, and no text made before will do. */
    isIndented: boolean
  }
}

/** Indents the JSON of an answer where the request asks for it with `?prettyprint=1`. */
export function prettyPrint(app: FastifyInstance): void {
  app.decorateReply('isIndented', false)
  app.addHook(
    'onRequest',
    atOnce(({ query }, reply) => {
      const { prettyprint } = query as Readonly<Record<string, unknown>>
      if (prettyprint === undefined || prettyprint === '0') return
      reply.isIndented = true
      reply.serializer((payload: unknown) =>
        typeof payload === 'string' ? payload : JSON.stringify(payload, null, 2),
      )
    }),
  )
}
