import { crc32, deflateSync } from 'node:zlib'

/** A grey wave as a PNG of `width` by `height` pixels. @see ISO/IEC 15948 */
export function toPicture(width: number, height: number): Buffer {
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (__, x) => shade(x, y, height))]),
  )
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    toChunk('IHDR', head),
    toChunk('IDAT', deflateSync(Buffer.concat(rows))),
    toChunk('IEND', Buffer.alloc(0)),
  ])
}

function shade(x: number, y: number, height: number): number {
  const wave = height / 2 + Math.sin(x / 40) * (height / 4) + Math.sin(x / 7) * 6
  return Math.abs(y - wave) < 2 ? 40 : y > wave ? 205 : 245
}

function toChunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
