import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openBlob } from '../../core/adapters/blobs/blob-reader.ts'
import { problem } from '../../core/errors/errors.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const content = randomBytes(5_000_001)

describe('reading a large file', () => {
  it('hands every byte to a consumer that keeps none, in memory that is reused', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'blob')
    await writeFile(path, content)
    const slow = new SlowSink()

    await finished((await openBlob(path)).pipe(slow))

    expect(Buffer.concat(slow.pieces).equals(content)).toBe(true)
    expect(slow.memories.size).toBeLessThanOrEqual(3)
  })

  it('leaves the memory of its pieces to a consumer that passes them on', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'blob')
    await writeFile(path, content)
    const keeping = (await openBlob(path)).pipe(new PassThrough({ highWaterMark: content.length }))
    await setTimeout(50)

    expect((await buffer(keeping)).equals(content)).toBe(true)
  })

  it('holds back its last piece until the whole file is verified', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'blob')
    await writeFile(path, content)
    const bytes = await openBlob(path, undefined, {
      readBeside: () => {},
      measure: async (_position, piece) => piece,
      requireGood: async () => {
        throw problem('damaged_file')
      },
    })
    const slow = new SlowSink()
    bytes.pipe(slow)

    await expect(finished(bytes)).rejects.toMatchObject({ code: 'damaged_file' })
    expect(Buffer.concat(slow.pieces).length).toBeLessThan(content.length)
  })
})

/** Waits, as a slow client does, before it copies the bytes it was given. */
class SlowSink extends Writable {
  readonly pieces: Buffer[] = []
  readonly memories = new Set<ArrayBufferLike>()

  constructor() {
    super({ highWaterMark: 1 })
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    void this.#take(piece, done)
  }

  async #take(piece: Buffer, done: () => void): Promise<void> {
    await setTimeout(1)
    this.memories.add(piece.buffer)
    this.pieces.push(Buffer.from(piece))
    done()
  }
}
