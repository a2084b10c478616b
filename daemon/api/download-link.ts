import type { FastifyReply, FastifyRequest } from 'fastify'
import { downloadLinkBody } from '../../core/contract/schemas.ts'
import { parseBucketId, problem, requestedKey } from '../../core/index.ts'
import type { TicketUse } from '../sign-in/identity/download-links.ts'
import type { Identified } from '../http/identity.ts'
import { versionId } from './openapi/parameters.ts'
import { done, keyInPath, version, type Route, type Guards } from './route.ts'
import { readableObject } from './objects.ts'
import type { Services } from './services.ts'

/**
 * `POST /files/{bucket}/{key}`: a link to a version of the file, for a browser that is to write it
 * to a disk by itself, of any size. Every reader of the file may have one.
 */
export function linkDownload(services: Services): Route {
  const { links, downloads } = services
  return {
    id: 'linkDownload',
    tag: 'files',
    summary: 'Make a link that downloads the file once, within a minute, without a token',
    needs: 'token',
    query: { versionId },
    answers: { 201: done(downloadLinkBody) },
    answerHeaders: ['Location'],
    handler: async (request, reply) => {
      const { caller } = request
      if (caller === 'anonymous') throw problem('unauthenticated')
      if (caller.link) throw problem('permission_denied')
      const { file, version: found } = await readableObject(services, request)
      const place = { bucket: file.bucket, key: file.key, version: found.id }
      const { ticket, expires } = await downloads.issue(caller, place)
      const url = `${links.file(place).download}&ticket=${ticket}`
      reply.header('cache-control', 'no-store').header('location', url)
      return reply.code(201).send({ url, expires })
    },
  }
}

/** Lets those who come by such a link pass as the one it was made for; their rights are checked again. */
export function arriveByLink(services: Services): Guards {
  return [
    async (request: FastifyRequest, _reply: FastifyReply) => {
      const caller = await redeem(services, request, 'look')
      if (caller) request.caller = caller
    },
  ]
}

/**
 * Uses up the link that led here, if one did. Only bytes that are sent do so: mail scanners and
 * browsers ask for the head of an address first, or whether their copy is still good.
 */
export async function useLink(services: Services, request: FastifyRequest): Promise<void> {
  await redeem(services, request, 'use')
}

/** @throws {DepositError} unauthenticated: the link is used, too old or for something else */
async function redeem(
  { downloads }: Services,
  request: FastifyRequest,
  use: TicketUse,
): Promise<Identified | undefined> {
  const { ticket } = request.query as { readonly ticket?: unknown }
  if (ticket === undefined) return undefined
  const secret = typeof ticket === 'string' ? ticket : ''
  const { bucket } = request.params as { readonly bucket: string }
  const [key, wanted] = [requestedKey(keyInPath(request)), version(request)]
  const place = wanted && { bucket: parseBucketId(bucket), key, version: wanted }
  const caller = place && (await downloads.redeem(secret, place, use))
  if (!caller) throw problem('unauthenticated', { message: 'The link was used, or is too old.' })
  return caller
}
