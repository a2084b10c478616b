import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  isJsonArray,
  isJsonObject,
  isProblem,
  problem,
  requestedKey,
  requireNoneAnnounced,
  type Json,
} from '../../../core/index.ts'
import { guardedDeposit, setRevision } from '../../api/route.ts'
import { ignoreMediaTypes, RequestBody } from '../../http/bodies.ts'
import { sendFile } from '../../http/send-file.ts'
import { flatKey } from '../flat-key.ts'
import { askedOf, incomingBytes, readBodiesAsJson, serve } from '../serve.ts'
import { addressOf, emptyBody, prefix, toFileBodies, withAnnounced, type Rdm } from './answers.ts'
import { invalid, openDraft } from './drafts.ts'

const draft = `${prefix}/records/{id}/draft`

/** Files that one request announces. */
const mostAnnounced = 1000

/** `records/{id}/draft/files`: lists, announcements and imports. */
export async function fileListRoutes(app: FastifyInstance, rdm: Rdm): Promise<void> {
  const { services, announced } = rdm
  const { files } = services
  readBodiesAsJson(app)
  const list = async (request: FastifyRequest) => {
    const base = baseOf(rdm, request)
    const deposit = openDraft(request)
    const bodies = await toFileBodies(rdm, await files.list(deposit), base)
    return listing(base, withAnnounced(bodies, await announced.list(deposit), base, Infinity))
  }
  serve(app, services, [`${draft}/files`], {
    GET: { needs: 'read', handler: list },
    POST: {
      needs: 'update',
      handler: async (request, reply) => {
        const base = baseOf(rdm, request)
        openDraft(request)
        const keys = announcedIn(request.body).map((name) => flatKey(name, request.headers))
        await announced.announce(asked(request), keys).catch((error: unknown) => {
          if (!isProblem(error, 'file_already_exists')) throw error
          const { key } = error.details
          throw problem('malformed_request', { message: `File with key ${key} already exists.` })
        })
        return reply.code(201).send(
          listing(
            base,
            keys.map((key) => emptyBody(key, base)),
          ),
        )
      },
    },
  })
  serve(app, services, [`${draft}/actions/files-import`], {
    POST: {
      needs: 'update',
      handler: async (request, reply) => {
        openDraft(request)
        const refusal = () => problem('malformed_request', { message: removeAll })
        const before = requireNoneAnnounced(guardedDeposit(request), refusal)
        const { deposit } = await files.importPrevious({ ...asked(request), beside: { before } })
        setRevision(reply, deposit)
        const base = baseOf(rdm, request)
        const entries = await toFileBodies(rdm, await files.list(deposit), base)
        return reply.code(201).send(listing(base, entries))
      },
    },
  })
}

/** `records/{id}/draft/files/{key}`, and its `content` and `commit`. */
export async function fileRoutes(app: FastifyInstance, rdm: Rdm): Promise<void> {
  const { services, md5, announced } = rdm
  const { files } = services
  ignoreMediaTypes(app)
  const find = (request: FastifyRequest, key: string) =>
    files.find(asked(request), requestedKey(key))
  serve(app, services, [`${draft}/files/{key}`], {
    GET: {
      needs: 'read',
      handler: async (request, reply) => {
        openDraft(request)
        const { key, part } = partOf(request)
        if (part === 'content') return sendFile(request, reply, await find(request, key), files)
        return reply.send(await entryOf(rdm, request, key))
      },
    },
    PUT: {
      needs: 'update',
      handler: async (request, reply) => {
        openDraft(request)
        const { key: name, part } = partOf(request)
        if (part !== 'content') throw problem('not_found')
        const place = asked(request)
        const key = flatKey(name, request.headers)
        const bytes = new RequestBody(request.raw)
        await using staged = await files.stage(place, bytes, { ...incomingBytes(request), key })
        const { deposit, answer } = await files.put(place, key, staged, {
          name,
          isConfirmedLater: true,
        })
        await md5.of(answer.file.latest)
        setRevision(reply, deposit)
        const [body] = await toFileBodies(rdm, [answer.file], baseOf(rdm, request))
        return await reply.send({ ...body, status: 'pending' })
      },
    },
    POST: {
      needs: 'update',
      handler: async (request, reply) => {
        openDraft(request)
        const { key, part } = partOf(request)
        if (part !== 'commit') throw problem('not_found')
        await announced.confirm(asked(request), requestedKey(key)).catch((error: unknown) => {
          if (!isProblem(error, 'file_not_found')) throw error
          throw problem('malformed_request', { message: transferFailed })
        })
        return reply.send(await entryOf(rdm, request, key))
      },
    },
    DELETE: {
      needs: 'update',
      handler: async (request, reply) => {
        openDraft(request)
        const key = requestedKey(partOf(request).key)
        const place = asked(request)
        if (await announced.takeBack(place, key)) return reply.code(204).send()
        const { deposit } = await files.remove(place, key)
        setRevision(reply, deposit)
        return reply.code(204).send()
      },
    },
  })
}

