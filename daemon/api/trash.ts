import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import {
  restoreFileRequest,
  trashBody,
  type RestoreFileRequest,
  type TrashedFileBody,
} from '../../core/contract/history.ts'
import { fileBody } from '../../core/contract/schemas.ts'
import {
  parseFileKey,
  type Deposit,
  type DepositFile,
  type FileId,
  type TrashedFile,
} from '../../core/index.ts'
import { jsonAlone } from '../config/serializers.ts'
import { toFileBody } from './objects.ts'
import { sendFilePage } from './file-pages.ts'
import { conditionalChange, filePaging, gone, json, repeatable } from './openapi/parameters.ts'
import {
  done,
  fileRequest,
  guardedDeposit,
  refuseLinks,
  resource,
  revisionHeader,
} from './route.ts'
import type { Services } from './services.ts'

/** `/deposits/{pid_value}/trash`: files that were deleted from a draft. */
export function depositTrash(services: Services): FastifyPluginAsync {
  const { attempts, trash, links, routes } = services
  const serializers = services.serializers.files
  return async (app) => {
    resource(app, services, routes.trashList, {
      GET: {
        id: 'listTrash',
        tag: 'files',
        summary: 'List the deleted files that can be brought back, last deleted first',
        needs: 'read',
        query: filePaging,
        answers: { 200: done(trashBody) },
        answerHeaders: ['Link'],
        offers: jsonAlone,
        details:
          'They are kept for `DEPOSIT_RETENTION_DAYS`, and go earlier where the disk or the quota of the owner is short. They cannot be brought back once the deposit was published.',
        handler: async (request, reply) => {
          refuseLinks(request)
          const deposit = guardedDeposit(request)
          return sendFilePage(request, reply, {
            url: links.trashList(deposit.id),
            serializers: jsonAlone,
            items: (offset) => trash.list(deposit, offset),
            total: await trash.count(deposit),
            toBody: (file) => toTrashedBody(services, file, deposit),
          })
        },
      },
      DELETE: {
        id: 'emptyTrash',
        tag: 'files',
        summary: 'Remove the deleted files for good',
        needs: 'update',
        headers: conditionalChange,
        answers: gone,
        handler: async (request, reply) => {
          refuseLinks(request)
          await trash.empty(fileRequest(request))
          return reply.code(204).send()
        },
      },
    })
    resource(app, services, routes.trashItem, {
      POST: {
        id: 'restoreFile',
        tag: 'files',
        summary: 'Bring a deleted file back, with its versions',
        needs: 'update',
        headers: { ...conditionalChange, ...repeatable },
        body: json(restoreFileRequest),
        isChecked: true,
        canDoWithoutBody: true,
        answers: { 201: done(fileBody) },
        answerHeaders: ['Deposit-Revision', 'Location'],
        offers: serializers,
        handler: async (request, reply) => {
          refuseLinks(request)
          const { filename } = (request.body ?? {}) as RestoreFileRequest
          const key = filename === undefined ? undefined : parseFileKey(filename)
          const asked = fileRequest(request)
          return attempts.answer<DepositFile>(request, reply, {
            content: key ?? '',
            serializers,
            make: (kept) => trash.restore({ ...asked, ...kept }, fileId(request), key),
            toAnswer: (deposit, _rows, file) => {
              const body = toFileBody(file, deposit, links)
              const headers = { ...revisionHeader(deposit), location: body.links.self }
              return { status: 201, headers, body }
            },
          })
        },
      },
      DELETE: {
        id: 'removeTrashed',
        tag: 'files',
        summary: 'Remove a deleted file for good',
        needs: 'update',
        headers: { ...conditionalChange, ...repeatable },
        answers: gone,
        handler: async (request, reply) => {
          refuseLinks(request)
          using attempt = await attempts.begin(request)
          return await attempt.answer(reply, {
            content: '',
            freesRoom: true,
            make: (beside) => trash.remove({ ...fileRequest(request), beside }, fileId(request)),
            toAnswer: () => ({ status: 204, headers: {} }),
          })
        },
      },
    })
  }
}

function fileId({ params }: FastifyRequest): FileId {
  return (params as { readonly id: string }).id as FileId
}

function toTrashedBody(
  { links, parts }: Services,
  { id, key, latest, deleted, by }: TrashedFile,
  deposit: Deposit,
): TrashedFileBody {
  const end = Date.parse(deleted) + parts.settings.retentionMs
  return {
    id,
    filename: key,
    filesize: latest.blob.size,
    checksum: `sha256:${latest.blob.sha256}`,
    version_id: latest.id,
    deleted,
    by,
    ...(end < latestDate && { expires: new Date(end).toISOString() }),
    links: { self: links.trashItem(deposit.id, id) },
  }
}

/** The last moment that ISO 8601 can write with four digits for the year. */
const latestDate = Date.parse('9999-12-31T23:59:59Z')
