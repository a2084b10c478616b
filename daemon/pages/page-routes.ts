import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { problems } from '../../core/contract/problems.ts'
import { DepositError, IdentifierMoved } from '../../core/index.ts'
import { toPattern } from '../endpoints.ts'
import { negotiate } from '../http/media-types.ts'
import { resource } from '../http/resource.ts'
import type { Services } from '../routes/services.ts'
import { assetRoutes } from './assets.ts'
import { requireDeposit } from './deposit-shell.ts'
import { setPageHeaders } from './page-headers.ts'
import { toPageData, type PageData } from './page-data.ts'
import { recordPage } from './record/record-page.ts'
import type { PageParts, SendPage } from './page-parts.ts'
import type { PageSettings } from './settings.ts'
import { createRender, toScriptJson } from './templates.ts'
import { text } from './text/text.ts'

/** The pages: small documents that say which program to load, and the records, which need none. */
export function pageRoutes(services: Services, settings: PageSettings): FastifyPluginAsync {
  const send = sendWith(settings)
  const parts = { services, settings, send }
  return async (app) => {
    await app.register(assetRoutes)
    app.setErrorHandler((error, request, reply) => answerProblem(send, error, request, reply))
    resource(app, '/', { GET: { handler: async (_request, reply) => reply.redirect('/deposit') } })
    await app.register(depositPages(parts))
    await app.register(recordPage(parts))
  }
}

function depositPages({ services, settings, send }: PageParts): FastifyPluginAsync {
  const list = settings.depositRoute.replace('/{pid_value}', '')
  const shell = (reply: FastifyReply, name: PageData['page'], id?: string) => {
    const data = toPageData(services, settings, name, id)
    const template = name === 'signed-in' ? 'index' : name
    return send(reply, template, { title: text(`title.${name}`), data: toScriptJson(data) })
  }
  return async (app) => {
    resource(app, list, { GET: { handler: (_request, reply) => shell(reply, 'index') } })
    resource(app, `${list}/new`, { GET: { handler: (_request, reply) => shell(reply, 'new') } })
    resource(app, `${list}/signed-in`, {
      GET: { handler: (_request, reply) => shell(reply, 'signed-in') },
    })
    resource(app, toPattern(settings.depositRoute), {
      GET: {
        handler: async (request, reply) => {
          const { pid_value: id } = request.params as { readonly pid_value: string }
          await requireDeposit(services, id)
          return shell(reply, 'edit', id)
        },
      },
    })
  }
}

function sendWith(settings: PageSettings): SendPage {
  const render = createRender(settings)
  return async (reply, name, view) => {
    const needsApp = name === 'index' || name === 'new' || name === 'edit'
    const page = await render(name, needsApp ? 'app' : 'record', view)
    return setPageHeaders(reply, settings.isSecure()).send(page)
  }
}

/** People get a page that says what is wrong; programs get what the interface answers. */
async function answerProblem(
  send: SendPage,
  error: unknown,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const wantsPage = negotiate(headers.accept ?? '*/*', ['text/html', 'application/json', '*/*'])
  if (!(error instanceof DepositError) || wantsPage === 'application/json') throw error
  if (error instanceof IdentifierMoved) {
    return reply.redirect(`/${error.type === 'recid' ? 'records' : 'deposit'}/${error.value}`, 301)
  }
  const isGone = error.code === 'deposit_deleted'
  reply.code(problems[error.code].status)
  return send(reply, isGone ? 'tombstone' : 'problem', {
    title: text(isGone ? 'tombstone.title' : 'problem.title'),
    message: isMissing(error) ? text('problem.explain') : error.message,
  })
}

function isMissing({ code }: DepositError): boolean {
  return problems[code].status === 404
}
