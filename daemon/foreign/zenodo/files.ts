import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  parseFileKey,
  problem,
  wrongField,
  type Deposit,
  type DepositFile,
  type Files,
} from '../../../core/index.ts'
import { isForeign } from '../../../core/contract/foreign-values.ts'
import { fileContent, measureOnly } from '../../api/measured-files.ts'
import { receiveForm } from '../../http/multipart.ts'
import { guardedDeposit, setRevision } from '../../api/route.ts'
import { toFileBody, toFiles, type Zenodo } from './answers.ts'
import { bases } from './depositions.ts'
import { ownNumbers } from '../numbers.ts'
import { flattenedKey, requireFlat } from '../flat-key.ts'
import { askedOf, readBodiesAsJson, serve } from '../serve.ts'

const lists = bases.map((base) => `${base}/{id}/files`)

/** `deposit/depositions/{id}/files`: the files of a deposit, as the older part of the API has them. */
export async function fileRoutes(app: FastifyInstance, zenodo: Zenodo): Promise<void> {
  const { services, md5 } = zenodo
  const { files } = services
  const show = async (deposit: Deposit, file: DepositFile) => {
    const { deposition } = await ownNumbers(services.parts, deposit)
    return toFileBody(zenodo, deposition, file, await md5.of(file.latest))
  }
  readBodiesAsJson(app)
  serve(app, services, lists, {
    GET: { needs: 'read', handler: (request) => toFiles(zenodo, guardedDeposit(request)) },
    POST: {
      needs: 'update',
      handler: async (request, reply) => {
        if (!request.isMultipart()) throw problem('unsupported_media_type')
        const place = asked(request)
        using attempt = await services.attempts.begin(request)
        await using form = await receiveForm(request, (bytes, incoming) =>
          attempt.isRepeated
            ? measureOnly(bytes)
            : files.stage(place, bytes, { ...incoming, algorithms: ['md5'] }),
        )
        const key = flattenedKey(form.name)
        const { body: made } = await attempt.outcome<DepositFile>(reply, {
          content: fileContent(key, form.staged),
          make: (beside) => files.add({ ...place, beside }, key, form.staged),
          toAnswer: ({ revision }, _, { id }) => {
            return { status: 201, headers: {}, body: { id, revision } }
          },
        })
        const { id, revision } = made as Pick<DepositFile, 'id'> & Pick<Deposit, 'revision'>
        reply.header('deposit-revision', String(revision))
        const deposit = guardedDeposit(request)
        const body = await show(deposit, await findFile(files, deposit, id))
        reply.code(201).header('location', body.links.self)
        return body
      },
    },
    PUT: {
      needs: 'update',
      handler: async (request, reply) => {
        const { deposit } = await files.sort(asked(request), parseOrder(request.body))
        setRevision(reply, deposit)
        return toFiles(zenodo, deposit)
      },
    },
  })
  serve(
    app,
    services,
    lists.map((list) => `${list}/{file}`),
    {
      GET: {
        needs: 'read',
        handler: async (request) => show(guardedDeposit(request), await fileInPath(files, request)),
      },
      PUT: {
        needs: 'update',
        handler: async (request, reply) => {
          const { key } = await fileInPath(files, request)
          const filename = parseFilename(request.body)
          const name = filename === key ? key : parseFileKey(requireFlat(filename))
          const { deposit, answer } = await files.rename(asked(request), key, name)
          setRevision(reply, deposit)
          return show(deposit, answer)
        },
      },
      DELETE: {
        needs: 'update',
        handler: async (request, reply) => {
          const { key } = await fileInPath(files, request)
          const { deposit } = await files.remove(asked(request), key)
          setRevision(reply, deposit)
          return reply.code(204).send()
        },
      },
    },
  )
}

function asked(request: FastifyRequest) {
  return askedOf(request, guardedDeposit(request))
}

/** @throws {DepositError} file_not_found: the deposit has no file of that id */
function fileInPath(files: Files, request: FastifyRequest): Promise<DepositFile> {
  const { file: id } = request.params as { readonly file: string }
  return findFile(files, guardedDeposit(request), id)
}

/** @throws {DepositError} file_not_found: the deposit has no file of that id */
async function findFile(files: Files, deposit: Deposit, id: string): Promise<DepositFile> {
  const found = (await files.list(deposit)).find((file) => file.id === id)
  if (found) return found
  throw problem('file_not_found')
}

/** @throws {DepositError} wrong_file: it is no list of objects with an `id` each */
function parseOrder(body: unknown): readonly string[] {
  if (!Array.isArray(body)) {
    throw wrongField('wrong_file', '', 'A list of objects with an id each is expected.')
  }
  return (body as readonly unknown[]).map((item, index) => {
    const { id } = isForeign(item) ? item : {}
    if (typeof id === 'string') return id
    throw wrongField('wrong_file', `${index}.id`, 'Missing data for required field.')
  })
}

/** @throws {DepositError} wrong_file: there is no `filename` */
function parseFilename(body: unknown): string {
  const { filename } = (body ?? {}) as { readonly filename?: unknown }
  if (typeof filename === 'string' && filename !== '') return filename
  throw wrongField('wrong_file', 'filename', 'Missing data for required field.')
}
