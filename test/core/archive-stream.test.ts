import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { ArchiveStream, type ArchivePart } from '../../core/packages/archive-stream.ts'

/** A file of ten pieces, which fails after some of them. */
function fileOf(text: string, failure?: Error): Readable {
  return Readable.from(
    (function* () {
      for (let piece = 0; piece < 10; piece++) {
        if (failure && piece === 5) throw failure
        yield Buffer.from(text.repeat(1000))
      }
    })(),
    { objectMode: false },
  )
}

async function* each(...parts: readonly ArchivePart[]): AsyncIterable<ArchivePart> {
  yield* parts
}

/** Keeps what it is sent, and takes a turn of the event loop for each piece. */
class Sink extends Writable {
  readonly pieces: Buffer[] = []

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.pieces.push(piece)
    setImmediate(done)
  }
}

const head = Buffer.from('head')
const whole = `head${'a'.repeat(10_000)}head${'b'.repeat(10_000)}head`

describe('the stream of an archive', () => {
  it('is the same piped, and read', async () => {
    const parts = () => each(head, fileOf('a'), head, fileOf('b'), head)
    const sink = new Sink()
    new ArchiveStream(parts()).pipe(sink)
    await once(sink, 'finish')

    expect(Buffer.concat(sink.pieces).toString()).toBe(whole)
    expect((await buffer(new ArchiveStream(parts()))).toString()).toBe(whole)
  })

  it('ends once it was piped', async () => {
    const stream = new ArchiveStream(each(head, fileOf('a')))
    const closed = once(stream, 'close')
    stream.pipe(new Sink())
    await closed
    expect(stream.readableEnded).toBe(true)
  })

  it('fails where a file does, without an end of what it is piped to', async () => {
    const sink = new Sink()
    const stream = new ArchiveStream(each(head, fileOf('a', new Error('damaged')), head))
    stream.pipe(sink)

    await expect(once(stream, 'close')).rejects.toThrow('damaged')
    expect(sink.writableEnded).toBe(false)
    const read = new ArchiveStream(each(head, fileOf('a', new Error('damaged')), head))
    await expect(buffer(read)).rejects.toThrow('damaged')
  })

  it('closes the file that is sent where the reader leaves', async () => {
    const file = fileOf('a')
    const stuck = new Writable({ write: () => {}, highWaterMark: 1 })
    const stream = new ArchiveStream(each(file))
    stream.pipe(stuck)
    const closed = once(file, 'close')
    setImmediate(() => stream.destroy())
    await closed
    expect(file.destroyed).toBe(true)
  })
})
