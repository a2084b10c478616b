import { createHash, type Hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Judge } from './fetch-part.ts'

const localMark = 0x04034b50
const entryMark = 0x02014b50
const max32 = 0xffffffff

/** Length of a local header without its name. Bytes. */
export const localBytes = 30

/** A file in an archive, by its local header. */
export interface StoredFile {
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly crc32: number
  /** Bytes of the header with name and further fields. */
  readonly headerLength: number
}

/**
 * Reads a local header. The service stores files as they are, with their sizes in front of them.
 *
 * @returns undefined where there is another part of an archive, or not yet the whole header
 * @see APPNOTE 6.3.10, §4.3.7
 */
export function readLocalHeader(bytes: Buffer): StoredFile | undefined {
  if (bytes.length < localBytes || bytes.readUInt32LE(0) !== localMark) return undefined
  const nameEnd = localBytes + bytes.readUInt16LE(26)
  const headerLength = nameEnd + bytes.readUInt16LE(28)
  if (bytes.length < headerLength) return undefined
  const size = bytes.readUInt32LE(22)
  return {
    name: bytes.toString('utf8', localBytes, nameEnd),
    size: size === max32 ? largeSize(bytes.subarray(nameEnd, headerLength)) : size,
    crc32: bytes.readUInt32LE(14),
    headerLength,
  }
}

/** The first number of the field for large files. @see APPNOTE 6.3.10, §4.5.3 */
function largeSize(extra: Buffer): number {
  for (let at = 0; at + 12 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === 0x0001) return Number(extra.readBigUInt64LE(at + 4))
  }
  return Number.NaN
}

/** A file whose bytes are passing. */
interface Passing {
  readonly file: StoredFile
  readonly hash: Hash
  crc32: number
  left: number
}

/**
 * Verifies an archive of the service while its bytes pass: each file by its CRC-32, those of the
 * deposit by their SHA-256 as well, and the directory at the end by what has passed.
 */
export class ZipCheck implements Judge {
  /** SHA-256 of files of the deposit that have not passed, by their names in the archive. */
  readonly #digests: Map<string, string>
  readonly #seen: StoredFile[] = []
  #passing: Passing | undefined
  /** The beginning of a header. */
  #beginning: Buffer | undefined
  /** What comes behind the files; it is judged at the end. */
  #directory: Buffer[] | undefined
  #isWrong = false

  readonly #mayHave: (name: string) => boolean

  /**
   * @param digests hexadecimal, by the names of files in the archive
   * @param mayHave whether a further file may be called so
   */
  constructor(digests: ReadonlyMap<string, string>, mayHave: (name: string) => boolean) {
    this.#digests = new Map(digests)
    this.#mayHave = mayHave
  }

  update(chunk: Buffer): void {
    for (let rest = chunk; rest.length > 0 && !this.#isWrong;) rest = this.#take(rest)
  }

  isRight(): boolean {
    if (this.#isWrong || this.#passing || this.#digests.size > 0) return false
    return isDirectoryOf(this.#seen, Buffer.concat(this.#directory ?? []))
  }

  /** Takes the first bytes, and returns the others. */
  #take(bytes: Buffer): Buffer {
    if (this.#passing) return this.#pass(this.#passing, bytes)
    if (this.#directory) {
      this.#directory.push(bytes)
      return nothing
    }
    const known = this.#beginning ? Buffer.concat([this.#beginning, bytes]) : bytes
    const file = readLocalHeader(known)
    if (file === undefined) {
      const isHeader = known.length < 4 || known.readUInt32LE(0) === localMark
      this.#beginning = isHeader ? known : undefined
      if (!isHeader) this.#directory = [known]
      return nothing
    }
    this.#beginning = undefined
    this.#passing = { file, hash: createHash('sha256'), crc32: 0, left: file.size }
    const rest = known.subarray(file.headerLength)
    return file.size === 0 ? this.#pass(this.#passing, rest) : rest
  }

  #pass(passing: Passing, bytes: Buffer): Buffer {
    const { file, hash } = passing
    const part = bytes.subarray(0, passing.left)
    hash.update(part)
    passing.crc32 = crc32(part, passing.crc32)
    passing.left -= part.length
    if (passing.left > 0) return bytes.subarray(part.length)
    const digest = this.#digests.get(file.name)
    const isSame = digest === undefined ? this.#mayHave(file.name) : digest === hash.digest('hex')
    this.#isWrong ||= passing.crc32 !== file.crc32 || !isSame || Number.isNaN(file.size)
    this.#digests.delete(file.name)
    this.#seen.push(file)
    this.#passing = undefined
    return bytes.subarray(part.length)
  }
}

const nothing = Buffer.alloc(0)

/** Whether a directory lists these files, and ends as one does. @see APPNOTE 6.3.10, §4.3.12 */
function isDirectoryOf(files: readonly StoredFile[], bytes: Buffer): boolean {
  let [at, place] = [0, 0]
  for (const { name, size, crc32: sum, headerLength } of files) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== entryMark) return false
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
    const isSame =
      bytes.readUInt32LE(at + 16) === sum &&
      bytes.readUInt32LE(at + 24) === Math.min(size, max32) &&
      bytes.readUInt32LE(at + 42) === Math.min(place, max32) &&
      bytes.toString('utf8', at + 46, nameEnd) === name
    if (!isSame) return false
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
    place += headerLength + size
  }
  return isEnd(bytes.subarray(at), { count: files.length, length: at, offset: place })
}

const max16 = 0xffff
/** Lengths of the end of a directory, and of the records for a large one. Bytes. */
const [endBytes, largeEndBytes] = [22, 56 + 20]

interface Directory {
  readonly count: number
  readonly length: number
  readonly offset: number
}

/** @see APPNOTE 6.3.10, §4.3.14 to §4.3.16 */
function isEnd(bytes: Buffer, { count, length, offset }: Directory): boolean {
  const isLarge = count >= max16 || length >= max32 || offset >= max32
  const end = bytes.subarray(isLarge ? largeEndBytes : 0)
  return (
    end.length === endBytes &&
    end.readUInt32LE(0) === 0x06054b50 &&
    end.readUInt16LE(8) === Math.min(count, max16) &&
    end.readUInt16LE(10) === Math.min(count, max16) &&
    end.readUInt32LE(12) === Math.min(length, max32) &&
    end.readUInt32LE(16) === Math.min(offset, max32) &&
    end.readUInt16LE(20) === 0 &&
    (!isLarge || isLargeEnd(bytes, { count, length, offset }))
  )
}

function isLargeEnd(bytes: Buffer, { count, length, offset }: Directory): boolean {
  return (
    bytes.readUInt32LE(0) === 0x06064b50 &&
    Number(bytes.readBigUInt64LE(32)) === count &&
    Number(bytes.readBigUInt64LE(40)) === length &&
    Number(bytes.readBigUInt64LE(48)) === offset &&
    bytes.readUInt32LE(56) === 0x07064b50 &&
    Number(bytes.readBigUInt64LE(64)) === offset + length
  )
}
