import type { FastifyReply, onRequestHookHandler } from 'fastify'
import type { Serializer } from '../config/endpoint-options.ts'
import type { Serializers } from '../config/serializers.ts'
import { atOnce } from './turns.ts'
import { negotiate } from './media-types.ts'
import { addVary } from './sharing.ts'

/** Lets through requests that take one of the media types, before anything is done for them. */
export function acceptable(serializers: Serializers): onRequestHookHandler {
  const offers = [...serializers.keys()]
  return atOnce(({ headers }) => {
    negotiate(headers.accept, offers)
  })
}

/**
 * Sends `body` as the media type that the request prefers.
 *
 * @param json the text of `body`, where it is known
 * @throws {DepositError} not_acceptable: it takes none of them
 */
export function sendAs(
  reply: FastifyReply,
  serializers: Serializers,
  body: object,
  json?: string,
): FastifyReply {
  const serializer = prepareFor(reply, serializers)
  if (serializer !== 'json') return reply.send(serializer(body))
  return reply.send(json === undefined || reply.isIndented ? body : json)
}

/**
 * Chooses what the answer is made by, and sets its headers.
 *
 * @throws {DepositError} not_acceptable: the request takes none of them
 */
export function prepareFor(reply: FastifyReply, serializers: Serializers): 'json' | Serializer {
  const type = negotiate(reply.request.headers.accept, [...serializers.keys()])
  if (serializers.size > 1) addVary(reply, 'accept')
  reply.type(/^application\/json$|^text\//.test(type) ? `${type}; charset=utf-8` : type)
  return serializers.get(type) ?? 'json'
}
