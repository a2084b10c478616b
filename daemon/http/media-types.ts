import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { problem, type PatchForm } from '../../core/index.ts'
import { atOnce } from './turns.ts'

/**
 * Lets through requests with one of these media types, before their body is read.
 *
 * @throws {DepositError} unsupported_media_type: another type, no type, or a compressed body
 */
export function requireMediaType(...types: readonly string[]): onRequestHookHandler {
  return atOnce((request, reply) => {
    requirePlainBody(request)
    const type = essence(request.headers['content-type'])
    if (!types.includes(type)) {
      const { acceptPatch } = request.routeOptions.config
      if (acceptPatch !== undefined) reply.header('accept-patch', acceptPatch)
      throw problem('unsupported_media_type', {
        message: `The body must be ${types.join(' or ')}.`,
      })
    }
  })
}

/** The same for a route that can do without a body: then there is no type either. */
export function requireMediaTypeOfBody(...types: readonly string[]): onRequestHookHandler {
  const check = requireMediaType(...types)
  return function (request, reply, done) {
    if (hasBody(request)) check.call(this, request, reply, done)
    else done()
  }
}

/** @see RFC 9112 §6.3 */
function hasBody({ headers }: FastifyRequest): boolean {
  const isEmpty = headers['content-length'] === undefined || headers['content-length'] === '0'
  return headers['content-type'] !== undefined || !isEmpty || 'transfer-encoding' in headers
}

/** @throws {DepositError} unsupported_media_type: the bytes of the body are not those that are meant */
export function requirePlainBody({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return
  throw problem('unsupported_media_type', {
    message: `The body is compressed (${encoding}); send it as it is.`,
  })
}

/** The media type without parameters, in lower case; empty where there is none or it is broken. */
export function essence(contentType: string | undefined): string {
  const found = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;|$)/.exec(contentType ?? '')
  return found?.[1]?.toLowerCase() ?? ''
}

/**
 * The first of `offers` that the client takes; the server's preference decides between equals.
 *
 * @throws {DepositError} not_acceptable: it takes none of them
 * @see RFC 9110 §12.5.1
 */
export function negotiate(accept: string | undefined, offers: readonly string[]): string {
  if (accept === undefined || accept.trim() === '') return offers[0] ?? ''
  const ranges = accept.split(',').map(parseRange)
  const ranked = offers.map((offer) => ({ offer, quality: qualityOf(offer, ranges) }))
  const best = Math.max(...ranked.map(({ quality }) => quality))
  const chosen = ranked.find(({ quality }) => quality === best && quality > 0)
  if (!chosen) throw problem('not_acceptable', { offers })
  return chosen.offer
}

interface MediaRange {
  readonly type: string
  readonly quality: number
}

function parseRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const quality = weight === undefined ? 1 : Number(weight.slice(2))
  return { type, quality: Number.isFinite(quality) ? quality : 0 }
}

/** The most specific range that matches decides. */
function qualityOf(offer: string, ranges: readonly MediaRange[]): number {
  const group = `${offer.slice(0, offer.indexOf('/'))}/*`
  for (const wanted of [offer, group, '*/*']) {
    const range = ranges.find(({ type }) => type === wanted)
    if (range) return range.quality
  }
  return 0
}

/** The formats of a PATCH of a document; plain JSON is taken for operations. */
export const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/json',
] as const

/** `Accept-Patch`: plain JSON is no format of patches, and is not offered. @see RFC 5789 §3.1 */
export const acceptPatch = patchTypes.slice(0, 2).join(', ')

/** How the patch in the body of a request is written. */
export function patchForm({ headers }: FastifyRequest): PatchForm {
  const isMerge = essence(headers['content-type']) === 'application/merge-patch+json'
  return isMerge ? 'merge' : 'operations'
}
