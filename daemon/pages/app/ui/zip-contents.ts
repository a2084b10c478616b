/** A file in a ZIP archive. */
export interface ZipEntry {
  readonly name: string
  /** Bytes, unpacked. */
  readonly size: number
}

const endMark = 0x06054b50
const entryMark = 0x02014b50

/** Bytes of the end record without its comment, and the longest comment. */
const endSize = 22
const longestComment = 65_535

/**
 * Lists the files of an archive from its directory, without unpacking anything.
 *
 * @throws {RangeError} it is no ZIP archive, or one with a directory beyond 4 GB
 * @see PKWARE APPNOTE.TXT §4.3
 */
export async function readZip(bytes: Blob): Promise<readonly ZipEntry[]> {
  const tail = await viewOf(bytes.slice(Math.max(0, bytes.size - endSize - longestComment)))
  let end = tail.byteLength - endSize
  while (end >= 0 && tail.getUint32(end, true) !== endMark) end -= 1
  if (end < 0) throw new RangeError('no directory')
  const [count, size, offset] = [
    tail.getUint16(end + 10, true),
    tail.getUint32(end + 12, true),
    tail.getUint32(end + 16, true),
  ]
  const directory = await viewOf(bytes.slice(offset, offset + size))
  const entries: ZipEntry[] = []
  let at = 0
  for (let number = 0; number < count; number += 1) {
    if (directory.getUint32(at, true) !== entryMark) throw new RangeError('no entry')
    const [nameSize, extra, comment] = [28, 30, 32].map((place) =>
      directory.getUint16(at + place, true),
    )
    const begin = directory.byteOffset + at + 46
    const name = new TextDecoder().decode(new Uint8Array(directory.buffer, begin, nameSize))
    if (!name.endsWith('/')) entries.push({ name, size: directory.getUint32(at + 24, true) })
    at += 46 + (nameSize ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return entries
}

async function viewOf(part: Blob): Promise<DataView> {
  return new DataView(await part.arrayBuffer())
}
