import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { fileBody } from '../../core/contract/schemas.ts'
import {
  authorize,
  findByBucket,
  parseBucketId,
  problem,
  requestedKey,
  toFileKey,
  wrongField,
  type BucketId,
  type Deposit,
  type ExpectedRevision,
  type FileKey,
  type FileRequest,
  type PutFile,
} from '../../core/index.ts'
import { atOnce } from '../http/turns.ts'
import { ignoreMediaTypes, refuseMediaRange, RequestBody, requestDigest } from '../http/bodies.ts'
import { requirePlainBody } from '../http/negotiation.ts'
import {
  demandsNew,
  expectedRevision,
  fileTag,
  namesFile,
  namesTag,
  underCondition,
} from '../http/revision.ts'
import { sendFile } from '../http/send-file.ts'
import type { Answer } from './answer.ts'
import { fileContent, measureOnly } from './measured-files.ts'
import { toLinkHeader } from '../discovery/signposting.ts'
import type { Links } from '../config/links.ts'
import { toObjectBody, readableObject, servicesOf, sharedFiles } from './objects.ts'
import { arriveByLink, linkDownload, useLink } from './download-link.ts'
import {
  conditionalChange,
  conditionalRead,
  conditionalRemoval,
  digestHeaders,
  elsewhere,
  gone,
  rangeHeaders,
  repeatable,
  sentBytes,
  unchanged,
  validators,
  versionId,
} from './openapi/parameters.ts'
import {
  done,
  resource,
  keyInPath,
  meantFile,
  revisionHeader,
  type Permit,
  refuseVersion,
} from './route.ts'
import type { Services } from './services.ts'

/**
 * `/files/{bucket}/{key}`: a file of a deposit as a plain object, written and read as a stream of
 * bytes. Those of a record are public.
 */
