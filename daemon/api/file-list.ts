import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { fileBody, fileListBody, sortBody, type SortBody } from '../../core/contract/schemas.ts'
import { maxSortedFiles } from '../../core/contract/defaults.ts'
import { toFileKey, wrongField, type Deposit, type DepositFile } from '../../core/index.ts'
import { fileContent, measureOnly } from './measured-files.ts'
import { receiveForm } from '../http/multipart.ts'
import { toFileBody } from './objects.ts'
import { sendFilePage } from './file-pages.ts'
import { conditionalChange, csv, filePaging, json, repeatable } from './openapi/parameters.ts'
import { done, resource, fileRequest, guardedDeposit, revisionHeader } from './route.ts'
import type { Services } from './services.ts'

const uploadForm = Type.Object(
  {
    file: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }),
    name: Type.Optional(Type.String({ description: 'The key, in place of the name of the file.' })),
    checksum: Type.Optional(Type.String({ description: '`sha256:<hex>` or `md5:<hex>`.' })),
  },
  { examples: [{ file: csv, name: 'levels.csv' }] },
)

/**
 * `/deposits/{pid_value}/files`: list, upload and sort the files of a deposit.
 *
 * @see Specification, "Deposit files list"
 */
export function fileList(services: Services): FastifyPluginAsync {
  const { files, links, routes } = services
  const serializers = services.serializers.files
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
    resource(app, services, routes.fileList, {
      GET: {
        id: 'listFiles',
        tag: 'files',
        summary: 'List the files of a deposit in their order',
        needs: 'read',
        query: filePaging,
        answers: { 200: done(fileListBody) },
        answerHeaders: ['Link'],
        offers: serializers,
        handler: async (request, reply) => {
          const deposit = guardedDeposit(request)
          return send(request, reply, deposit, await files.list(deposit))
        },
      },
      POST: {
        id: 'uploadFile',
        tag: 'files',
        summary: 'Add a file by a form',
        needs: 'update',
        headers: { ...conditionalChange, ...repeatable },
        body: { 'multipart/form-data': uploadForm },
        answers: { 201: done(fileBody) },
        answerHeaders: ['Deposit-Revision', 'Location'],
        offers: serializers,
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
        id: 'sortFiles',
        tag: 'files',
        summary: 'Sort the files',
        needs: 'update',
        headers: { ...conditionalChange, ...repeatable },
        body: json(sortBody),
        answers: { 200: done(fileListBody) },
        answerHeaders: ['Deposit-Revision', 'Link'],
        offers: serializers,
        handler: async (request, reply) => {
          const order = parseOrder(request.body)
          let sorted: readonly DepositFile[] | undefined
          using attempt = await services.attempts.begin(request)
          const { headers } = await attempt.outcome<readonly DepositFile[]>(reply, {
            content: order.join('\n'),
            make: async (beside) => {
              sorted = (await files.sort({ ...fileRequest(request), beside }, order)).answer
            },
            // A list of thousands of files is not kept: a repetition gets that of now.
            toAnswer: (deposit) => ({ status: 200, headers: revisionHeader(deposit) }),
          })
          const deposit = guardedDeposit(request)
          return send(
            request,
            reply.headers(headers),
            deposit,
            sorted ?? (await files.list(deposit)),
          )
        },
      },
    })
  }
}

/** @throws {DepositError} wrong_file: the body is not an array of objects with an `id` each */
function parseOrder(body: unknown): readonly string[] {
  if (!Array.isArray(body))
    throw wrongField('wrong_file', '', 'An array of objects with an id is expected.')
  if (body.length > maxSortedFiles) {
    throw wrongField('wrong_file', '', `At most ${maxSortedFiles} files can be sorted at once.`)
  }
  return (body as SortBody).map((element, index) => {
    if (typeof element?.id === 'string') return element.id
    throw wrongField('wrong_file', `/${index}/id`, 'The element has no id.')
  })
}
