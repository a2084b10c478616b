import type { FastifyRequest, onRequestHookHandler, FastifyReply, FastifyInstance } from 'fastify'
import { problem, type PatchForm } from '../../core/index.ts'
import { atOnce } from './turns.ts'
import type { Serializer } from '../config/endpoint-options.ts'
import type { Serializers } from '../config/serializers.ts'
import { addVary } from './sharing.ts'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

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
 * The first of `offers` that the client takes; the server's preference decides between equals. An
 * offer may have the parameters `profile` and `style`; of those of a request only these two count.
 *
 * @throws {DepositError} not_acceptable: it takes none of them
 * @see RFC 9110 §12.5.1
 */
export function negotiate(accept: string | undefined, offers: readonly string[]): string {
  const best = bestOffer(accept, offers)
  if (best === undefined) throw problem('not_acceptable', { offers })
  return best
}

/** The same; undefined if the client takes none of them. */
export function bestOffer(
  accept: string | undefined,
  offers: readonly string[],
): string | undefined {
  if (accept === undefined || accept.trim() === '') return offers[0] ?? ''
  const offered = offers.map(parseRange)
  const ranges = splitOutsideQuotes(accept, ',')
    .map(parseRange)
    .map((range) => withKnownProfiles(range, offered))
  const ranked = offers.map((offer) => ({ offer, quality: qualityOf(parseRange(offer), ranges) }))
  const best = Math.max(...ranked.map(({ quality }) => quality))
  return ranked.find(({ quality }) => quality === best && quality > 0)?.offer
}

/**
 * The offered language that the client prefers; undefined if it takes none of them. `de-AT` asks for
 * `de` too; of equal wishes the first one counts.
 *
 * @see RFC 9110 §12.5.4; RFC 4647 §3.4, "Lookup"
 */
