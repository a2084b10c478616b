/** A file of a ZIP archive, stored as it is. */
export interface ZipHeader {
  /** Path in the archive, with slashes; a folder ends with one. */
  readonly name: Buffer
  /** Bytes. */
  readonly size: number
  readonly crc32: number
}

const max16 = 0xffff
const max32 = 0xffffffff

/** File names are UTF-8. */
const flags = 1 << 11
/** Versions of the format: with folders, and with more than 4 GiB or 65,535 entries. */
const plain = 20
const large = 45
const madeByUnix = 3 << 8
const fileMode = 0o100644
const folderMode = 0o040755
const folderAttribute = 0x10

/** The time of all entries. */
export interface ZipTime {
  readonly dos: number
  /** Seconds since 1970. */
  readonly unix: number
}

/** @param iso ISO 8601, UTC; times before 1980 and after 2107 are brought within */
export function zipTime(iso: string): ZipTime {
  const ms = Date.parse(iso)
  const date = new Date(Math.min(Math.max(ms, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)))
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5)
  const time =
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  return {
    dos: ((day | date.getUTCDate()) << 16) | time,
    unix: Math.min(Math.max(Math.floor(ms / 1000), 0), 0x7fffffff),
  }
}

/** Length of {@link localHeader}. Bytes. */
export function localLength({ name, size }: Omit<ZipHeader, 'crc32'>): number {
  return 30 + name.length + stampLength + (size >= max32 ? 20 : 0)
}

/** @see APPNOTE 6.3.10, §4.3.7 */
export function localHeader({ name, size, crc32 }: ZipHeader, time: ZipTime): Buffer {
  const isLarge = size >= max32
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(isLarge ? large : plain, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt32LE(time.dos >>> 0, 10)
  header.writeUInt32LE(crc32, 14)
  header.writeUInt32LE(Math.min(size, max32), 18)
  header.writeUInt32LE(Math.min(size, max32), 22)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(stampLength + (isLarge ? 20 : 0), 28)
  return Buffer.concat([header, name, isLarge ? zip64([size, size]) : empty, stamp(time)])
}

/** An entry of the directory, and the place of its local header. */
export interface DirectoryEntry extends ZipHeader {
  readonly offset: number
}

/** Length of {@link directoryEntry}. Bytes. */
export function directoryLength({ name, size, offset }: Omit<DirectoryEntry, 'crc32'>): number {
  const count = largeFields(size, offset).length
  return 46 + name.length + stampLength + (count > 0 ? 4 + 8 * count : 0)
}

/** @see APPNOTE 6.3.10, §4.3.12 */
export function directoryEntry(entry: DirectoryEntry, time: ZipTime): Buffer {
  const { name, size, crc32, offset } = entry
  const fields = largeFields(size, offset)
  const isFolder = name.at(-1) === 0x2f
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(madeByUnix | (fields.length > 0 ? large : plain), 4)
  header.writeUInt16LE(fields.length > 0 ? large : plain, 6)
  header.writeUInt16LE(flags, 8)
  header.writeUInt32LE(time.dos >>> 0, 12)
  header.writeUInt32LE(crc32, 16)
  header.writeUInt32LE(Math.min(size, max32), 20)
  header.writeUInt32LE(Math.min(size, max32), 24)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt16LE(stampLength + (fields.length > 0 ? 4 + 8 * fields.length : 0), 30)
  header.writeUInt16LE(isFolder ? folderMode : fileMode, 40)
  header.writeUInt16LE(isFolder ? folderAttribute : 0, 38)
  header.writeUInt32LE(Math.min(offset, max32), 42)
  const extra = fields.length > 0 ? zip64(fields) : empty
  return Buffer.concat([header, name, extra, stamp(time)])
}

/** Those that need eight bytes, in the order of the format. */
function largeFields(size: number, offset: number): readonly number[] {
  return [...(size >= max32 ? [size, size] : []), ...(offset >= max32 ? [offset] : [])]
}

/** The place of the directory, in bytes, and the number of its entries. */
export interface Directory {
  readonly count: number
  readonly offset: number
  readonly length: number
}

/** Length of {@link archiveEnd}. Bytes. */
export function endLength(directory: Directory): number {
  return isLargeArchive(directory) ? 56 + 20 + 22 : 22
}

function isLargeArchive({ count, offset, length }: Directory): boolean {
  return count >= max16 || offset >= max32 || length >= max32
}

/** @see APPNOTE 6.3.10, §4.3.14 to §4.3.16 */
export function archiveEnd(directory: Directory): Buffer {
  const { count, offset, length } = directory
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, max16), 8)
  end.writeUInt16LE(Math.min(count, max16), 10)
  end.writeUInt32LE(Math.min(length, max32), 12)
  end.writeUInt32LE(Math.min(offset, max32), 16)
  if (!isLargeArchive(directory)) return end
  const [end64, locator] = [Buffer.alloc(56), Buffer.alloc(20)]
  end64.writeUInt32LE(0x06064b50, 0)
  end64.writeBigUInt64LE(44n, 4)
  end64.writeUInt16LE(madeByUnix | large, 12)
  end64.writeUInt16LE(large, 14)
  end64.writeBigUInt64LE(BigInt(count), 24)
  end64.writeBigUInt64LE(BigInt(count), 32)
  end64.writeBigUInt64LE(BigInt(length), 40)
  end64.writeBigUInt64LE(BigInt(offset), 48)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(offset + length), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([end64, locator, end])
}

function zip64(fields: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * fields.length)
  extra.writeUInt16LE(0x0001, 0)
  extra.writeUInt16LE(8 * fields.length, 2)
  for (const [at, field] of fields.entries()) extra.writeBigUInt64LE(BigInt(field), 4 + 8 * at)
  return extra
}

/** The time in UTC: that of DOS counts as local. */
function stamp({ unix }: ZipTime): Buffer {
  const extra = Buffer.alloc(stampLength)
  extra.writeUInt16LE(0x5455, 0)
  extra.writeUInt16LE(5, 2)
  extra.writeUInt8(1, 4)
  extra.writeUInt32LE(unix, 5)
  return extra
}

const stampLength = 9
const empty = Buffer.alloc(0)
