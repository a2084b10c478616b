import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { addVary } from './sharing.ts'

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
    done(null, payload)
    return undefined
  })
}

function isWorthIt({ method }: FastifyRequest, reply: FastifyReply, text: string): boolean {
  if (text.length < fewest || text.length > most.characters) return false
  if (reply.statusCode !== 200 || (method !== 'GET' && method !== 'HEAD')) return false
  const [type, caching] = [reply.getHeader('content-type'), reply.getHeader('cache-control')]
  return textual.test(String(type)) && !String(caching).includes('no-store')
}

/** The best coding that the client takes; none for HEAD, whose text is not sent. */
function codingFor({ method, headers }: FastifyRequest): Coding | undefined {
  const accepted = headers['accept-encoding']
  if (method === 'HEAD' || typeof accepted !== 'string') return undefined
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
