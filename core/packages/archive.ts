import { Readable } from 'node:stream'
import {
  archiveEnd,
  directoryEntry,
  directoryLength,
  endLength,
  localHeader,
  localLength,
  zipTime,
  type Directory,
  type ZipTime,
} from './zip-format.ts'
import { toPieces, type ArchivePart } from './archive-stream.ts'
import { openAhead } from './open-ahead.ts'
import type { Range, WrittenFile } from './written-file.ts'

/** A file of an archive. */
export interface ArchiveFile {
  /** Path in the archive, with slashes; a folder ends with one. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Its bytes, if they are written for the archive; else they are asked from the source. */
  readonly content?: WrittenFile
}

/** Reads files that are not written for the archive; an index is the place of one in it. */
export interface ArchiveSource {
  readonly crc32: (index: number) => Promise<number>
  readonly read: (index: number, range: Range) => Promise<AsyncIterable<Buffer>>
}

/** A file that is about to be written. */
interface OpenFile {
  readonly header: Buffer
  readonly bytes: AsyncIterable<Buffer> | Iterable<Buffer>
  readonly isLarge: boolean
}

/** Bytes of a file past which it is worth to send it as a stream. */
const largeFile = 512 * 1024

/**
 * A ZIP archive of stored files. Its bytes follow from the names, sizes and contents alone, so any
 * range of them can be written without the rest, and without a copy of the whole.
 *
 * @see PKWARE APPNOTE 6.3.10
 */
export class Archive {
  /** Bytes. */
  readonly length: number
  readonly #files: readonly ArchiveFile[]
  readonly #names: readonly Buffer[]
  readonly #source: ArchiveSource
  readonly #time: ZipTime
  readonly #directory: Directory
  /** Where the local header of each file begins, and where the last file ends. */
  readonly #places: Float64Array
  /** The same of the entries of the directory. */
  readonly #entries: Float64Array

  /** @param created time of all files, ISO 8601, UTC */
  constructor(files: readonly ArchiveFile[], created: string, source: ArchiveSource) {
    this.#files = files
    this.#names = files.map(({ name }) => Buffer.from(name))
    this.#source = source
    this.#time = zipTime(created)
    this.#places = new Float64Array(files.length + 1)
    this.#entries = new Float64Array(files.length + 1)
    for (let index = 0; index < files.length; index++) {
      const { size } = this.#file(index)
      this.#places[index + 1] = this.#place(index) + localLength(this.#header(index)) + size
    }
    this.#entries[0] = this.#place(files.length)
    for (let index = 0; index < files.length; index++) {
      const entry = { ...this.#header(index), offset: this.#place(index) }
      this.#entries[index + 1] = this.#entry(index) + directoryLength(entry)
    }
    const [offset, end] = [this.#entry(0), this.#entry(files.length)]
    this.#directory = { count: files.length, offset, length: end - offset }
    this.length = end + endLength(this.#directory)
  }

  /** The bytes of a range, or all of them. A failure to read a file ends them early. */
  read(range?: Range): AsyncIterable<Buffer> {
    return toPieces(this.parts(range))
  }

  /** The same, but for large files, which are not read yet. */
  parts(range: Range = { start: 0, end: this.length - 1 }): AsyncIterable<ArchivePart> {
    return gathered(this.#pieces(range))
  }

  async *#pieces(range: Range): AsyncIterable<ArchivePart> {
    const { length } = this.#files
    const files = openAhead({
      first: lastUpTo(this.#places, range.start),
      end: Math.min(lastUpTo(this.#places, range.end) + 1, length),
      sizeOf: (index) => this.#file(index).size,
      open: (index) => this.#open(index, within(range, this.#place(index))),
      close: ({ bytes }) => bytes instanceof Readable && bytes.destroy(),
    })
    for await (const { header, bytes, isLarge } of files) {
      yield header
      if (isLarge && bytes instanceof Readable) yield bytes
      else yield* bytes
    }
    if (range.end < this.#entry(0)) return
    for (let index = lastUpTo(this.#entries, range.start); index < length; index++) {
      const place = this.#entry(index)
      if (place > range.end) return
      if (range.start >= this.#entry(index + 1)) continue
      const header = { ...this.#header(index), crc32: await this.#crc32(index) }
      const entry = directoryEntry({ ...header, offset: this.#place(index) }, this.#time)
      yield cut(entry, within(range, place))
    }
    yield cut(archiveEnd(this.#directory), within(range, this.#entry(length)))
  }

  /** @param range counted from the local header of the file */
  async #open(index: number, range: Range): Promise<OpenFile> {
    const length = localLength(this.#header(index))
    const header = range.start < length ? await this.#localHeader(index) : Buffer.alloc(0)
    const bytes = await this.#read(index, within(range, length))
    return { header: cut(header, range), bytes, isLarge: this.#file(index).size > largeFile }
  }

  async #localHeader(index: number): Promise<Buffer> {
    const sum = await this.#crc32(index)
    return localHeader({ ...this.#header(index), crc32: sum }, this.#time)
  }

  /** @param range counted from the first byte of the file; may lie outside of it */
  async #read(index: number, range: Range): Promise<OpenFile['bytes']> {
    const { size, content } = this.#file(index)
    const [start, end] = [Math.max(range.start, 0), Math.min(range.end, size - 1)]
    if (start > end) return []
    return content ? content.read({ start, end }) : this.#source.read(index, { start, end })
  }

  #file(index: number): ArchiveFile {
    const file = this.#files[index]
    if (!file) throw new RangeError(`an archive has no file ${index}`)
    return file
  }

  #header(index: number) {
    const { size } = this.#file(index)
    return { name: this.#names[index] ?? Buffer.alloc(0), size }
  }

  async #crc32(index: number): Promise<number> {
    const { size, content } = this.#file(index)
    if (size === 0) return 0
    return content ? content.crc32 : this.#source.crc32(index)
  }

  #place(index: number): number {
    return this.#places[index] ?? 0
  }

  #entry(index: number): number {
    return this.#entries[index] ?? 0
  }
}

/** The range counted from a place. */
function within({ start, end }: Range, place: number): Range {
  return { start: start - place, end: end - place }
}

function cut(bytes: Buffer, { start, end }: Range): Buffer {
  return bytes.subarray(Math.max(start, 0), Math.max(end + 1, 0))
}

/** Index of the last place that is not behind `byte`; 0 where all are. */
function lastUpTo(places: Float64Array, byte: number): number {
  let [low, high] = [0, places.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((places[middle] ?? 0) <= byte) low = middle
    else high = middle - 1
  }
  return low
}

/** Pieces smaller than this are sent together; copying larger ones takes longer than sending them. */
const pieceBytes = 64 * 1024

async function* gathered(pieces: AsyncIterable<ArchivePart>): AsyncIterable<ArchivePart> {
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const piece of pieces) {
    const isSmall = Buffer.isBuffer(piece) && piece.length < pieceBytes
    if (isSmall) {
      waiting.push(piece)
      bytes += piece.length
      if (bytes < pieceBytes) continue
    }
    if (bytes > 0) yield Buffer.concat(waiting)
    if (!isSmall) yield piece
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting)
}
