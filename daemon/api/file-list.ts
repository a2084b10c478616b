import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import {
  fileBody,
  fileListBody,
  maxSortedFiles,
  type SortBody,
} from '../../core/contract/schemas.ts'
import { toFileKey, WrongFile, type Deposit, type DepositFile } from '../../core/index.ts'
import { toPattern } from '../config/endpoints.ts'
import { fileContent, measureOnly } from './idempotency/measure-only.ts'
import { receiveForm } from '../http/multipart.ts'
import { resource } from '../http/route.ts'
import { acceptable } from '../http/by-media-type.ts'
import { toFileBody } from './serializers/file-json.ts'
import { fileRequest, revisionHeader, setRevision } from './file-request.ts'
import { sendFilePage } from './file-pages.ts'
import { guardDeposit, guardedDeposit } from './guards.ts'
import type { Services } from './services.ts'

/**
 * `/deposits/{pid_value}/files`: list, upload and sort the files of a deposit.
 *
 * @see Specification, "Deposit files list"
 */
export function fileList(services: Services): FastifyPluginAsync {
  const { files, links, routes } = services
  const serializers = services.serializers.files
  const accept = acceptable(serializers)
  const url = toPattern(routes.fileList)
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    deposit: Deposit,
    listed: readonly DepositFile[],
  ): Promise<FastifyReply> =>
    sendFilePage(request, reply, {
      url: links.fileList(deposit.id),
      serializers,
      items: listed,
      toBody: (file) => toFileBody(file, deposit, links),
    })
  return async (app) => {
    resource(app, url, {
      GET: {
        schema: { response: { 200: fileListBody } },
        onRequest: [...guardDeposit(services, 'read'), accept],
        handler: async (request, reply) => {
          const deposit = guardedDeposit(request)
          return send(request, reply, deposit, await files.list(deposit))
        },
      },
      POST: {
        schema: { response: { 201: fileBody } },
        onRequest: [...guardDeposit(services, 'update', 'multipart/form-data'), accept],
        handler: async (request, reply) => {
          const asked = fileRequest(request)
          using attempt = await services.attempts.begin(request)
          await using form = await receiveForm(request, (bytes, incoming) =>
            attempt.isRepeated ? measureOnly(bytes) : files.stage(asked, bytes, incoming),
          )
          const added = toFileKey(form.name)
          return await attempt.answer<DepositFile>(reply, {
            content: fileContent(added, form.staged),
            serializers,
            make: (beside) => files.add({ ...asked, beside }, added, form.staged),
            toAnswer: (deposit, _unit, file) => {
              const body = toFileBody(file, deposit, links)
              const headers = { ...revisionHeader(deposit), location: body.links.self }
              return { status: 201, headers, body }
            },
          })
        },
      },
      PUT: {
        schema: { response: { 200: fileListBody } },
        onRequest: [...guardDeposit(services, 'update', 'application/json'), accept],
        handler: async (request, reply) => {
          const sorted = await files.sort(fileRequest(request), parseOrder(request.body))
          setRevision(reply, sorted.deposit)
          return send(request, reply, sorted.deposit, sorted.answer)
        },
      },
    })
  }
}

/** @throws {WrongFile} the body is not an array of objects with an `id` each */
function parseOrder(body: unknown): readonly string[] {
  if (!Array.isArray(body)) throw new WrongFile('', 'An array of objects with an id is expected.')
  if (body.length > maxSortedFiles) {
    throw new WrongFile('', `At most ${maxSortedFiles} files can be sorted at once.`)
  }
  return (body as SortBody).map((element, index) => {
    if (typeof element?.id === 'string') return element.id
    throw new WrongFile(`/${index}/id`, 'The element has no id.')
  })
}
