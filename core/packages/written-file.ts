import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { giveWay } from '../base/turns.ts'

/** First and last byte, both included. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** A text of a package. It is written each time it is read, so that no memory holds it whole. */
export interface WrittenFile {
  /** Bytes. */
  readonly size: number
  readonly crc32: number
  /** 64 hexadecimal digits. */
  readonly sha256: string
  readonly read: (range: Range) => AsyncIterable<Buffer>
}

/** @param pieces the parts of the text; the same each time */
export async function writeFile(pieces: () => Iterable<string>): Promise<WrittenFile> {
  const hash = createHash('sha256')
  let [size, sum] = [0, 0]
  for await (const chunk of chunks(pieces())) {
    size += chunk.length
    sum = crc32(chunk, sum)
    hash.update(chunk)
  }
  return {
    size,
    crc32: sum,
    sha256: hash.digest('hex'),
    read: async function* read({ start, end }) {
      let at = 0
      for await (const chunk of chunks(pieces())) {
        if (at > end) return
        const part = chunk.subarray(Math.max(start - at, 0), Math.max(end + 1 - at, 0))
        if (part.length > 0) yield part
        at += chunk.length
      }
    },
  }
}

/** Characters that are written in one turn of the event loop, unless a piece is longer. */
const chunkLength = 64 * 1024

async function* chunks(pieces: Iterable<string>): AsyncIterable<Buffer> {
  let text = ''
  await giveWay()
  for (const piece of pieces) {
    text += piece
    if (text.length < chunkLength) continue
    yield Buffer.from(text)
    text = ''
    await giveWay()
  }
  yield Buffer.from(text)
}
