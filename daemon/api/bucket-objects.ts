import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { fileBody } from '../../core/contract/schemas.ts'
import {
  authorize,
  FileExists,
  findByBucket,
  MalformedRequest,
  parseBucketId,
  requestedKey,
  toFileKey,
  type BucketId,
  type Deposit,
  type DepositFile,
  type ExpectedRevision,
  type FileKey,
  type PutFile,
} from '../../core/index.ts'
import { toPattern } from '../config/endpoints.ts'
import { atOnce } from '../http/at-once.ts'
import { ignoreMediaTypes, refuseMediaRange } from '../http/bodies.ts'
import { requirePlainBody } from '../http/media-types.ts'
import { RequestBody } from '../http/request-body.ts'
import { requestDigest } from '../http/request-digest.ts'
import { isRefusal } from '../http/http-problems.ts'
import { resource } from '../http/route.ts'
import {
  demandsNew,
  expectedRevision,
  fileTag,
  namesTag,
  underCondition,
} from '../http/revision.ts'
import { sendFile } from '../http/send-file.ts'
import { mediaDestinations, setPublic, type Shared } from '../http/sharing.ts'
import type { Answer } from './idempotency/answer.ts'
import { fileContent, measureOnly } from './idempotency/measure-only.ts'
import { toLinkHeader } from '../discovery/signposting.ts'
import { jsonAlone } from '../config/serializers.ts'
import { acceptable } from '../http/by-media-type.ts'
import type { Links } from '../config/links.ts'
import { toObjectBody } from './serializers/file-json.ts'
import { arriveByLink, linkDownload, useLink } from './download-link.ts'
import { refuseVersion } from './file-item.ts'
import { latestOf, sendFilePage, type ShownFile } from './file-pages.ts'
import { revisionHeader, setRevision } from './file-request.ts'
import { requireToken, keyInPath, type Guards } from './guards.ts'
import { openBucket, readableObject, servicesOf } from './readable-object.ts'
import type { Services } from './services.ts'

/**
 * `/files/{bucket}` and `/files/{bucket}/{key}`: the files of a deposit as plain objects, written
 * and read as streams of bytes. Those of a record are public.
 */
export function bucketObjects(services: Services): FastifyPluginAsync {
  const { routes } = services
  const config = { shared: sharedFiles(services) }
  return async (app) => {
    ignoreMediaTypes(app)
    resource(app, toPattern(routes.bucket), {
      GET: {
        config,
        onRequest: [acceptable(jsonAlone)],
        handler: (request, reply) => listObjects(services, request, reply),
      },
    })
    resource(app, toPattern(routes.object), {
      GET: {
        config,
        onRequest: arriveByLink(services),
        handler: (request, reply) => getObject(services, request, reply),
      },
      POST: linkDownload(services),
      PUT: {
        schema: { response: { 200: fileBody, 201: fileBody } },
        onRequest: guardObject(services, atOnce(requirePlainBody), atOnce(refuseMediaRange)),
        handler: (request, reply) =>
          underCondition(request, () => putObject(services, request, reply)),
      },
      DELETE: {
        onRequest: guardObject(services),
        handler: async (request, reply) => {
          refuseVersion(request)
          const key = requestedKey(keyInPath(request))
          const { files } = await servicesOf(services, request)
          const removed = await files.remove(await asked(services, request), key)
          setRevision(reply, removed.deposit)
          return reply.code(204).send()
        },
      },
    })
  }
}

async function getObject(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const found = await readableObject(services, request)
  const isPublic = request.caller === 'anonymous'
  const { record } = found.deposit
  if (isPublic && record) {
    const page = services.links.recordPage(record.value)
    reply.header('link', toLinkHeader([{ rel: 'collection', href: page, type: 'text/html' }]))
  }
  const { files } = services
  return sendFile(
    request,
    reply,
    { ...found, isPublic },
    {
      read: async (version, range) => {
        await useLink(services, request)
        return files.read(version, range)
      },
      addressOf: async (version, shownAs) => {
        const address = await files.addressOf(version, shownAs)
        if (address !== undefined) await useLink(services, request)
        return address
      },
    },
  )
}

/** The files of a record are for everybody, those of a draft for nobody else. */
function sharedFiles(services: Services): Shared {
  return {
    destinations: mediaDestinations,
    isPublic: async (request) => {
      const { bucket } = request.params as { readonly bucket: string }
      const { files } = await servicesOf(services, request)
      return files.openBucket('anonymous', parseBucketId(bucket)).then(
        () => true,
        (error: unknown) => {
          if (isRefusal(error)) return false
          throw error
        },
      )
    },
  }
}

