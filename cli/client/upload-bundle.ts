import { randomUUID } from 'node:crypto'
import type { FileBody } from '../../core/contract/schemas.ts'
import { count } from '../output/units.ts'
import { ApiFailure } from './api-failure.ts'
import { isFileList } from './bodies.ts'
import { bundleForm, type BundleForm } from './bundle.ts'
import { withRetries } from './retry.ts'
import type { OnSent } from './send-file.ts'
import { onlyOnce, requireSame, type Destination, type LocalFile } from './upload-file.ts'

/** A file, and what the server has of it. */
export type Stored = readonly [LocalFile, FileBody]

/** Sends small files, many in one request. */
export class BundleUploader {
  readonly #to: Destination
  readonly #onSent: OnSent

  constructor(to: Destination, onSent: OnSent) {
    this.#to = to
    this.#onSent = onSent
  }

  /**
   * Sends `files`, and compares their digests with those that the server computed. Undefined where
   * the server has refused them, and stored none: each has to be sent alone, and the one that is to
   * blame gets its own answer.
   *
   * @throws {Failure} there was no answer, or what arrived is not what was sent
   */
  async upload(files: readonly LocalFile[]): Promise<readonly Stored[] | undefined> {
    const { connection, bundles } = this.#to
    if (bundles === undefined) return undefined
    const form = bundleForm(files)
    const idempotencyKey = randomUUID()
    try {
      const send = () => this.#post(bundles, form, idempotencyKey)
      const stored = await withRetries(connection.patience(true), send)
      for (const { size } of files) this.#onSent(size)
      return files.map((file, at) => [
        file,
        requireSame(this.#to.id, file.key, stored[at], form.digests[at]),
      ])
    } catch (error) {
      if (error instanceof ApiFailure) return undefined
      throw error
    }
  }

  #post(
    path: string,
    { contentType, body, digests }: BundleForm,
    idempotencyKey: string,
  ): Promise<readonly FileBody[]> {
    const { connection, replace } = this.#to
    return connection.json(`upload ${count(digests.length, 'file')}`, isFileList, {
      method: 'POST',
      path,
      headers: {
        'content-type': contentType,
        'content-length': body.length,
        ...onlyOnce(replace, idempotencyKey),
      },
      body: async (request) => void request.end(body),
    })
  }
}
