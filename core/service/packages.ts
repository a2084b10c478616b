import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { giveWay } from '../base/turns.ts'
import type { DescribedFile } from '../describe/description.ts'
import { mediaTypeOf } from '../describe/media-types.ts'
import type { PackageTexts } from '../exports/package-texts.ts'
import type { Blob, BlobId, DepositFile } from '../files/file.ts'
import { ArchiveStream, type ArchivePart } from '../packages/archive-stream.ts'
import { Archive, type ArchiveFile } from '../packages/archive.ts'
import { writeBag } from '../packages/bag.ts'
import { isOwnCrate, writeCrate } from '../packages/crate.ts'
import { writeDatapackage } from '../packages/datapackage.ts'
import type { WrittenFile } from '../packages/written-file.ts'
import type { ByteRange } from '../ports/blob-store.ts'
import type { Parts } from './parts.ts'
import { readVersion } from './read-version.ts'

/** A record or a draft, as a package says it. */
export interface Packed {
  /** Its identifier; names the folder in which everything lies. */
  readonly id: string
  readonly revision: number
  /** ISO 8601, UTC. */
  readonly created: string
  readonly files: readonly DepositFile[]
}

/** A record with what its packages say of it. */
export interface PackedRecord extends Packed {
  /** When the revision was made. ISO 8601, UTC. */
  readonly updated: string
  readonly texts: PackageTexts
  /** Address of the bytes of a file. */
  readonly toUrl: (file: DepositFile) => string
}

/** A package whose bytes follow from the record alone. */
export interface Package {
  readonly filename: string
  /** Bytes. */
  readonly size: number
  /** Strong: another one wherever a byte differs. */
  readonly etag: string
  /** The bytes of a range, or all. They end early where a file cannot be read whole. */
  readonly read: (range?: ByteRange) => Readable
}

/** Change whenever the same record is written with other bytes. */
const writers = { zip: 'zip1', crate: 'crate3', bag: 'bag3', datapackage: 'datapackage2' }

/** Sums that are stored together at most. */
const batchSize = 200

/** The sum of a larger file is stored at once: who asks again need not wait for it. Bytes. */
const largeSize = 16 * 1024 * 1024

/** All files of a record as a ZIP archive, stored as they are. */
export function packZip(parts: Parts, packed: Packed): Package {
  const entries = packed.files.map((file) => ({ path: file.key, file }))
  return toPackage(parts, packed, { filename: `${packed.id}.zip`, writer: writers.zip, entries })
}

/** The same as an RO-Crate, with its metadata and a page for people. */
export async function packCrate(parts: Parts, record: PackedRecord): Promise<Package> {
  const filename = `${record.id}-ro-crate.zip`
  return toPackage(parts, record, {
    filename,
    writer: writers.crate,
    entries: await toCrate(record),
  })
}

/** All files with the descriptor of a Data Package. */
export async function packDatapackage(parts: Parts, record: PackedRecord): Promise<Package> {
  const { files, texts } = record
  const own = await writeDatapackage(
    texts,
    files.map(({ key }) => key),
    describeFrom(record),
  )
  return toPackage(parts, record, {
    filename: `${record.id}-datapackage.zip`,
    writer: writers.datapackage,
    entries: [...own, ...files.map((file) => ({ path: file.key, file }))],
  })
}

/** That crate in a bag, with the digests of all its files. */
export async function packBag(parts: Parts, record: PackedRecord): Promise<Package> {
  const { id, updated, files, texts } = record
  const payload = await toCrate(record)
  const tagged = await writeBag(
    texts,
    payload.map((entry) => ({ path: entry.path, ...measure(entry) })),
    { id, date: updated.slice(0, 10), hasDetached: isOwnCrate(files.map(({ key }) => key)) },
  )
  const entries = payload.map((entry) => ({ ...entry, path: `data/${entry.path}` }))
  return toPackage(parts, record, {
    filename: `${id}-bagit.zip`,
    writer: writers.bag,
    entries: [...tagged, ...entries],
  })
}

/** A file of a package: a stored one, or one that is written. */
type PackedFile =
  | { readonly path: string; readonly file: DepositFile }
  | { readonly path: string; readonly written: WrittenFile }

async function toCrate(record: PackedRecord): Promise<readonly PackedFile[]> {
  const { files, texts } = record
  const own = await writeCrate(
    texts,
    files.map(({ key }) => key),
    describeFrom(record),
  )
  return [...own, ...files.map((file) => ({ path: file.key, file }))]
}