/** A new file, or a new version of one; with `If-None-Match: *` a new file or nothing. */
async function putObject(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { attempts, files, links, parts } = await servicesOf(services, request)
  requireWhole(request)
  const place = await asked(services, request)
  const key = toFileKey(keyInPath(request))
  using attempt = await attempts.begin(request)
  const mustBeNew = demandsNew(request)
  if (mustBeNew && !attempt.isRepeated) await requireFree(parts, place.bucket, key)
  const bytes = new RequestBody(request.raw)
  await using staged = attempt.isRepeated
    ? await measureOnly(bytes)
    : await files.stage(place, bytes, incoming(request))
  return await attempt.answer<PutFile>(reply, {
    content: fileContent(key, staged),
    make: (beside) => files.put({ ...place, beside }, key, staged, mustBeNew),
    toAnswer: (deposit, _unit, made) => putAnswer(links, deposit, made),
  })
}

/**
 * A part of a file would be taken for all of it.
 *
 * @throws {MalformedRequest}
 * @see RFC 9110 §14.5
 */
function requireWhole({ headers }: FastifyRequest): void {
  if (headers['content-range'] === undefined) return
  const advice = 'A file is put as a whole; large ones go up in parts by the tus protocol.'
  throw new MalformedRequest('content-range', advice)
}

/** 201 for a new file, 200 for a new version of one. */
function putAnswer(links: Links, deposit: Deposit, { file, isNew }: PutFile): Answer {
  const body = toObjectBody(file, file.latest, links)
  const headers = revisionHeader(deposit)
  if (!isNew) return { status: 200, headers, body }
  return { status: 201, headers: { ...headers, location: body.links.self }, body }
}

/** Says early, before any byte is read, that a key is taken. */
async function requireFree(
  { database }: Services['parts'],
  bucket: BucketId,
  key: FileKey,
): Promise<void> {
  if (await database.read.files.find(bucket, key)) throw new FileExists(key)
}

async function listObjects(services: Services, request: FastifyRequest, reply: FastifyReply) {
  const { files, links, parts } = await servicesOf(services, request)
  const deposit = await openBucket(files, request)
  setPublic(request, reply)
  const order = (await mayRead(parts, request, deposit)) ? 'draft' : 'published'
  const found = await parts.database.read.files.list(deposit.bucket, order)
  const { versions } = request.query as Readonly<Record<string, unknown>>
  const isWhole = ['', 'true', '1'].some((value) => value === versions)
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
async function mayRead(parts: Services['parts'], request: FastifyRequest, deposit: Deposit) {
  try {
    await authorize(parts, request.caller, deposit.id, 'read')
    return true
  } catch (error) {
    // A store that fails says nothing about rights.
    if (isRefusal(error)) return false
    throw error
  }
}

function guardObject(services: Services, ...others: Guards): Guards {
  return [
    requireToken,
    ...others,
    async (request: FastifyRequest) => {
      const { id, expected: named } = await asked(services, request)
      const isKnown = await services.attempts.isKnown(request)
      const expected = isKnown ? undefined : named
      const { parts } = await servicesOf(services, request)
      request.deposit = await authorize(parts, request.caller, id, 'update', expected)
    },
  ]
}

/** Who asks for which deposit, found by its bucket. */
async function asked({ parts }: Services, request: FastifyRequest) {
  const { bucket } = request.params as { readonly bucket: string }
  const deposit = await findByBucket(parts.database.read, parseBucketId(bucket))
  const expected = await expectedHere(parts, request, deposit)
  const { id, bucket: found } = deposit
  return { caller: request.caller, id, bucket: found, ...(expected && { expected }) }
}

/**
 * The revisions that `If-Match` is content with. It may name the entity tag of the file as well:
 * then the deposit is to stay what it is now until the file is changed.
 */
async function expectedHere(
  { database }: Services['parts'],
  request: FastifyRequest,
  { bucket, revision }: Deposit,
): Promise<ExpectedRevision> {
  const revisions = expectedRevision(request)
  const tags = request.headers['if-match']
  if (!revisions || !tags?.includes('"sha256:')) return revisions
  const file = await database.read.files.find(bucket, requestedKey(keyInPath(request)))
  return file && namesTag(tags, fileTag(file.latest)) ? [...revisions, revision] : revisions
}

/** What the headers say of the bytes that follow. */
function incoming(request: FastifyRequest) {
  const length = request.headers['content-length']
  const checksum = requestDigest(request)
  return {
    ...(length !== undefined && { expectedSize: Number(length) }),
    ...(checksum !== undefined && { checksum }),
  }
}
