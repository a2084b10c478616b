import { DataStore, Upload } from '@tus/utils'
import type { Readable } from 'node:stream'
import {
  parseBlobId,
  UploadNotFound,
  type BlobId,
  type DepositFile,
  type Changed,
  type FileRequest,
  type Uploads,
} from '../../core/index.ts'
import { parseNewUpload } from './upload-metadata.ts'

/** What a request to the uploads of a deposit brings along. */
export interface UploadRequest {
  readonly asked: FileRequest
  /** The bytes as they come from the network: the protocol's own path for them is a slow one. */
  readonly body: Readable
  /** Aborted when a later request takes the upload over. */
  readonly signal: AbortSignal
}

/**
 * The uploads of one deposit as the protocol's server knows a store, for one request. Bytes go
 * straight from the request to the blob store.
 *
 * @see https://tus.io/protocols/resumable-upload
 */
export class DepositStore extends DataStore {
  override extensions = ['creation', 'creation-with-upload', 'expiration', 'termination']
  /** The file that the last bytes have become, where this request brought them. */
  finished: Changed<DepositFile> | undefined
  readonly #uploads: Uploads
  readonly #request: UploadRequest
  readonly #expiryMs: number

  constructor(uploads: Uploads, request: UploadRequest, expiryMs: number) {
    super()
    this.#uploads = uploads
    this.#request = request
    this.#expiryMs = expiryMs
  }

  override getExpiration(): number {
    return this.#expiryMs
  }

  /** The id is the core's, not the one the protocol's server has made up. */
  override async create(file: Upload): Promise<Upload> {
    const { asked } = this.#request
    const { id, created, size } = await this.#uploads.begin(asked, parseNewUpload(file))
    file.id = id
    file.creation_date = created
    if (size === 0) await this.#append(id, 0)
    return file
  }

  override async write(_bytes: Readable, id: string, offset: number): Promise<number> {
    return this.#append(id, offset)
  }

  /**
   * Whether it has expired the core has said by then. The protocol's server looks once more, at the
   * clock alone: so it is told that bytes come now, which is what it counts from in its answer.
   */
  override async getUpload(id: string): Promise<Upload> {
    const { upload, offset } = await this.#uploads.find(this.#request.asked, uploadId(id))
    const { size, metadata } = upload
    return new Upload({ id, size, offset, metadata, creation_date: new Date().toISOString() })
  }

  override async remove(id: string): Promise<void> {
    await this.#uploads.abort(this.#request.asked, uploadId(id))
  }

  async #append(id: string, offset: number): Promise<number> {
    const { asked, body, signal } = this.#request
    const appended = await this.#uploads.append(asked, uploadId(id), body, { offset, signal })
    this.finished ??= appended.finished
    return appended.offset
  }
}

function uploadId(text: string): BlobId {
  const id = parseBlobId(text)
  if (!id) throw new UploadNotFound()
  return id
}
