import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problems } from '../../../core/contract/problems.ts'
import { isProblem, problem, type DepositError } from '../../../core/index.ts'
import { advice } from '../../issuer-advice.ts'
import { issuerPageHeaders } from '../pages/headers.ts'
import { errorPage } from '../pages/pages.ts'

interface FormOptions {
  readonly isSecure: () => boolean
  /** Path of the page on which people sign in. */
  readonly home: string
}

/** Pages with forms and no script: reads what they send, and answers failures with a page too. */
export function serveForms(app: FastifyInstance, { isSecure, home }: FormOptions): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 16_384 },
    async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
  )
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(issuerPageHeaders(isSecure()))
  })
  app.setErrorHandler(answerWithPage(home))
}

/** The fields of a form; one that is missing is empty. */
export function fieldsOf({ body }: FastifyRequest): (name: string) => string {
  return (name) => (body instanceof URLSearchParams ? (body.get(name) ?? '') : '')
}

function answerWithPage(home: string) {
  const toCode = { href: '/device', text: advice.toCode() }
  const toSignIn = { href: home, text: advice.toSignIn() }
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!isProblem(error)) throw error
    if (isProblem(error, 'too_many_requests')) reply.header('retry-after', error.details.retryAfter)
    // The answer to a failure has lost the type that was set for the page.
    reply.code(problems[error.code].status).type('text/html; charset=utf-8')
    const way = request.routeOptions.url?.startsWith('/device') ? toCode : toSignIn
    return reply.send(errorPage(error.message, way, request.id))
  }
}

/** A form that we did not make, or made too long ago. */
export function staleForm(): DepositError {
  return problem('permission_denied', { message: advice.beginAgain() })
}
