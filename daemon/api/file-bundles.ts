import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { fileListBody } from '../../core/contract/schemas.ts'
import type { PutFile, StagedBundle } from '../../core/index.ts'
import { toPattern } from '../config/endpoints.ts'
import { receiveBundle } from '../http/bundle-form.ts'
import { resource } from '../http/route.ts'
import { demandsNew, underCondition } from '../http/revision.ts'
import { fileContent, measureBundle } from './idempotency/measure-only.ts'
import { acceptable } from '../http/by-media-type.ts'
import { toFileBody } from './serializers/file-json.ts'
import { fileRequest, revisionHeader } from './file-request.ts'
import { guardDeposit } from './guards.ts'
import type { Services } from './services.ts'

/** `/deposits/{pid_value}/bundles`: small files, many in one request, stored all or none. */
export function fileBundles(services: Services): FastifyPluginAsync {
  const accept = acceptable(services.serializers.files)
  return async (app) => {
    resource(app, toPattern(services.routes.bundleList), {
      POST: {
        schema: { response: { 200: fileListBody, 201: fileListBody } },
        onRequest: [...guardDeposit(services, 'update', 'multipart/form-data'), accept],
        handler: (request, reply) =>
          underCondition(request, () => putBundle(services, request, reply)),
      },
    })
  }
}

/** 201 where all files are new, 200 where some are new versions; with `If-None-Match: *` never. */
async function putBundle(
  { attempts, bundles, links, serializers }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asked = fileRequest(request)
  const mustBeNew = demandsNew(request)
  using attempt = await attempts.begin(request)
  await using bundle = attempt.isRepeated
    ? await measureBundle(await receiveBundle(request))
    : await bundles.stage(asked, () => receiveBundle(request))
  return await attempt.answer<readonly PutFile[]>(reply, {
    content: contentOf(bundle),
    serializers: serializers.files,
    make: (beside) => bundles.put({ ...asked, beside }, bundle, mustBeNew),
    toAnswer: (deposit, _unit, made) => {
      request.storedFiles = made.map(({ file }) => file.key)
      return {
        status: made.every(({ isNew }) => isNew) ? 201 : 200,
        headers: revisionHeader(deposit),
        body: made.map(({ file }) => toFileBody(file, deposit, links)),
      }
    },
  })
}

function contentOf({ files }: StagedBundle): string {
  return files.map(({ key, staged }) => fileContent(key, staged)).join('\n')
}