export function bucketObjects(services: Services): FastifyPluginAsync {
  const { routes } = services
  const config = { shared: sharedFiles(services) }
  const permit = permitInBucket(services)
  return async (app) => {
    ignoreMediaTypes(app)
    resource(app, services, routes.object, {
      GET: {
        config,
        id: 'readObject',
        tag: 'files',
        summary: 'Read the bytes of a file',
        details: 'Those of a record are public.',
        needs: 'published',
        query: {
          versionId,
          ticket: Type.Optional(Type.String({ description: 'Of a link made by POST.' })),
        },
        headers: { ...conditionalRead, ...rangeHeaders },
        answers: {
          200: { description: 'The file.', content: sentBytes },
          206: { description: 'The range.', content: sentBytes },
          ...elsewhere,
          ...unchanged,
        },
        answerHeaders: [...validators, 'Accept-Ranges', 'Content-Range', 'Repr-Digest', 'Link'],
        guards: arriveByLink(services),
        handler: (request, reply) => getObject(services, request, reply),
      },
      POST: linkDownload(services),
      PUT: {
        id: 'writeObject',
        tag: 'files',
        summary: 'Write a file, or a new version of one, as a stream of bytes',
        needs: 'update',
        permit,
        readAhead: (request) => asked(services, request),
        headers: { ...conditionalChange, ...repeatable, ...digestHeaders },
        body: sentBytes,
        takesAnyType: true,
        answers: { 200: done(fileBody), 201: done(fileBody) },
        answerHeaders: ['Deposit-Revision'],
        guards: [atOnce(requirePlainBody), atOnce(refuseMediaRange)],
        handler: (request, reply) =>
          underCondition(request, () => putObject(services, request, reply)),
      },
      DELETE: {
        id: 'deleteObject',
        tag: 'files',
        summary: 'Delete a file with its versions',
        needs: 'update',
        permit,
        headers: { ...conditionalRemoval, ...repeatable },
        answers: gone,
        answerHeaders: ['Deposit-Revision'],
        handler: async (request, reply) => {
          refuseVersion(request)
          const key = requestedKey(keyInPath(request))
          const { attempts, files } = await servicesOf(services, request)
          const place = await asked(services, request)
          const meant = meantFile(request)
          return attempts.answer(request, reply, {
            content: () => '',
            freesRoom: true,
            make: (kept) => files.remove({ ...place, ...kept }, key, meant),
            toAnswer: (deposit) => ({ status: 204, headers: revisionHeader(deposit) }),
          })
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
  const { record } = found.deposit
  if (found.isPublic && record) {
    const page = services.links.recordPage(record.value)
    reply.header('link', toLinkHeader([{ rel: 'collection', href: page, type: 'text/html' }]))
  }
  const { files } = services
  return sendFile(request, reply, found, {
    read: async (version, range) => {
      await useLink(services, request)
      return files.read(version, range)
    },
    addressOf: async (version, shownAs) => {
      const address = await files.addressOf(version, shownAs)
      if (address !== undefined) await useLink(services, request)
      return address
    },
  })
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
  const name = keyInPath(request)
  const key = toFileKey(name)
  using attempt = await attempts.begin(request)
  const mustBeNew = demandsNew(request)
  if (mustBeNew && !attempt.isRepeated) await requireFree(parts, place.bucket, key)
  const bytes = new RequestBody(request.raw)
  await using staged = attempt.isRepeated
    ? await measureOnly(bytes)
    : await files.stage(place, bytes, { ...incoming(request), key })
  return await attempt.answer<PutFile>(reply, {
    content: fileContent(key, staged),
    make: (beside) => files.put({ ...place, beside }, key, staged, { mustBeNew, name }),
    toAnswer: (deposit, _unit, made) => putAnswer(links, deposit, made),
  })
}

/**
 * A part of a file would be taken for all of it.
 *
 * @throws {DepositError} malformed_request
 * @see RFC 9110 §14.5
 */
function requireWhole({ headers }: FastifyRequest): void {
  if (headers['content-range'] === undefined) return
  const advice = 'A file is put as a whole; large ones go up in parts by the tus protocol.'
  throw wrongField('malformed_request', 'content-range', advice)
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
  if (await database.read.files.find(bucket, key)) throw problem('file_already_exists', { key })
}

/** Asks for the permission on the deposit of the bucket. */
function permitInBucket(services: Services): Permit {
  return async (request, intent) => {
    const { id, expected: named, found } = await asked(services, request)
    const isKnown = await services.attempts.isKnown(request)
    const expected = isKnown ? undefined : named
    const { parts } = await servicesOf(services, request)
    return authorize(parts, request.caller, id, intent, expected, found)
  }
}

type Asked = FileRequest & { readonly bucket: BucketId; readonly found: Deposit }

/** Found once for each request. */
const allAsked = new WeakMap<FastifyRequest, ReturnType<typeof findAsked>>()

/** A request for a deposit that is found by its bucket. */
async function asked(services: Services, request: FastifyRequest): Promise<Asked> {
  const asking = allAsked.get(request) ?? findAsked(services, request)
  allAsked.set(request, asking)
  return { ...(await asking), caller: request.caller }
}

async function findAsked({ parts }: Services, request: FastifyRequest) {
  const { bucket } = request.params as { readonly bucket: string }
  const deposit = await findByBucket(parts.database.read, parseBucketId(bucket))
  const expected = await expectedHere(parts, request, deposit)
  const { id, bucket: own } = deposit
  return { id, bucket: own, found: deposit, ...(expected && { expected }) }
}

/**
 * The revisions that `If-Match` is content with. It may name the entity tag of the file as well:
 * then the deposit is to stay what it is now until the file is changed. Where the file is to be deleted,
 * it alone is to stay: {@link meantFile}.
 */
async function expectedHere(
  { database }: Services['parts'],
  request: FastifyRequest,
  { bucket, revision }: Deposit,
): Promise<ExpectedRevision> {
  const revisions = expectedRevision(request)
  const tags = request.headers['if-match'] ?? ''
  if (!revisions || !namesFile(request)) return revisions
  const file = await database.read.files.find(bucket, requestedKey(keyInPath(request)))
  if (file && request.method === 'DELETE') return undefined
  return file && namesTag(tags, fileTag(file.latest)) ? [...revisions, revision] : revisions
}

/** Size and digest of the bytes that follow, as the headers announce them. */
function incoming(request: FastifyRequest) {
  const length = request.headers['content-length']
  const checksum = requestDigest(request)
  return {
    ...(length !== undefined && { expectedSize: Number(length) }),
    ...(checksum !== undefined && { checksum }),
  }
}
