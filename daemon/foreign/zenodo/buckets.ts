import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  authorize,
  findByBucket,
  parseBucketId,
  problem,
  requestedKey,
  type Deposit,
} from '../../../core/index.ts'
import { ignoreMediaTypes, RequestBody } from '../../http/bodies.ts'
import { sendFile } from '../../http/send-file.ts'
import { mayRead } from '../../api/bucket-list.ts'
import { openBucket, readableObject, servicesOf } from '../../api/objects.ts'
import { keyInPath, setRevision, version, type Permit } from '../../api/route.ts'
import { addressOf, prefix, toObjectBody, type Zenodo } from './answers.ts'
import { sumsOf, toTime } from '../shown.ts'
import { flatKey } from '../flat-key.ts'
import { askedOf, demanded, incomingBytes, serve } from '../serve.ts'

/** `files/{bucket}`: the files of a deposit as plain objects, written and read as streams of bytes. */
export async function bucketRoutes(app: FastifyInstance, zenodo: Zenodo): Promise<void> {
  const { services, md5 } = zenodo
  ignoreMediaTypes(app)
  const permit: Permit = async (request, intent) => {
    if (request.caller === 'anonymous') throw problem('unauthenticated')
    const own = await servicesOf(services, request)
    const { id } = await depositOf(zenodo, request)
    const expected = await demanded(own, request, intent)
    return authorize(own.parts, request.caller, id, intent, expected)
  }
  serve(app, services, [`${prefix}/files/{bucket}`], {
    GET: { needs: 'published', handler: (request) => listObjects(zenodo, request) },
  })
  serve(app, services, [`${prefix}/files/{bucket}/{key}`], {
    GET: {
      needs: 'published',
      handler: async (request, reply) => {
        const { files } = await servicesOf(services, request)
        return sendFile(request, reply, await readableObject(services, request), files)
      },
    },
    PUT: {
      needs: 'update',
      permit,
      handler: async (request, reply) => {
        const { files } = await servicesOf(services, request)
        const place = await asked(zenodo, request)
        const name = keyInPath(request)
        const key = flatKey(name, request.headers)
        const bytes = new RequestBody(request.raw)
        await using staged = await files.stage(place, bytes, { ...incomingBytes(request), key })
        const { deposit, answer } = await files.put(place, key, staged, { name })
        const { latest } = answer.file
        setRevision(reply, deposit)
        const body = toObjectBody(zenodo, answer.file, latest, await md5.of(latest))
        reply.code(201).header('location', addressOf(zenodo, 'files', deposit.bucket, key))
        return body
      },
    },
    DELETE: {
      needs: 'update',
      permit,
      handler: async (request, reply) => {
        const { files } = await servicesOf(services, request)
        const place = await asked(zenodo, request)
        const key = requestedKey(keyInPath(request))
        const wanted = version(request)
        const { file } = await files.find(place, key)
        if (wanted !== undefined && wanted !== file.latest.id) {
          const message = 'No older version is deleted alone: a file goes with all.'
          throw problem('permission_denied', { message })
        }
        const { deposit } = await files.remove(place, key)
        setRevision(reply, deposit)
        return reply.code(204).send()
      },
    },
  })
}

async function depositOf({ services }: Zenodo, { params }: FastifyRequest): Promise<Deposit> {
  const { bucket } = params as { readonly bucket: string }
  return findByBucket(services.parts.database.read, parseBucketId(bucket))
}

async function asked(zenodo: Zenodo, request: FastifyRequest) {
  return askedOf(request, await depositOf(zenodo, request))
}

async function listObjects(zenodo: Zenodo, request: FastifyRequest): Promise<object> {
  const { files, parts } = await servicesOf(zenodo.services, request)
  const { deposit } = await openBucket(files, request)
  const order = (await mayRead(parts, request, deposit)) ? 'draft' : 'published'
  const listed = await parts.database.read.files.list(deposit.bucket, order)
  const sums = await sumsOf(zenodo, listed)
  const self = addressOf(zenodo, 'files', deposit.bucket)
  return {
    id: deposit.bucket,
    created: toTime(deposit.created),
    updated: toTime(deposit.updated),
    size: listed.reduce((sum, { latest }) => sum + latest.blob.size, 0),
    quota_size: parts.settings.quota,
    max_file_size: parts.settings.maxFileSize,
    locked: deposit.record !== undefined,
    contents: listed.map((file, index) => toObjectBody(zenodo, file, file.latest, sums[index])),
    links: { self },
  }
}
