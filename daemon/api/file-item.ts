import { extname } from 'node:path/posix'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { fileBody, renameBody } from '../../core/contract/schemas.ts'
import {
  authorize,
  parseFileKey,
  problem,
  requestedKey,
  wrongField,
  type Deposit,
  type DepositFile,
  type FileKey,
} from '../../core/index.ts'
import { typeOf } from '../http/file-headers.ts'
import { expectedRevision, namesFile } from '../http/revision.ts'
import { essence, negotiate, sendAs } from '../http/negotiation.ts'
import { sendFile } from '../http/send-file.ts'
import type { Serializers } from '../config/serializers.ts'
import { toFileBody } from './objects.ts'
import {
  conditionalChange,
  conditionalRead,
  conditionalRemoval,
  elsewhere,
  gone,
  json,
  rangeHeaders,
  repeatable,
  sentBytes,
  unchanged,
  versionId,
} from './openapi/parameters.ts'
import {
  depositId,
  done,
  resource,
  fileRequest,
  guardedDeposit,
  keyInPath,
  meantFile,
  refuseVersion,
  revisionHeader,
  version,
} from './route.ts'
import type { Services } from './services.ts'

/**
 * `/deposits/{pid_value}/files/{key}`: read, rename and delete one file.
 *
 * @see Specification, "Deposit file item"
 */
export function fileItem(services: Services): FastifyPluginAsync {
  const { attempts, files, links, parts, routes } = services
  const serializers = services.serializers.files
  return async (app) => {
    resource(app, services, routes.fileItem, {
      GET: {
        id: 'readFile',
        tag: 'files',
        summary: 'Read a file: what is known of it, or its bytes',
        needs: 'read',
        query: {
          download: Type.Optional(Type.String({ description: 'Sends the bytes.' })),
          versionId,
        },
        headers: { ...conditionalRead, ...rangeHeaders },
        answers: {
          200: { description: 'The file.', content: { ...json(fileBody), ...sentBytes } },
          206: { description: 'The range.', content: sentBytes },
          ...elsewhere,
          ...unchanged,
        },
        handler: async (request, reply) => {
          const found = await files.find(fileRequest(request), key(request), version(request))
          const asBytes = wantsBytes(request, found.file.key, serializers)
          if (asBytes) return sendFile(request, reply, found, files)
          const latest = { ...found.file, latest: found.version }
          const body = toFileBody(latest, found.deposit, links)
          reply.header('link', `<${body.links.download}>; rel="enclosure"`)
          return sendAs(reply, serializers, body)
        },
      },
      PUT: {
        id: 'renameFile',
        tag: 'files',
        summary: 'Rename a file',
        needs: 'update',
        headers: { ...conditionalChange, ...repeatable },
        body: json(renameBody),
        answers: { 200: done(fileBody) },
        answerHeaders: ['Deposit-Revision'],
        offers: serializers,
        handler: async (request, reply) => {
          const from = key(request)
          if (!(await attempts.isKnown(request)))
            await requireFile(services, guardedDeposit(request), from)
          const name = parseFileKey(parseFilename(request.body))
          return attempts.answer<DepositFile>(request, reply, {
            content: name,
            serializers,
            make: (kept) => files.rename({ ...fileRequest(request), ...kept }, from, name),
            toAnswer: (deposit, _rows, file) => {
              const body = toFileBody(file, deposit, links)
              return { status: 200, headers: revisionHeader(deposit), body }
            },
          })
        },
      },
      DELETE: {
        id: 'deleteFile',
        tag: 'files',
        summary: 'Delete a file with its versions',
        needs: 'update',
        permit: async (request, intent) => {
          const isFree = namesFile(request) || (await attempts.isKnown(request))
          const expected = isFree ? undefined : expectedRevision(request)
          return authorize(parts, request.caller, depositId(request), intent, expected)
        },
        headers: { ...conditionalRemoval, ...repeatable },
        answers: gone,
        answerHeaders: ['Deposit-Revision'],
        handler: async (request, reply) => {
          refuseVersion(request)
          const { caller, id, expected } = fileRequest(request)
          const meant = meantFile(request)
          const asked = { caller, id, ...(!meant && expected && { expected }) }
          return attempts.answer(request, reply, {
            content: '',
            freesRoom: true,
            make: (kept) => files.remove({ ...asked, ...kept }, key(request), meant),
            toAnswer: (deposit) => ({ status: 204, headers: revisionHeader(deposit) }),
          })
        },
      },
    })
  }
}

const key = (request: FastifyRequest) => requestedKey(keyInPath(request))

/** Refuses a missing file before a wrong body. @throws {DepositError} file_not_found */
async function requireFile({ parts }: Services, { bucket }: Deposit, file: FileKey): Promise<void> {
  const found = await parts.database.read.files.find(bucket, file)
  if (!found) throw problem('file_not_found')
}

/**
 * JSON by default; the bytes for `?download`, `application/octet-stream` or the file's own type.
 *
 * @throws {DepositError} not_acceptable: the client takes none of these
 * @see Contract §3.6
 */
function wantsBytes(
  { headers, query }: FastifyRequest,
  file: FileKey,
  serializers: Serializers,
): boolean {
  if ((query as Record<string, unknown>)['download'] !== undefined) return true
  const ofBytes = ['application/octet-stream', essence(typeOf(extname(file)))]
  return !serializers.has(negotiate(headers.accept, [...serializers.keys(), ...ofBytes]))
}

/** @throws {DepositError} wrong_file: the body has no `filename` */
function parseFilename(body: unknown): string {
  const filename = (body as { readonly filename?: unknown } | null)?.filename
  if (typeof filename === 'string' && filename !== '') return filename
  throw wrongField('wrong_file', 'filename', 'The new name is missing.')
}
