import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import {
  archiveEnd,
  directoryEntry,
  endLength,
  localHeader,
  localLength,
  zipTime,
  type DirectoryEntry,
} from '../../../core/packages/zip-format.ts'
import type { SourceFile } from './source-file.ts'

/** How names with folders become names without. */
export type Flatten = 'dash' | 'zip'

/** `data/a.csv` becomes `data-a.csv`. Names may then be the same: the plan refuses those. */
export function withDashes(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.map((file) => ({ ...file, name: file.name.replaceAll('/', '-') }))
}

/**
 * All files in one ZIP archive, stored as they are. It is written as it is sent; the same files have
 * the same bytes, so that it need not be sent twice.
 *
 * @param name of the archive
 * @param time of its entries, in ISO 8601
 */
export async function asArchive(
  files: readonly SourceFile[],
  name: string,
  time: string,
): Promise<SourceFile> {
  const at = zipTime(time)
  const entries: DirectoryEntry[] = []
  let offset = 0
  for (const file of files) {
    // The sums stand before the bytes.
    const entry = {
      name: Buffer.from(file.name),
      size: file.size,
      crc32: file.size === 0 ? 0 : await sumOf(file),
      offset,
    }
    entries.push(entry)
    offset += localLength(entry) + file.size
  }
  const directory = Buffer.concat(entries.map((entry) => directoryEntry(entry, at)))
  const place = { count: entries.length, offset, length: directory.length }
  async function* write(): AsyncGenerator<Buffer> {
    for (const [index, file] of files.entries()) {
      const entry = entries[index]
      if (entry === undefined) continue
      yield localHeader(entry, at)
      if (file.size > 0) yield* (await file.open()) as AsyncIterable<Buffer>
    }
    yield directory
    yield archiveEnd(place)
  }
  return {
    name,
    size: offset + directory.length + endLength(place),
    stamp: files.map(({ name: each, size, stamp }) => `${each} ${size} ${stamp}`).join('\n'),
    type: 'application/zip',
    open: async (from = 0, to = Infinity) => Readable.from(partOf(write(), from, to)),
  }
}

async function sumOf(file: SourceFile): Promise<number> {
  let sum = 0
  for await (const chunk of (await file.open()) as AsyncIterable<Buffer>) sum = crc32(chunk, sum)
  return sum
}

/** The bytes from `from` up to `to` of a stream that is read from its beginning. */
async function* partOf(
  bytes: AsyncIterable<Buffer>,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  let at = 0
  for await (const chunk of bytes) {
    const part = chunk.subarray(Math.max(0, from - at), Math.max(0, to - at))
    at += chunk.length
    if (part.length > 0) yield part
    if (at >= to) return
  }
}
