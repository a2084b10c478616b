import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ZipCheck } from '../../cli/transfer/zip-check.ts'
import { Archive } from '../../core/packages/archive.ts'

function contentOf(index: number, size: number): Buffer {
  return Buffer.alloc(size, `file ${index} `)
}

/** An archive with files of these sizes, and the digests of its files. */
async function archiveOf(sizes: readonly number[]) {
  const files = [
    { name: 'tide/', size: 0 },
    ...sizes.map((size, index) => ({ name: `tide/${index} ä.csv`, size })),
  ]
  const whole = (index: number): Buffer => contentOf(index, files[index]?.size ?? 0)
  const archive = new Archive(files, '2026-05-04T03:02:01.000Z', {
    crc32: async (index) => crc32(whole(index)),
    read: async (index, { start, end }) =>
      (async function* () {
        yield whole(index).subarray(start, end + 1)
      })(),
  })
  const pieces: Buffer[] = []
  for await (const piece of archive.read()) pieces.push(piece)
  const digests = files.slice(1).map(({ name }, at) => {
    return [
      name,
      createHash('sha256')
        .update(whole(at + 1))
        .digest('hex'),
    ] as const
  })
  return { bytes: Buffer.concat(pieces), digests: new Map(digests) }
}

function isRight(
  digests: ReadonlyMap<string, string>,
  bytes: Buffer,
  piece = bytes.length,
): boolean {
  const check = new ZipCheck(digests, () => true)
  for (let at = 0; at < bytes.length; at += piece) check.update(bytes.subarray(at, at + piece))
  return check.isRight()
}

const sizes = fc.array(fc.oneof(fc.constant(0), fc.nat(300)), { maxLength: 6 })

describe('the check of an archive that passes', () => {
  it('accepts it in pieces of any length', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 500 }), async (of, piece) => {
        const { bytes, digests } = await archiveOf(of)
        expect(isRight(digests, bytes, piece)).toBe(true)
      }),
    )
  })

  it('refuses one that is cut, longer, without a file, or with another byte in a file', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(), async (of, place) => {
        const { bytes, digests } = await archiveOf([...of, 50])
        expect(isRight(digests, bytes.subarray(0, place % bytes.length))).toBe(false)
        expect(isRight(digests, Buffer.concat([bytes, Buffer.from('x')]))).toBe(false)
        expect(isRight(new Map([...digests, ['tide/other', 'ab']]), bytes)).toBe(false)
        const other = Buffer.from(bytes)
        const at = other.lastIndexOf(contentOf(of.length + 1, 50)) + (place % 50)
        other.writeUInt8(other.readUInt8(at) ^ 1, at)
        expect(isRight(digests, other)).toBe(false)
      }),
    )
  })

  it('refuses bytes that the digests do not name, whatever the sums of the archive say', async () => {
    const { bytes, digests } = await archiveOf([20])
    const [[name = ''] = []] = digests
    expect(isRight(new Map([[name, 'ab'.repeat(32)]]), bytes)).toBe(false)
  })
})
