import type { FastifyReply, FastifyRequest } from 'fastify'
import { giveWay, pieceSize } from '../../core/base/turns.ts'
import { filesPerPage } from '../../core/contract/defaults.ts'
import { maxListBytes, parsePaging, type DepositFile, type FileVersion } from '../../core/index.ts'
import type { Serializers } from '../config/serializers.ts'
import { sendList, pageLinks } from './send-list.ts'
import { parameters } from './route.ts'

/** Most bytes of a file in a list, without its name and links. */
const besideNames = 512

/** A file, or an upload, as a list has it. */
interface Listed {
  readonly filename: string
  readonly links: Readonly<Record<string, string>>
}

interface FileList<Item> {
  /** Of the list. */
  readonly url: string
  readonly serializers: Serializers
  /** All of them; or those from an offset on, where `total` says how many there are. */
  readonly items: Iterable<Item> | AsyncIterable<Item> | ((offset: number) => AsyncIterable<Item>)
  readonly total?: number
  readonly toBody: (item: Item) => Listed
}

/**
 * Sends a page of files. A request that names no page gets all of them; where they are too many or
 * their names too long for one answer, `Link` leads on.
 */
export async function sendFilePage<Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  { url, serializers, items, total, toBody }: FileList<Item>,
): Promise<FastifyReply> {
  const { offset, size } = parsePaging(parameters(request), Infinity, filesPerPage)
  const bodies: Listed[] = []
  const isPart = typeof items === 'function'
  let [bytes, seen, hasMore] = [0, isPart ? offset : 0, false]
  for await (const item of isPart ? items(offset) : items) {
    if (seen % pieceSize === 0) await giveWay()
    seen += 1
    if (seen <= offset) continue
    const body = toBody(item)
    bytes += sizeOf(body)
    hasMore = bodies.length === size || (bodies.length > 0 && bytes > maxListBytes)
    if (hasMore) break
    bodies.push(body)
  }
  const place = {
    offset,
    size,
    taken: bodies.length,
    total: total ?? (hasMore ? offset + bodies.length + 1 : seen),
  }
  reply.header('link', pageLinks(url, request.url, place).header)
  return sendList(reply, serializers, { frame: [], batches: inPieces(bodies), bytes })
}

/** A file, and the version of it that is shown. */
export type ShownFile = readonly [DepositFile, FileVersion]

export function* latestOf(files: readonly DepositFile[]): Generator<ShownFile> {
  for (const file of files) yield [file, file.latest]
}

/** Bytes of the JSON of a file, about. */
function sizeOf({ filename, links }: Listed): number {
  const linked = Object.values(links).reduce((sum, link) => sum + link.length, 0)
  return Buffer.byteLength(filename) + linked + besideNames
}

async function* inPieces(bodies: readonly Listed[]): AsyncGenerator<readonly Listed[]> {
  for (let start = 0; start < bodies.length; start += pieceSize) {
    yield bodies.slice(start, start + pieceSize)
  }
}