function describeFrom({ files, toUrl }: PackedRecord): (index: number) => DescribedFile {
  return (index) => {
    const file = fileAt(files, index)
    const { key, latest } = file
    const { size, sha256 } = latest.blob
    return { key, size, sha256, mediaType: mediaTypeOf(key), url: toUrl(file) }
  }
}

function measure(entry: PackedFile): { readonly size: number; readonly sha256: string } {
  const { size, sha256 } = 'written' in entry ? entry.written : entry.file.latest.blob
  return { size, sha256 }
}

interface Content {
  readonly filename: string
  readonly writer: string
  readonly entries: readonly PackedFile[]
}

function toPackage(
  parts: Parts,
  { id, revision, created, files }: Packed,
  { filename, writer, entries }: Content,
): Package {
  const folder: ArchiveFile = { name: `${id}/`, size: 0 }
  const packed = entries.map((entry): ArchiveFile => {
    const { size } = measure(entry)
    return {
      name: `${id}/${entry.path}`,
      size,
      ...('written' in entry && { content: entry.written }),
    }
  })
  const versionAt = (index: number) => {
    const entry = entries[index - 1]
    if (!entry || 'written' in entry) throw new RangeError(`a package has no file ${index}`)
    return entry.file.latest
  }
  const sums = new Checksums(parts, files)
  const archive = new Archive([folder, ...packed], created, {
    crc32: (index) => sums.of(versionAt(index).blob),
    read: (index, range) => {
      const { blob } = versionAt(index)
      const isWhole = range.start === 0 && range.end === blob.size - 1
      return readVersion(parts, versionAt(index), isWhole ? undefined : range)
    },
  })
  const read = async function* (range?: ByteRange): AsyncIterable<ArchivePart> {
    try {
      yield* archive.parts(range)
    } finally {
      await sums.store()
    }
  }
  const hash = createHash('sha256').update(JSON.stringify([id, created]))
  for (const entry of entries) hash.update(JSON.stringify([entry.path, measure(entry).sha256]))
  return {
    filename,
    size: archive.length,
    etag: `"${revision}-${writer}-${hash.digest('hex').slice(0, 32)}"`,
    read: (range) => new ArchiveStream(read(range)),
  }
}

function fileAt(files: readonly DepositFile[], index: number): DepositFile {
  const file = files[index]
  if (!file) throw new RangeError(`a package has no file ${index}`)
  return file
}

/** The CRC-32 of files: those that are stored, and others, which are computed once and stored. */
class Checksums {
  readonly #parts: Parts
  readonly #blobs: readonly BlobId[]
  #known: Promise<ReadonlyMap<BlobId, number>> | undefined
  readonly #computed = new Map<BlobId, number>()
  #unstored = new Map<BlobId, number>()

  constructor(parts: Parts, files: readonly DepositFile[]) {
    this.#parts = parts
    this.#blobs = files.map(({ latest }) => latest.blob.id)
  }

  async of(blob: Blob): Promise<number> {
    if (blob.size === 0) return 0
    this.#known ??= this.#parts.database.read.blobs.crc32s(this.#blobs)
    const known = (await this.#known).get(blob.id) ?? this.#computed.get(blob.id)
    if (known !== undefined) return known
    const sum = await this.#compute(blob)
    this.#computed.set(blob.id, sum)
    this.#unstored.set(blob.id, sum)
    if (this.#unstored.size >= batchSize || blob.size >= largeSize) await this.store()
    return sum
  }

  /** A file is read once for all who wait for its sum. */
  async #compute(blob: Blob): Promise<number> {
    const running = this.#parts.sums.get(blob.id)
    if (running) return running
    const sum = sumOf(this.#parts, blob)
    this.#parts.sums.set(blob.id, sum)
    try {
      return await sum
    } finally {
      this.#parts.sums.delete(blob.id)
    }
  }

  /** Without them a later download computes them again, so no failure is told to a reader. */
  async store(): Promise<void> {
    const { database, report } = this.#parts
    const sums = this.#unstored
    if (sums.size === 0 || !database.isWritable()) return
    this.#unstored = new Map()
    await database.write((unit) => unit.upkeep.recordCrc32s(sums)).catch(report)
  }
}

async function sumOf({ blobs }: Parts, blob: Blob): Promise<number> {
  let sum = 0
  for await (const chunk of await blobs.readWhole(blob)) {
    sum = crc32(chunk as Buffer, sum)
    await giveWay()
  }
  return sum
}
