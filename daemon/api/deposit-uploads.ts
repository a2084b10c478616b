import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { uploadListBody, type UploadListBody } from '../../core/contract/schemas.ts'
import { formatFields } from '../../core/contract/uploads.ts'
import {
  authorize,
  expiryOf,
  isProblem,
  lengthPassed,
  parseBlobId,
  problem,
  type BlobId,
  type Changed,
  type DepositFile,
  type FileInPieces,
  type FileRequest,
  type Piece,
  type UploadStatus,
} from '../../core/index.ts'
import { leaveBodiesUnread, RequestBody } from '../http/bodies.ts'
import { jsonAlone } from '../config/serializers.ts'
import * as tus from './uploads/tus-headers.ts'
import { UploadLocks } from './uploads/upload-locks.ts'
import { parseMetadata, toFileInPieces } from './uploads/upload-metadata.ts'
import { isRefusal } from '../http/problem-reply.ts'
import { sendFilePage } from './file-pages.ts'
import { bytes, filePaging, gone } from './openapi/parameters.ts'
import { done, resource, fileRequest, setRevision } from './route.ts'
import type { Services } from './services.ts'

/**
 * `/deposits/{pid_value}/uploads`: files that arrive in pieces, by the tus protocol.
 *
 * @see https://tus.io/protocols/resumable-upload
 */