const removeAll = 'Please remove all files first.'
const transferFailed = 'The file upload transfer failed, please try again.'

async function entryOf(rdm: Rdm, request: FastifyRequest, text: string): Promise<object> {
  const [key, base] = [requestedKey(text), baseOf(rdm, request)]
  const isPending = (await rdm.announced.list(guardedDeposit(request))).has(key)
  try {
    const { file } = await rdm.services.files.find(asked(request), key)
    const [body] = await toFileBodies(rdm, [file], base)
    return { ...body, ...(isPending && { status: 'pending' }) }
  } catch (error) {
    if (isPending && isProblem(error, 'file_not_found')) return emptyBody(key, base)
    throw error
  }
}

/**
 * The name of the file in a path, and what is asked for of it. A slash of the name is encoded:
 * `a%2Fcontent` is a file, and `a/content` the bytes of another.
 */
export function partOf({ params, url }: FastifyRequest): {
  readonly key: string
  readonly part: 'content' | 'commit' | 'entry'
} {
  const { '*': path } = params as { readonly '*': string }
  const [encoded = ''] = url.split('?')
  const [, part] = /\/(content|commit)$/.exec(encoded) ?? []
  const [, key] = /^(.+)\/(?:content|commit)$/s.exec(path) ?? []
  const isEntry = part === undefined || key === undefined
  if (isEntry) return { key: path, part: 'entry' }
  return { key, part: part === 'content' ? 'content' : 'commit' }
}

export function listing(base: string, entries: readonly object[]): object {
  return {
    enabled: true,
    default_preview: null,
    order: [],
    entries,
    links: { self: `${base}/files`, archive: `${base}/files-archive` },
  }
}

function baseOf(rdm: Rdm, { params }: FastifyRequest): string {
  const { id } = params as { readonly id: string }
  return addressOf(rdm, 'records', id, 'draft')
}

function asked(request: FastifyRequest) {
  return askedOf(request, guardedDeposit(request))
}

/** @throws {DepositError} invalid_document: it is no list of objects with a `key` each */
function announcedIn(body: unknown): readonly string[] {
  if (!isJsonArray(body as Json))
    throw invalid('', 'A list of objects with a key each is expected.')
  const items = body as readonly Json[]
  if (items.length > mostAnnounced) throw invalid('', `At most ${mostAnnounced} files at once.`)
  return items.map((item, at) => {
    const { key, transfer } = isJsonObject(item) ? item : {}
    if (typeof key !== 'string' || key === '')
      throw invalid(`${at}.key`, 'Missing data for required field.')
    const type = transfer !== undefined && isJsonObject(transfer) ? transfer['type'] : 'L'
    if (type !== 'L') throw problem('permission_denied', { message: 'Files are sent whole here.' })
    return key
  })
}
