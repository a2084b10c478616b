import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of an archive; with all but name and content, it may lie. */
export interface ZipEntry {
  readonly name: string | Buffer
  readonly content?: string | Buffer
  readonly isDeflated?: boolean
  readonly method?: number
  readonly flags?: number
  /** With the type of the file, as Unix has it. */
  readonly mode?: number
  readonly crc32?: number
  /** Bytes, as the archive says. */
  readonly size?: number
  /** In the header before the bytes. */
  readonly localName?: string
  /** The index of the entry whose bytes these are to be as well. */
  readonly at?: number
}

interface ZipLies {
  /** Entries, as the end of the archive says. */
  readonly count?: number
  /** Bytes before the list of entries. */
  readonly hidden?: Buffer
  readonly comment?: Buffer
}

/** An archive with these entries, lies and all. */
export function zipOf(
  entries: readonly ZipEntry[],
  { count = entries.length, hidden = Buffer.of(), comment = Buffer.of() }: ZipLies = {},
): Buffer {
  const [parts, list]: [Buffer[], Buffer[]] = [[], []]
  const offsets: number[] = []
  let offset = 0
  for (const entry of entries) {
    const bytes = Buffer.from(entry.content ?? '')
    const data = entry.isDeflated ? deflateRawSync(bytes, { level: 9 }) : bytes
    const fields = {
      entry,
      data,
      sum: entry.crc32 ?? crc32(bytes),
      size: entry.size ?? bytes.length,
    }
    const start = entry.at === undefined ? offset : (offsets[entry.at] ?? 0)
    offsets.push(start)
    list.push(listed(fields, start))
    if (entry.at !== undefined) continue
    const local = Buffer.concat([header(fields, Buffer.from(entry.localName ?? entry.name)), data])
    parts.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(list)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset + hidden.length, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...parts, hidden, directory, end, comment])
}

/** An archive of files by their paths. */
export function zipOfFiles(files: Readonly<Record<string, string>>, isDeflated = true): Buffer {
  return zipOf(Object.entries(files).map(([name, content]) => ({ name, content, isDeflated })))
}

interface Fields {
  readonly entry: ZipEntry
  readonly data: Buffer
  readonly sum: number
  readonly size: number
}

/** From "version needed" to the size, which both headers have. */
function common({ entry, data, sum, size }: Fields): Buffer {
  const bytes = Buffer.alloc(22)
  bytes.writeUInt16LE(20, 0)
  bytes.writeUInt16LE(entry.flags ?? 0x800, 2)
  bytes.writeUInt16LE(entry.method ?? (entry.isDeflated ? 8 : 0), 4)
  bytes.writeUInt32LE(0x00210000, 6)
  bytes.writeUInt32LE(sum, 10)
  bytes.writeUInt32LE(data.length, 14)
  bytes.writeUInt32LE(size, 18)
  return bytes
}

function header(fields: Fields, name: Buffer): Buffer {
  const lengths = Buffer.alloc(4)
  lengths.writeUInt16LE(name.length, 0)
  return Buffer.concat([Buffer.from('PK\u0003\u0004'), common(fields), lengths, name])
}

function listed(fields: Fields, offset: number): Buffer {
  const name = Buffer.from(fields.entry.name)
  const mode = fields.entry.mode ?? (name.at(-1) === 0x2f ? 0o040755 : 0o100644)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(name.length, 0)
  end.writeUInt32LE((mode << 16) >>> 0, 10)
  end.writeUInt32LE(offset, 14)
  const madeByUnix = Buffer.from([20, 3])
  return Buffer.concat([Buffer.from('PK\u0001\u0002'), madeByUnix, common(fields), end, name])
}