export function depositUploads(services: Services): FastifyPluginAsync {
  const { links, routes, uploads, parts } = services
  const { begin, look, append, giveUp } = tusHandlers(services)
  return async (app) => {
    leaveBodiesUnread(app)
    app.addHook('onRequest', async (request, reply) =>
      tus.setTusHeaders(request, reply, parts.settings.maxFileSize),
    )
    resource(app, services, routes.uploadList, {
      GET: {
        id: 'listUploads',
        tag: 'uploads',
        summary: 'List the uploads that are not finished',
        needs: 'read',
        query: filePaging,
        answers: { 200: done(uploadListBody) },
        answerHeaders: ['Link'],
        handler: async (request, reply) => {
          const asked = fileRequest(request)
          return sendFilePage(request, reply, {
            url: links.uploadList(asked.id),
            serializers: jsonAlone,
            items: await uploads.list(asked),
            toBody: (status) => toUploadBody(services, status),
          })
        },
      },
      POST: {
        id: 'beginUpload',
        tag: 'uploads',
        summary: 'Begin an upload by the tus protocol',
        details: 'Its first bytes may be sent along.',
        needs: 'update',
        headers: tus.newUpload,
        body: { [tus.tusType]: bytes },
        takesAnyType: true,
        answers: { 201: { description: 'It has begun.' } },
        answerHeaders: ['Location', 'Upload-Offset', 'Upload-Expires', 'Tus-Resumable'],
        handler: begin,
      },
    })
    resource(app, services, routes.uploadItem, {
      HEAD: {
        id: 'readUpload',
        tag: 'uploads',
        summary: 'Tell how much of an upload has arrived',
        details: 'If all of it has, and is no file yet, it is made one first.',
        needs: 'read',
        headers: tus.tusVersion,
        answers: { 200: { description: 'The offset.' } },
        answerHeaders: [
          'Upload-Offset',
          'Upload-Length',
          'Upload-Defer-Length',
          'Upload-Expires',
          'Content-Location',
          'Deposit-Revision',
          'Tus-Resumable',
        ],
        handler: look,
      },
      PATCH: {
        id: 'continueUpload',
        tag: 'uploads',
        summary: 'Send bytes of an upload; the last make it a file',
        needs: 'update',
        headers: {
          ...tus.tusVersion,
          'upload-offset': Type.Integer({ minimum: 0, description: 'Where these bytes begin.' }),
          'upload-length': Type.Optional(
            Type.Integer({
              minimum: 0,
              description: 'Bytes of the whole file, once, where the length was deferred.',
            }),
          ),
          'upload-checksum': tus.uploadChecksum,
        },
        body: { [tus.tusType]: bytes },
        answers: { 204: { description: 'The bytes have arrived.' } },
        answerHeaders: ['Upload-Offset', 'Upload-Expires', 'Content-Location', 'Deposit-Revision'],
        handler: append,
      },
      DELETE: {
        id: 'giveUpUpload',
        tag: 'uploads',
        summary: 'Give up an upload',
        needs: 'update',
        headers: tus.tusVersion,
        answers: gone,
        handler: giveUp,
      },
    })
  }
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

function tusHandlers({ parts, links, uploads }: Services) {
  const locks = new UploadLocks(parts.database.locks)

  /** Those of the deposit: the lock of another's upload would stop its owner. */
  async function ownOf({ id }: FileRequest, ids: readonly BlobId[]): Promise<readonly BlobId[]> {
    const found = await Promise.all(ids.map((each) => parts.database.read.uploads.find(each)))
    return ids.filter((_, index) => found[index]?.deposit === id)
  }

  /** A caller who may only read cannot stop an upload. */
  async function lockedToRead(asked: FileRequest, id: BlobId): Promise<readonly BlobId[]> {
    try {
      await authorize(parts, asked.caller, asked.id, 'update')
    } catch (error) {
      if (isRefusal(error)) return []
      throw error
    }
    return ownOf(asked, [id])
  }

  const begin: Handler = async (request, reply) => {
    tus.requireTusVersion(request)
    const concat = tus.uploadConcat(request)
    const metadata = parseMetadata(request.headers['upload-metadata']?.toString())
    const asked = fileRequest(request)
    if (concat !== undefined && concat !== 'partial') {
      tus.requireNoPiece(request)
      await concatenate(asked, reply, concat, toFileInPieces(metadata))
      return reply.send()
    }
    const total = tus.lengthToBegin(request)
    const hasBytes = request.headers['content-type'] === tus.tusType
    const announced: ReturnType<typeof tus.announcedBytes> = hasBytes
      ? tus.announcedBytes(request)
      : // An empty file is whole without bytes, so their checksum counts.
        total === 0
        ? tus.announcedDigest(request)
        : {}
    const { length = 0 } = announced
    const size = total === 'deferred' ? length : total
    if (length > size) throw lengthPassed()
    const isEmpty = total === 0 && (!hasBytes || announced.length === 0) && !announced.digest
    if (isEmpty && concat === undefined) {
      setUploaded(asked, reply, await uploads.uploadEmpty(asked, toFileInPieces(metadata)))
      return reply.send()
    }
    const wanted = {
      ...(concat ? { concat, metadata } : toFileInPieces(metadata)),
      size,
      ...(total === 'deferred' && { lengthDeferred: true as const }),
    }
    const { id } = await uploads.begin(asked, wanted)
    reply.code(201).header('location', links.upload(asked.id, id))
    if (hasBytes || total === 0) {
      const bytes = hasBytes ? new RequestBody(request.raw) : Readable.from([])
      // If none of its bytes was kept, the client has no address to send them to again.
      await take(asked, reply, id, bytes, { ...announced, offset: 0 }).catch(
        async (error: unknown) => {
          if (isProblem(error, 'upload_checksum_mismatch')) await uploads.abort(asked, id)
          throw error
        },
      )
    } else setOffset(reply, 0, total)
    return reply.send()
  }

  const look: Handler = async (request, reply) => {
    tus.requireTusVersion(request)
    const [id, asked] = [uploadId(request), fileRequest(request)]
    const locked = await lockedToRead(asked, id)
    const found = await locks.runToEnd(locked, (turn) => uploads.find(asked, id, turn))
    const { upload, offset, finished } = found
    if (finished) setFile(reply, finished)
    const { size, metadata, concat, lengthDeferred } = upload
    reply.header('cache-control', 'no-store')
    if (lengthDeferred) reply.header('upload-defer-length', '1')
    else reply.header('upload-length', size)
    if (concat) reply.header('upload-concat', toConcatHeader(asked, concat))
    if (Object.keys(metadata).length > 0) reply.header('upload-metadata', formatFields(metadata))
    setOffset(reply, offset, lengthDeferred ? 'deferred' : size)
    return reply.send()
  }

  const append: Handler = async (request, reply) => {
    tus.requireTusVersion(request)
    const total = tus.uploadLength(request)
    const piece = {
      ...tus.announcedBytes(request),
      offset: tus.uploadOffset(request),
      ...(total !== undefined && { total }),
    }
    const bytes = new RequestBody(request.raw)
    await take(fileRequest(request), reply.code(204), uploadId(request), bytes, piece)
    return reply.send()
  }

  const giveUp: Handler = async (request, reply) => {
    tus.requireTusVersion(request)
    const [id, asked] = [uploadId(request), fileRequest(request)]
    await locks.runToEnd(await ownOf(asked, [id]), () => uploads.abort(asked, id))
    return reply.code(204).send()
  }

  async function concatenate(
    asked: FileRequest,
    reply: FastifyReply,
    ids: readonly BlobId[],
    file: FileInPieces,
  ): Promise<void> {
    const made = await locks.runToEnd(await ownOf(asked, ids), () =>
      uploads.concatenate(asked, ids, file),
    )
    setUploaded(asked, reply, made)
  }

  function setUploaded(
    asked: FileRequest,
    reply: FastifyReply,
    { upload, finished }: Awaited<ReturnType<typeof uploads.concatenate>>,
  ): void {
    reply.code(201).header('location', links.upload(asked.id, upload.id))
    if (finished) setFile(reply, finished)
    setOffset(reply, upload.size, upload.size)
  }

  /** Takes the bytes of a request in; the last ones of an upload make it a file. */
  async function take(
    asked: FileRequest,
    reply: FastifyReply,
    id: BlobId,
    bytes: Readable,
    piece: Omit<Piece, 'signal' | 'requireTurn'>,
  ): Promise<void> {
    const { offset, size, finished } = await locks.run(await ownOf(asked, [id]), (turn) =>
      uploads.append(asked, id, bytes, { ...piece, ...turn }),
    )
    if (finished) setFile(reply, finished)
    setOffset(reply, offset, size ?? 'deferred')
  }

  /** The last bytes of an upload say which file they have become, and the deposit's new revision. */
  function setFile(reply: FastifyReply, { deposit, answer: file }: Changed<DepositFile>): void {
    setRevision(reply, deposit)
    const place = { bucket: deposit.bucket, key: file.key, deposit: deposit.id }
    reply.header('content-location', links.file(place).self)
  }

  /** Sets the offset, and the time until which the rest may be sent. */
  function setOffset(reply: FastifyReply, offset: number, size: number | 'deferred'): void {
    reply.header('upload-offset', offset)
    if (offset === size) return
    const { clock, settings } = parts
    const expires = new Date(Date.parse(clock.settled()) + settings.uploadExpiryMs)
    reply.header('upload-expires', expires.toUTCString())
  }

  function toConcatHeader({ id }: FileRequest, concat: 'partial' | readonly BlobId[]): string {
    if (concat === 'partial') return concat
    return `final;${concat.map((part) => links.upload(id, part)).join(' ')}`
  }

  return { begin, look, append, giveUp }
}

/** @throws {DepositError} upload_not_found */
function uploadId({ params }: FastifyRequest): BlobId {
  const id = parseBlobId((params as { readonly id: string }).id)
  if (!id) throw problem('upload_not_found')
  return id
}

function toUploadBody({ parts, links }: Services, status: UploadStatus): UploadListBody[number] {
  const { id, deposit, key, size, created, concat, lengthDeferred } = status.upload
  return {
    id,
    filename: key,
    ...(concat === 'partial' && { partial: true }),
    filesize: lengthDeferred ? Math.max(size, status.offset) : size,
    ...(lengthDeferred && { length_deferred: true }),
    offset: status.offset,
    created,
    updated: status.touched,
    expires: expiryOf(parts, status),
    links: { self: links.upload(deposit, id) },
  }
}
