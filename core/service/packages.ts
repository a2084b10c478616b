import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { giveWay } from '../base/turns.ts'
import type { Blob, BlobId, DepositFile } from '../files/file.ts'
import { Archive, type ArchiveFile } from '../packages/archive.ts'
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

/** Changes whenever the same record is written with other bytes. */
const writer = 'zip1'

/** Sums that are stored together at most. */
const batchSize = 200

/** All files of a record as a ZIP archive, stored as they are. */
export function packZip(parts: Parts, packed: Packed): Package {
  const { id, revision, created, files } = packed
  const folder: ArchiveFile = { name: `${id}/`, size: 0 }
  const entries = files.map(({ key, latest }): ArchiveFile => {
    return { name: `${id}/${key}`, size: latest.blob.size }
  })
  const versionAt = (index: number) => {
    const file = files[index - 1]
    if (!file) throw new RangeError(`a package has no file ${index}`)
    return file.latest
  }
  const sums = new Checksums(parts, files)
  const archive = new Archive([folder, ...entries], created, {
    crc32: (index) => sums.of(versionAt(index).blob),
    read: (index, range) => {
      const { blob } = versionAt(index)
      const isWhole = range.start === 0 && range.end === blob.size - 1
      return readVersion(parts, versionAt(index), isWhole ? undefined : range)
    },
  })
  const read = async function* (range?: ByteRange): AsyncIterable<Buffer> {
    try {
      yield* archive.read(range)
    } finally {
      await sums.store()
    }
  }
  return {
    filename: `${id}.zip`,
    size: archive.length,
    etag: `"${revision}-${writer}-${digestOf(packed)}"`,
    read: (range) => Readable.from(read(range), { objectMode: false }),
  }
}

function digestOf({ id, created, files }: Packed): string {
  const hash = createHash('sha256').update(JSON.stringify([id, created]))
  for (const { key, latest } of files) hash.update(JSON.stringify([key, latest.blob.sha256]))
  return hash.digest('hex').slice(0, 32)
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
    if (this.#unstored.size >= batchSize) await this.store()
    return sum
  }

  async #compute(blob: Blob): Promise<number> {
    let sum = 0
    for await (const chunk of await this.#parts.blobs.readWhole(blob)) {
      sum = crc32(chunk as Buffer, sum)
      await giveWay()
    }
    return sum
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
