import type { FastifyReply } from 'fastify'
import { text as textOf } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { giveWay } from '../../core/base/turns.ts'
import type { JsonObject, Found } from '../../core/index.ts'
import type { Serializers } from '../config/serializers.ts'
import { takeTurnForPiece, waitToList } from '../http/large-work.ts'
import { bestOffer, prepareFor, sendAs } from '../http/negotiation.ts'
import type { SearchBody } from '../../core/contract/schemas.ts'

/** Bytes up to which a list is sent as a whole, and not as it is made. */
const smallBytes = 256 * 1024

/** A list as it is answered. */
interface List {
  /** The answer with an empty array, the first one in it, where the items belong. */
  readonly frame: object
  /** The items, a few at a time: an {@link ItemInPieces}, or as they are answered. */
  readonly batches: AsyncIterable<readonly object[]>
  /** Bytes of all of them, about. */
  readonly bytes: number
}

/**
 * Sends a list, a large one in pieces: no more of it is in memory than the client takes, and others
 * get their turn between the pieces.
 *
 * @throws {DepositError} not_acceptable: the request takes none of the media types
 */
export async function sendList(
  reply: FastifyReply,
  serializers: Serializers,
  list: List,
): Promise<FastifyReply> {
  const serializer = prepareFor(reply, serializers)
  const isLarge = list.bytes > smallBytes
  if (isLarge && reply.request.method === 'HEAD') return reply.send(Readable.from([]))
  if (isLarge) await waitToList(reply.request, reply)
  const takeTurn = isLarge ? () => takeTurnForPiece(reply.request) : undefined
  const pieces = piecesOf(list, reply, takeTurn)
  if (isLarge && serializer === 'json')
    return reply.send(Readable.from(pieces, { highWaterMark: 1 }))
  const whole = await textOf(pieces)
  return reply.send(serializer === 'json' ? whole : serializer(JSON.parse(whole) as object))
}

/**
 * Sends an item as the media type that the request prefers; a long one as it is stored.
 *
 * @param json the text of the item, where it is known
 * @throws {DepositError} not_acceptable: the request takes none of the media types
 */
export function sendItem(
  reply: FastifyReply,
  serializers: Serializers,
  item: object,
  json?: string,
): FastifyReply {
  if (!(item instanceof ItemInPieces)) return sendAs(reply, serializers, item, json)
  if (isSentAsStored(reply, serializers))
    return sendAs(reply, serializers, item, item.toPieces().join(''))
  return sendAs(reply, serializers, item.toJSON() as object)
}

/** Whether a long item is sent as it is stored, and need not be parsed. */
export function isSentAsStored(
  { isIndented, request: { headers } }: FastifyReply,
  serializers: Serializers,
): boolean {
  const type = bestOffer(headers.accept, [...serializers.keys()])
  return !isIndented && (type === undefined || serializers.get(type) === 'json')
}

async function* piecesOf(
  { frame, batches }: List,
  { isIndented }: FastifyReply,
  takeTurn: () => Promise<Disposable | undefined> = async () => undefined,
): AsyncGenerator<string> {
  const text = isIndented ? JSON.stringify(frame, null, 2) : JSON.stringify(frame)
  const place = text.indexOf('[]') + 1
  const line = text.slice(text.lastIndexOf('\n', place))
  const outer = isIndented ? (/^\n */.exec(line)?.[0] ?? '\n') : ''
  const inner = isIndented ? `${outer}  ` : ''
  const toPieces = (item: object): readonly string[] => {
    if (isIndented) return [JSON.stringify(item, null, 2).replaceAll('\n', inner)]
    return item instanceof ItemInPieces ? item.toPieces() : [JSON.stringify(item)]
  }
  let between = inner
  let piece = text.slice(0, place)
  for await (const items of inTurn(batches, toPieces, takeTurn)) {
    for (const [first = '', ...others] of items) {
      piece += between + first
      for (const other of others) {
        yield piece
        piece = other
      }
      between = `,${inner}`
    }
    if (items.length > 0) {
      yield piece
      piece = ''
    }
  }
  yield piece + (between === inner ? '' : outer) + text.slice(place)
}