export function preferredLanguage<Tag extends string>(
  accepted: string | undefined,
  offers: readonly Tag[],
): Tag | undefined {
  const wishes = (accepted ?? '')
    .slice(0, longestWishes)
    .split(',')
    .map((wish) => {
      const [, tag = '', quality = '1'] = /^\s*([\w-]+)\s*(?:;\s*q=([\d.]+))?\s*$/.exec(wish) ?? []
      return { tag: tag.toLowerCase(), quality: Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
  for (const { tag } of wishes) {
    const found = offers.find((offer) => tag === offer || tag.startsWith(`${offer}-`))
    if (found !== undefined) return found
  }
  return undefined
}

/** Characters of `Accept-Language` that are read. */
const longestWishes = 500

interface MediaRange {
  readonly type: string
  /** Addresses in `profile`. */
  readonly profiles: readonly string[]
  readonly style: string | undefined
  readonly quality: number
}

function parseRange(text: string): MediaRange {
  const [type = '', ...rest] = splitOutsideQuotes(text.toLowerCase(), ';')
  const parameters = new Map(
    rest.map((part) => {
      const [name = '', ...value] = part.split('=')
      return [name.trim(), value.join('=').trim().replaceAll('"', '')] as const
    }),
  )
  const quality = Number(parameters.get('q') ?? 1)
  return {
    type,
    profiles: (parameters.get('profile') ?? '').split(/\s+/).filter(Boolean),
    style: parameters.get('style'),
    quality: Number.isFinite(quality) ? quality : 0,
  }
}

/** The parts of a header, without spaces around them. */
function splitOutsideQuotes(text: string, separator: ',' | ';'): readonly string[] {
  const parts = separator === ',' ? /(?:[^,"]|"[^"]*"?)+/g : /(?:[^;"]|"[^"]*"?)+/g
  return (text.match(parts) ?? []).map((part) => part.trim())
}

/** The most specific range that matches decides. */
function qualityOf(offer: MediaRange, ranges: readonly MediaRange[]): number {
  const group = `${offer.type.slice(0, offer.type.indexOf('/'))}/*`
  const exact = ranges.filter(({ type }) => type === offer.type)
  const range =
    exact.find((each) => isSpecific(each) && hasParameters(offer, each)) ??
    exact.find((each) => !isSpecific(each)) ??
    ranges.find(({ type }) => type === group) ??
    ranges.find(({ type }) => type === '*/*')
  return range?.quality ?? 0
}

function isSpecific({ profiles, style }: MediaRange): boolean {
  return profiles.length > 0 || style !== undefined
}

function hasParameters(offer: MediaRange, { profiles, style }: MediaRange): boolean {
  if (style !== undefined && style !== offer.style) return false
  return profiles.length === 0 || profiles.some((each) => offer.profiles.includes(each))
}

/** A profile is a wish: one that nothing here has is none. @see RFC 6906 §3.1 */
function withKnownProfiles(range: MediaRange, offered: readonly MediaRange[]): MediaRange {
  const isKnown = offered.some(
    ({ type, profiles }) =>
      type === range.type && profiles.some((each) => range.profiles.includes(each)),
  )
  return isKnown ? range : { ...range, profiles: [] }
}

/** The formats of a PATCH of a document; plain JSON is taken for operations. */
export const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/json',
] as const

/** `Accept-Patch`: plain JSON is no format of patches, and is not offered. @see RFC 5789 §3.1 */
export const acceptPatch = patchTypes.slice(0, 2).join(', ')

/** The format of the patch in the body of a request. */
export function patchForm({ headers }: FastifyRequest): PatchForm {
  const isMerge = essence(headers['content-type']) === 'application/merge-patch+json'
  return isMerge ? 'merge' : 'operations'
}

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

/** Characters of a text that is worth it: below, the answer is a few packets anyway. */
const fewest = 4096

/** Characters of a text, and texts at a time: beyond it a text is sent as it is. */
const most = { characters: 8 * 1024 * 1024, atOnce: 2 } as const

const textual = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/

const coders = {
  br: (text: string) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text: string) => deflate(text, { level: 6 }),
} as const

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

type Coding = keyof typeof coders

/**
 * Compresses texts for those who take it, on other threads: pages, JSON, metrics. Files are sent as
 * they are, and so is what must not be kept (`no-store`), which may hold a secret.
 *
 * @see RFC 9110 §8.4 and §12.5.3
 */
export function compressTexts(app: FastifyInstance): void {
  let underWay = 0
  const compress = async (reply: FastifyReply, text: string, coding: Coding) => {
    underWay += 1
    try {
      const bytes = await coders[coding](text)
      setCoding(reply, coding)
      return bytes
    } finally {
      underWay -= 1
    }
  }
  // Most answers are small: they wait for no promise.
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    if (typeof payload === 'string' && isWorthIt(request, reply, payload)) {
      addVary(reply, 'accept-encoding')
      const coding = codingFor(request)
      if (coding !== undefined && underWay < most.atOnce) return compress(reply, payload, coding)
    }
    done(null, isLong(payload) ? Buffer.from(payload) : payload)
    return undefined
  })
}

/**
 * Node.js takes four times as long to write a long text to a socket as to make bytes of it and write
 * those: 5.4 and 1.3 ms for 600 kB.
 */
function isLong(payload: unknown): payload is string {
  return typeof payload === 'string' && payload.length > fewest
}

function isWorthIt({ method }: FastifyRequest, reply: FastifyReply, text: string): boolean {
  if (text.length < fewest || text.length > most.characters) return false
  if (reply.statusCode !== 200 || (method !== 'GET' && method !== 'HEAD')) return false
  const [type, caching] = [reply.getHeader('content-type'), reply.getHeader('cache-control')]
  return textual.test(String(type)) && !String(caching).includes('no-store')
}

/** The best coding that the client takes; of HEAD, too, whose headers are those of GET. */
function codingFor({ headers }: FastifyRequest): Coding | undefined {
  const accepted = headers['accept-encoding']
  if (typeof accepted !== 'string') return undefined
  const wanted = accepted.toLowerCase().split(',').map(parseCoding)
  return (['br', 'gzip'] as const).find((coding) =>
    wanted.some(({ name, isRefused }) => name === coding && !isRefused),
  )
}

function parseCoding(text: string) {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
  return { name, isRefused: parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) }
}

/** Other bytes have another entity tag; a weak one says that they mean the same. */
function setCoding(reply: FastifyReply, coding: Coding): void {
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string' && tag.startsWith('"')) reply.header('etag', `W/${tag}`)
  reply.header('content-encoding', coding).removeHeader('content-length')
}
