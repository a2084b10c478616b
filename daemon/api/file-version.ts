import type { FastifyPluginAsync } from 'fastify'
import { fileBody } from '../../core/contract/schemas.ts'
import { parseVersionId, problem } from '../../core/index.ts'
import { sendAs } from '../http/negotiation.ts'
import { toFileBody } from './objects.ts'
import { conditionalChange } from './openapi/parameters.ts'
import { done, fileRequest, resource, setRevision } from './route.ts'
import type { Services } from './services.ts'

/** `/deposits/{pid_value}/file-versions/{id}`: an earlier version of a file of a draft. */
export function fileVersion(services: Services): FastifyPluginAsync {
  const { files, links, routes } = services
  const serializers = services.serializers.files
  return async (app) => {
    resource(app, services, routes.fileVersion, {
      POST: {
        id: 'bringBackVersion',
        tag: 'files',
        summary: 'Bring back an earlier version of a file, as its latest',
        details:
          'It becomes a further version: what it takes the place of is kept. Those of all files are listed by `GET /api/files/{bucket}?versions`.',
        needs: 'update',
        headers: conditionalChange,
        answers: { 200: done(fileBody) },
        answerHeaders: ['Deposit-Revision'],
        offers: serializers,
        handler: async (request, reply) => {
          const { id } = request.params as { readonly id: string }
          const version = parseVersionId(id)
          if (!version) throw problem('version_not_found')
          const back = await files.bringBack(fileRequest(request), version)
          setRevision(reply, back.deposit)
          return sendAs(reply, serializers, toFileBody(back.answer, back.deposit, links))
        },
      },
    })
  }
}
