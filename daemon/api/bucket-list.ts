import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { fileBody } from '../../core/contract/schemas.ts'
import { authorize, type Deposit, type DepositFile } from '../../core/index.ts'
import { jsonAlone } from '../config/serializers.ts'
import { ignoreMediaTypes } from '../http/bodies.ts'
import { isRefusal } from '../http/problem-reply.ts'
import { setClosed, setPublic } from '../http/sharing.ts'
import { latestOf, sendFilePage, type ShownFile } from './file-pages.ts'
import { filePaging, json } from './openapi/parameters.ts'
import { openBucket, servicesOf, sharedFiles, toObjectBody } from './objects.ts'
import { refuseLinks, resource } from './route.ts'
import type { Services } from './services.ts'

/** `/files/{bucket}`: lists the files of a deposit as plain objects. Those of a record are public. */
export function bucketList(services: Services): FastifyPluginAsync {
  return async (app) => {
    ignoreMediaTypes(app)
    resource(app, services, services.routes.bucket, {
      GET: {
        config: { shared: sharedFiles(services) },
        id: 'listObjects',
        tag: 'files',
        summary: 'List the files of a bucket',
        details: 'Those of a record are public.',
        needs: 'published',
        query: {
          versions: Type.Optional(
            Type.String({ description: 'Empty, `true` or `1` lists every version.' }),
          ),
          ...filePaging,
        },
        answers: { 200: { description: 'The files.', content: json(Type.Array(fileBody)) } },
        answerHeaders: ['Link'],
        offers: jsonAlone,
        handler: (request, reply) => listObjects(services, request, reply),
      },
    })
  }
}

async function listObjects(services: Services, request: FastifyRequest, reply: FastifyReply) {
  const { files, links, parts } = await servicesOf(services, request)
  const { deposit, isPublic } = await openBucket(files, request)
  if (isPublic) setPublic(request, reply)
  else setClosed(reply)
  const order = (await mayRead(parts, request, deposit)) ? 'draft' : 'published'
  const found = await parts.database.read.files.list(deposit.bucket, order)
  const { versions } = request.query as Readonly<Record<string, unknown>>
  const isWhole = ['', 'true', '1'].some((value) => value === versions)
  if (isWhole) refuseLinks(request)
  if (isWhole) await authorize(parts, request.caller, deposit.id, 'read')
  return sendFilePage(request, reply, {
    url: links.bucket(deposit.bucket),
    serializers: jsonAlone,
    items: isWhole ? versionsOf(parts, found) : latestOf(found),
    toBody: ([file, version]) => toObjectBody(file, version, links),
  })
}

/** Every version of the files, those of one file from the latest on. */
async function* versionsOf(
  { database }: Services['parts'],
  files: readonly DepositFile[],
): AsyncGenerator<ShownFile> {
  for (let start = 0; start < files.length; start += 100) {
    const some = files.slice(start, start + 100)
    const versions = await Promise.all(some.map((file) => database.read.files.versions(file)))
    for (const [index, file] of some.entries()) {
      for (const version of versions[index] ?? []) yield [file, version]
    }
  }
}

/** True for those who see the draft: its owner and administrators. */
export async function mayRead(parts: Services['parts'], request: FastifyRequest, deposit: Deposit) {
  try {
    await authorize(parts, request.caller, deposit.id, 'read')
    return true
  } catch (error) {
    // A store that fails says nothing about rights.
    if (isRefusal(error)) return false
    throw error
  }
}
