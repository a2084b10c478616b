import { isUtf8 } from 'node:buffer'
import { open, type FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { Entry, getFileNameLowLevel, LocalFileHeader, ZipFile } from 'yauzl'
import { codeOf } from '../../core/base/errno.ts'
import type { Finding } from '../output/finding.ts'
import { count, formatBytes } from '../output/units.ts'
import { plain, quoted } from '../plain.ts'
import { reasonOf } from '../reason.ts'
import { about, faultOfPath, UnreadableFile, type Contents, type PackedFile } from './contents.ts'
import { isZip } from './recognise.ts'
import { faultOfEnd, faultsOfPlaces, type Place } from './zip-gaps.ts'

/** An archive that would unpack to more is refused. */
const limits = {
  /** Bytes that any archive may have unpacked. */
  bytes: 1_000_000_000,
  /** A larger one may have so many times the bytes that it has packed. */
  times: 100,
  entries: 1_000_000,
  /** With those that are only in the paths of files. */
  folders: 1_000_000,
  /** Of a path, in bytes: the longest that systems take. */
  path: 4096,
}

/** The file is no ZIP archive at all. */
export class NoArchive extends Error {
  override readonly name = 'NoArchive'
}

type Decode = typeof getFileNameLowLevel

interface Found {
  readonly entries: Map<string, Entry>
  readonly folders: Set<string>
  readonly faults: Finding[]
}

/**
 * The files of a ZIP archive, which is not unpacked: each is read where it lies. All that a hostile
 * archive may have is a fault, before a byte of it is unpacked.
 *
 * @throws {NoArchive}
 */
export async function readZipContents(path: string): Promise<Contents> {
  const { getFileNameLowLevel: decode, openPromise } = await import('yauzl')
  if (!(await isZip(path))) throw new NoArchive('it is no ZIP archive')
  const archive = await openPromise(path, {
    autoClose: false,
    decodeStrings: false,
    validateEntrySizes: false,
  }).catch(toDamage)
  if ('field' in archive) return onlyFaults(archive)
  const found: Found = { entries: new Map(), folders: new Set(), faults: [] }
  try {
    await using file = await open(path)
    await readDirectory(archive, { decode, found, file })
  } catch (error) {
    archive.close()
    throw error
  }
  const { entries, folders, faults } = found
  const files = [...entries].map(([name, { uncompressedSize: size }]) => ({ path: name, size }))
  return {
    files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    folders,
    faults,
    read: (file) => read(archive, file, entries.get(file.path)),
    [Symbol.asyncDispose]: () => {
      archive.close()
      return Promise.resolve()
    },
  }
}

/** An error of the disk is no fault of the archive. */
function toDamage(error: unknown): Finding {
  if (codeOf(error) !== '') throw error
  const said = plain(reasonOf(error))
  const isCut = said.startsWith('End of central directory')
  return about('', isCut ? 'its end is missing: it is not complete' : `it is damaged: ${said}`)
}

function onlyFaults(fault: Finding): Contents {
  return {
    files: [],
    folders: new Set(),
    faults: [fault],
    read: () => {
      throw new UnreadableFile('the archive is damaged')
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

interface Reading {
  readonly decode: Decode
  readonly found: Found
  readonly file: FileHandle
}

async function readDirectory(archive: ZipFile, { decode, found, file }: Reading): Promise<void> {
  const { faults } = found
  const start = Number(archive.readEntryCursor)
  const places: Place[] = []
  let unpacked = 0
  try {
    if (archive.entryCount > limits.entries) {
      const most = `at most ${limits.entries} are read`
      faults.push(about('', `it has ${archive.entryCount} entries, and ${most}`))
      return
    }
    for await (const entry of archive.eachEntry()) {
      const name = nameOf(entry, decode)
      unpacked += entry.uncompressedSize
      const said = [
        ...faultsOf(entry, name),
        ...(await takePlace(archive, { entry, name, places })),
      ]
      if (faultOfName(entry, name) === undefined) said.push(...take(found, entry, name))
      faults.push(...said.map((message) => about(name.slice(0, limits.path), message)))
    }
    const ofEnd = await faultOfEnd(file, Number(archive.readEntryCursor), archive.fileSize)
    if (ofEnd !== undefined) faults.push(ofEnd)
    if (places.length === archive.entryCount)
      faults.push(...(await faultsOfPlaces(file, places, start)))
  } catch (error) {
    if (codeOf(error) !== '') throw error
    faults.push(about('', `the list of files in the archive is damaged: ${plain(reasonOf(error))}`))
  }
  if (found.folders.size >= limits.folders)
    faults.push(about('', `it has ${limits.folders} folders or more`))
  faults.push(...twins(found), ...bomb(unpacked, archive.fileSize))
}

/** Archives say "UTF-8" or nothing, and mean UTF-8 where the bytes are such. */
function nameOf(entry: Entry, decode: Decode): string {
  const { generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields } = entry
  return decode(isUtf8(raw) ? flags | 0x800 : flags, raw, extraFields, true)
}

/** Flags of encrypted entries. */
const encrypted = 0x2041

const folderType = 0o040000
const fileType = 0o100000
const linkType = 0o120000

function faultsOf(entry: Entry, name: string): readonly string[] {
  const { generalPurposeBitFlag: flags, compressionMethod: method } = entry
  const said: string[] = []
  const ofName = faultOfName(entry, name)
  if (ofName !== undefined) said.push(ofName)
  if ((flags & 0x800) !== 0 && !isUtf8(entry.fileNameRaw)) said.push('the name is not UTF-8')
  const madeBy = entry.versionMadeBy >> 8
  // Unix and macOS keep the type of the file there.
  const type = madeBy === 3 || madeBy === 19 ? (entry.externalFileAttributes >>> 16) & 0o170000 : 0
  const isFolder = name.endsWith('/')
  if (type === linkType) said.push('it is a link, and links are not followed')
  else if (type !== 0 && type !== (isFolder ? folderType : fileType))
    said.push('it is a device, a pipe or a socket, or no file of its name')
  if ((flags & encrypted) !== 0) said.push('it is encrypted')
  if (method !== 0 && method !== 8) said.push(`its compression method, ${method}, is not known`)
  if (method === 0 && entry.compressedSize !== entry.uncompressedSize)
    said.push('it is stored, but has two sizes')
  if (isFolder && entry.uncompressedSize > 0) said.push('it is a folder, but has bytes')
  return said
}

function faultOfName({ fileNameRaw: raw }: Entry, name: string): string | undefined {
  if (raw.length > limits.path || name.length > limits.path)
    return `the path is longer than ${limits.path} bytes`
  return faultOfPath(withoutSlash(name))
}

function take({ entries, folders }: Found, entry: Entry, name: string): readonly string[] {
  const path = withoutSlash(name)
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1))
    if (folders.size < limits.folders) folders.add(name.slice(0, at))
  if (name.endsWith('/')) return []
  if (entries.has(path)) return ['the archive has it twice']
  entries.set(path, entry)
  return []
}

/** Names that cannot stand beside each other. Those that differ in case alone, a record may have. */
function twins({ entries, folders }: Found): readonly Finding[] {
  const composed = Map.groupBy(entries.keys(), (path) => path.normalize('NFC'))
  const same = [...composed.values()].filter((group) => group.length > 1)
  return [
    ...[...entries.keys()]
      .filter((path) => folders.has(path))
      .map((path) => about(path, 'it is a file, and a folder of others')),
    ...same.map((group) =>
      about('', `${group.map(quoted).join(' and ')} differ only in Unicode normalisation`),
    ),
  ]
}

interface Taken {
  readonly entry: Entry
  readonly name: string
  readonly places: Place[]
}

async function takePlace(
  archive: ZipFile,
  { entry, name, places }: Taken,
): Promise<readonly string[]> {
  try {
    const header = await archive.readLocalFileHeaderPromise(entry)
    const start = entry.relativeOffsetOfLocalHeader
    places.push({ name, start, end: header.fileDataStart + entry.compressedSize })
    return isSame(entry, header) ? [] : ['its header differs from the list of the archive']
  } catch (error) {
    return [`its bytes cannot be found: ${plain(reasonOf(error))}`]
  }
}

/** The list of an archive and the header before the bytes are read by different programs. */
function isSame(entry: Entry, header: LocalFileHeader): boolean {
  const isStreamed = (header.generalPurposeBitFlag & 0x8) !== 0
  const isEqual = (here: number, there: number): boolean =>
    here === there || here === 0xffffffff || (isStreamed && here === 0)
  return (
    (header.generalPurposeBitFlag & encrypted) === (entry.generalPurposeBitFlag & encrypted) &&
    header.fileName.equals(entry.fileNameRaw) &&
    header.compressionMethod === entry.compressionMethod &&
    isEqual(header.crc32, entry.crc32) &&
    isEqual(header.compressedSize, entry.compressedSize) &&
    isEqual(header.uncompressedSize, entry.uncompressedSize)
  )
}

function bomb(unpacked: number, packed: number): readonly Finding[] {
  const most = Math.max(limits.bytes, limits.times * packed)
  if (unpacked <= most) return []
  const bound = `${formatBytes(limits.bytes)}, or ${count(limits.times, 'time')} its own size`
  return [
    about(
      '',
      `${formatBytes(packed)} would unpack to ${formatBytes(unpacked)}; at most ${bound}, is unpacked`,
    ),
  ]
}

async function* read(
  archive: ZipFile,
  { size }: PackedFile,
  entry: Entry | undefined,
): AsyncIterable<Buffer> {
  if (entry === undefined) throw new UnreadableFile('the archive does not have it')
  let [bytes, sum] = [0, 0]
  try {
    const stream = await archive.openReadStreamPromise(entry)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > size) break
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    const said = `its bytes cannot be unpacked: ${plain(reasonOf(error))}`
    throw new UnreadableFile(said, { cause: error })
  }
  if (bytes !== size) {
    const than = bytes > size ? 'more' : 'fewer'
    throw new UnreadableFile(`it has ${than} bytes than the archive says`)
  }
  if (sum !== entry.crc32) throw new UnreadableFile('its CRC-32 differs from that in the archive')
}

function withoutSlash(name: string): string {
  return name.endsWith('/') ? name.slice(0, -1) : name
}
