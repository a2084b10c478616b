import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { maxBundledBytes, maxBundleFiles } from '../../core/contract/uploads.ts'
import { fileListBody } from '../../core/contract/schemas.ts'
import type { PutFile, StagedBundle } from '../../core/index.ts'
import { receiveBundle } from '../http/multipart.ts'
import { demandsNew, underCondition } from '../http/revision.ts'
import { fileContent, measureBundle } from './measured-files.ts'
import { toFileBody } from './objects.ts'
import { conditionalChange, csv, repeatable } from './openapi/parameters.ts'
import { done, resource, fileRequest, revisionHeader } from './route.ts'
import type { Services } from './services.ts'

const bundleForm = Type.Object(
  {
    file: Type.Array(Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }), {
      description: `Files of at most ${maxBundledBytes} bytes; the name of each is its key.`,
      minItems: 1,
      maxItems: maxBundleFiles,
    }),
  },
  { examples: [{ file: [csv, csv] }] },
)

/** `/deposits/{pid_value}/bundles`: small files, many in one request, stored all or none. */
export function fileBundles(services: Services): FastifyPluginAsync {
  return async (app) => {
    resource(app, services, services.routes.bundleList, {
      POST: {
        id: 'uploadBundle',
        tag: 'files',
        summary: 'Add many small files by a form, all or none',
        needs: 'update',
        headers: { ...conditionalChange, ...repeatable },
        body: { 'multipart/form-data': bundleForm },
        answers: { 200: done(fileListBody), 201: done(fileListBody) },
        answerHeaders: ['Deposit-Revision'],
        offers: services.serializers.files,
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
