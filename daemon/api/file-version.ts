import type { FastifyPluginAsync } from 'fastify'
import { fileBody } from '../../core/contract/schemas.ts'
import { parseVersionId, problem, type DepositFile } from '../../core/index.ts'
import { toFileBody } from './objects.ts'
import { conditionalChange, repeatable } from './openapi/parameters.ts'
import { done, fileRequest, resource, revisionHeader } from './route.ts'
import type { Services } from './services.ts'

/** `/deposits/{pid_value}/file-versions/{id}`: an earlier version of a file of a draft. */
export function fileVersion(services: Services): FastifyPluginAsync {
  const { attempts, files, links, routes } = services
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
        headers: { ...conditionalChange, ...repeatable },
        answers: { 200: done(fileBody) },
        answerHeaders: ['Deposit-Revision'],
        offers: serializers,
        handler: async (request, reply) => {
          const { id } = request.params as { readonly id: string }
          const version = parseVersionId(id)
          if (!version) throw problem('version_not_found')
          return attempts.answer<DepositFile>(request, reply, {
            content: '',
            serializers,
            make: (kept) => files.bringBack({ ...fileRequest(request), ...kept }, version),
            toAnswer: (deposit, _rows, file) => {
              const body = toFileBody(file, deposit, links)
              return { status: 200, headers: revisionHeader(deposit), body }
            },
          })
        },
      },
    })
  }
}
