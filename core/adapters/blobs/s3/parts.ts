import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  UploadPartCommand,
  type CompletedPart,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3'
import { problem } from '../../../errors/errors.ts'
import type { Bucket } from './bucket.ts'
import { sha256Of } from './content-digests.ts'
import { isMissing, isTaken, isUnknownCall } from './s3-errors.ts'

/** Bytes of the smallest part but the last: 5 MiB would do. */
const smallestPart = 8 * 1024 * 1024
const mostParts = 10_000

/** Bytes of each part, so that `size` bytes fit: every daemon cuts an object in the same places. */
export function partSizeFor(size: number): number {
  return Math.max(smallestPart, Math.ceil(size / mostParts))
}

/** Bytes that fit in parts of this size. */
export function mostBytes(partSize: number): number {
  return partSize * mostParts
}

/** A part that the store has. */
export interface SentPart extends CompletedPart {
  readonly PartNumber: number
  /** Bytes. */
  readonly Size: number
  readonly modified: Date
}

/** A multipart upload of an object, invisible until it is completed. */
export class Multipart {
  readonly id: string
  readonly #bucket: Bucket
  readonly #key: string
  readonly #isChecked: boolean

  constructor(bucket: Bucket, key: string, id: string, isChecked: boolean) {
    this.#bucket = bucket
    this.#key = key
    this.id = id
    this.#isChecked = isChecked
  }

  /** @param isChecked whether the store compares checksums */
  static async begin(bucket: Bucket, key: string, isChecked: boolean): Promise<Multipart> {
    const { UploadId } = await bucket.call(() =>
      bucket.client.send(
        new CreateMultipartUploadCommand({
          ...bucket.at(key),
          ...(isChecked && { ChecksumAlgorithm: 'SHA256' }),
        }),
      ),
    )
    if (UploadId === undefined) throw problem('storage_unavailable', { store: 'files' })
    return new Multipart(bucket, key, UploadId, isChecked)
  }

  async send(PartNumber: number, bytes: Buffer): Promise<SentPart> {
    const checksum = this.#isChecked ? { ChecksumSHA256: sha256Of(bytes) } : {}
    const command = new UploadPartCommand({ ...this.#at, PartNumber, Body: bytes, ...checksum })
    const { ETag } = await this.#bucket.call(() => this.#bucket.client.send(command))
    return {
      PartNumber,
      ...(ETag !== undefined && { ETag }),
      ...checksum,
      Size: bytes.length,
      modified: new Date(),
    }
  }

  /** The parts sent, up to the first gap; undefined if the upload is gone. */
  async sent(): Promise<readonly SentPart[] | undefined> {
    const sent: SentPart[] = []
    let PartNumberMarker: string | undefined
    do {
      const command = new ListPartsCommand({ ...this.#at, PartNumberMarker })
      const page = await this.#bucket
        .call(() => this.#bucket.client.send(command))
        .catch(undefinedWhereMissing)
      if (!page) return undefined
      for (const { PartNumber, Size, ETag, ChecksumSHA256, LastModified } of page.Parts ?? []) {
        if (PartNumber !== sent.length + 1 || Size === undefined) return sent
        sent.push({
          PartNumber,
          Size,
          ...(ETag !== undefined && { ETag }),
          ...(ChecksumSHA256 !== undefined && { ChecksumSHA256 }),
          modified: LastModified ?? new Date(),
        })
      }
      PartNumberMarker = page.IsTruncated ? page.NextPartNumberMarker : undefined
    } while (PartNumberMarker !== undefined)
    return sent
  }

  /** Makes the parts the object. Where an answer was lost, that has come to pass already. */
  async complete(sent: readonly SentPart[]): Promise<void> {
    const Parts = sent.map(({ Size, modified, ...part }) => part)
    const command = new CompleteMultipartUploadCommand({ ...this.#at, MultipartUpload: { Parts } })
    try {
      await this.#bucket.call(() => this.#bucket.client.send(command))
    } catch (error) {
      const isThere = (isMissing(error) || isTaken(error)) && (await this.#bucket.head(this.#key))
      if (!isThere)
        throw isMissing(error)
          ? problem('storage_unavailable', { store: 'files', cause: error })
          : error
    }
  }

  /** Removes what was sent. Twice is not an error. */
  async abort(): Promise<void> {
    const command = new AbortMultipartUploadCommand(this.#at)
    await this.#bucket.call(() => this.#bucket.client.send(command)).catch(undefinedWhereMissing)
  }

  get #at() {
    return { ...this.#bucket.at(this.#key), UploadId: this.id }
  }
}

/** Aborts multipart uploads of an object that dead processes left. */
export async function abortParts(bucket: Bucket, key: string): Promise<void> {
  const { Bucket, Key } = bucket.at(key)
  const command = new ListMultipartUploadsCommand({ Bucket, Prefix: Key })
  const { Uploads = [] } = await bucket
    .call(() => bucket.client.send(command))
    .catch(nothingWhereUnknown)
  for (const { Key: found, UploadId } of Uploads) {
    if (found === Key && UploadId !== undefined) {
      await new Multipart(bucket, key, UploadId, false).abort()
    }
  }
}

/** A store that does not tell leaves it to a rule of the bucket. */
function nothingWhereUnknown(error: unknown): Pick<ListMultipartUploadsCommandOutput, 'Uploads'> {
  if (!isUnknownCall(error)) throw error
  return {}
}

function undefinedWhereMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
  return undefined
}
