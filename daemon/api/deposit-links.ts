import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { fillRoute } from '../../core/contract/routes.ts'
import {
  linkListBody,
  linkRequest,
  newLinkBody,
  type LinkRequest,
} from '../../core/contract/sharing-schemas.ts'
import type { ShareLink } from '../../core/index.ts'
import { hashSecret, newSecret } from '../sign-in/identity/secret.ts'
import { gone, json } from './openapi/parameters.ts'
import { depositId, done, resource } from './route.ts'
import type { Services } from './services.ts'

/** `/deposits/{pid_value}/links`: links by which people without an account see or edit a deposit. */
export function depositLinks(services: Services): FastifyPluginAsync {
  const { routes, shareLinks, origin } = services
  return async (app) => {
    resource(app, services, routes.linkList, {
      GET: {
        id: 'listLinks',
        tag: 'people',
        summary: 'List the links to a deposit, without their secrets',
        needs: 'manage',
        answers: { 200: done(linkListBody) },
        handler: async (request, reply) => {
          reply.header('cache-control', 'no-store')
          return (await shareLinks.list(asked(request))).map(toBody)
        },
      },
      POST: {
        id: 'createLink',
        tag: 'people',
        summary: 'Make a link to a deposit, for people without an account',
        details:
          'Whoever has its `url` has the role, until it expires or is revoked. The `url` is answered ' +
          'only once. A browser that opens it gets a cookie of that deposit alone.',
        needs: 'share',
        body: json(linkRequest),
        isChecked: true,
        answers: { 201: done(newLinkBody) },
        handler: async (request, reply) => {
          const secret = newSecret('share')
          const { role, expires, label, anonymous } = request.body as LinkRequest
          const wanted = { hash: hashSecret(secret), role, expires, label, anonymous }
          const link = await shareLinks.create(asked(request), wanted)
          const values = { pid_value: link.deposit, id: link.id }
          const page = fillRoute(routes.depositPage, values)
          const url = `${origin()}${page}/link?key=${secret}`
          reply.header('cache-control', 'no-store')
          return reply.code(201).send({ ...toBody(link), url })
        },
      },
    })
    resource(app, services, routes.linkItem, {
      DELETE: {
        id: 'revokeLink',
        tag: 'people',
        summary: 'Revoke a link to a deposit',
        needs: 'share',
        answers: gone,
        handler: async (request, reply) => {
          const { id } = request.params as { readonly id: string }
          await shareLinks.revoke(asked(request), id)
          return reply.code(204).send()
        },
      },
    })
  }
}

function asked(request: FastifyRequest) {
  return { caller: request.caller, id: depositId(request) }
}

function toBody({ id, role, label, anonymous, created, expires }: ShareLink) {
  return { id, role, label, anonymous, created, expires }
}
