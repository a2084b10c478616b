import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { uploadListBody, type UploadListBody } from '../../core/contract/schemas.ts'
import { expiryOf, type UploadStatus } from '../../core/index.ts'
import { toPattern } from '../endpoints.ts'
import { leaveBodiesUnread } from '../http/bodies.ts'
import { resource, type Method } from '../http/resource.ts'
import { serveTus } from '../uploads/serve-tus.ts'
import { UploadLocks } from '../uploads/upload-locks.ts'
import { fileRequest, setRevision } from './file-request.ts'
import { guardDeposit } from './guards.ts'
import type { Services } from './services.ts'

/**
 * `/deposits/{pid_value}/uploads`: files that arrive in pieces, by the tus protocol.
 *
 * @see https://tus.io/protocols/resumable-upload
 */
export function depositUploads(services: Services): FastifyPluginAsync {
  const { routes, uploads } = services
  const locks = new UploadLocks()
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    answer(services, locks, request, reply)
  const options: Method = { handler }
  return async (app) => {
    leaveBodiesUnread(app)
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('tus-resumable', '1.0.0').header('tus-version', '1.0.0')
    })
    resource(app, toPattern(routes.uploadList), {
      GET: {
        schema: { response: { 200: uploadListBody } },
        onRequest: guardDeposit(services, 'read'),
        handler: async (request) => {
          const found = await uploads.list(fileRequest(request))
          return found.map((status) => toUploadBody(services, status))
        },
      },
      POST: { onRequest: guardDeposit(services, 'update'), handler },
      OPTIONS: options,
    })
    resource(app, toPattern(routes.uploadItem), {
      HEAD: { onRequest: guardDeposit(services, 'read'), handler },
      PATCH: {
        onRequest: guardDeposit(services, 'update', 'application/offset+octet-stream'),
        handler,
      },
      DELETE: { onRequest: guardDeposit(services, 'update'), handler },
      OPTIONS: options,
    })
  }
}

/** The last bytes of an upload say which file they have become, and the deposit's new revision. */
async function answer(
  services: Services,
  locks: UploadLocks,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { finished } = await serveTus(services, locks, request, reply, fileRequest(request))
  if (finished) {
    const { deposit, answer: file } = finished
    setRevision(reply, deposit)
    const place = { bucket: deposit.bucket, key: file.key, deposit: deposit.id }
    reply.header('content-location', services.links.file(place).self)
  }
  return reply.send()
}

function toUploadBody({ parts, links }: Services, status: UploadStatus): UploadListBody[number] {
  const { id, deposit, key, size, created } = status.upload
  return {
    id,
    filename: key,
    filesize: size,
    offset: status.offset,
    created,
    expires: expiryOf(parts, status),
    links: { self: links.upload(deposit, id) },
  }
}