/** Reads and writes one batch at a time, each in a turn, which a slow reader does not hold. */
async function* inTurn<Item, Made>(
  batches: AsyncIterable<readonly Item[]>,
  make: (item: Item) => Made,
  takeTurn: () => Promise<Disposable | undefined>,
): AsyncGenerator<readonly Made[]> {
  const iterator = batches[Symbol.asyncIterator]()
  const makeNext = async (): Promise<readonly Made[] | undefined> => {
    using _ = await takeTurn()
    const next = await iterator.next()
    if (next.done === true) return undefined
    await giveWay()
    return next.value.map(make)
  }
  try {
    for (let made = await makeNext(); made; made = await makeNext()) yield made
  } finally {
    await iterator.return?.()
  }
}

const metadataStart = '"metadata":{'

/** An item with long text of JSON that is sent as it is stored: parsed, it would be written again. */
export abstract class ItemInPieces {
  /** Pieces of its JSON. */
  abstract toPieces(): readonly string[]

  toJSON(): unknown {
    return JSON.parse(this.toPieces().join(''))
  }
}

/** An item with a long document. */
export class LongItem extends ItemInPieces {
  readonly #body: object
  readonly #document: string

  /**
   * @param body the item with a field `metadata` that has only what does not belong to the document
   * @param document JSON of an object that is not empty
   */
  constructor(body: { readonly metadata: JsonObject }, document: string) {
    super()
    this.#body = body
    this.#document = document
  }

  toPieces(): readonly string[] {
    const text = JSON.stringify(this.#body)
    // Inside of a string each quotation mark would have a backslash before it.
    const place = text.indexOf(metadataStart) + metadataStart.length
    return [text.slice(0, place), this.#document.slice(1, -1), `,${text.slice(place)}`]
  }
}

/** A page of results in the generic JSON of searches, without the hits. */
export function toSearchFrame(
  { total, facets }: Pick<Found<unknown>, 'total' | 'facets'>,
  links: SearchBody['links'],
): SearchBody {
  const aggregations = Object.entries(facets).map(([name, buckets]) => {
    const counted = buckets.map(({ key, count }) => ({ key, doc_count: count }))
    return [name, { buckets: counted }] as const
  })
  return { hits: { hits: [], total }, aggregations: Object.fromEntries(aggregations), links }
}

interface PageLinks {
  readonly links: SearchBody['links']
  /** The same as a `Link` header. @see RFC 8288 */
  readonly header: string
}

/** Which results a page has, of how many. */
interface Place {
  readonly offset: number
  readonly size: number
  /** Results of the page that are answered: fewer than `size` where it would be too large. */
  readonly taken: number
  readonly total: number
  /** Results that can be paged to. */
  readonly window?: number
}

/** Links to this page and those beside it, with the parameters of the request kept. */
export function pageLinks(
  base: string,
  url: string,
  { offset, size, taken, total, window = Infinity }: Place,
): PageLinks {
  const at = (first: number, most: number): string => {
    const parameters = new URL(url, base).searchParams
    const isPage = first % most === 0
    parameters.delete(isPage ? 'offset' : 'page')
    if (isPage) parameters.set('page', String(first / most + 1))
    else parameters.set('offset', String(first))
    parameters.set('size', String(most))
    return `${base}?${parameters.toString()}`
  }
  const end = offset + Math.min(taken, size)
  // A page that ends early leads to all that is left of it.
  const most = Math.min(size, window - end)
  const last = (Math.ceil(total / size) - 1) * size
  const links = {
    self: at(offset, size),
    ...(offset > 0 && { prev: at(Math.max(0, Math.min(offset - size, last)), size) }),
    ...(end < total && most > 0 && { next: at(end, most) }),
  }
  const header = Object.entries(links)
    .map(([name, link]) => `<${link}>; rel="${name}"`)
    .join(', ')
  return { links, header }
}
