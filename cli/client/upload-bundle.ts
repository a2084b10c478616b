import { randomUUID } from 'node:crypto'
import { routes } from '../../core/contract/routes.ts'
import type { FileBody } from '../../core/contract/schemas.ts'
import { count } from '../output/units.ts'
import { ApiFailure } from './api-failure.ts'
import { isFileList } from './bodies.ts'
import { bundleForm, type BundleForm } from './bundle.ts'
import { pathOf } from './deposit-client.ts'
import { withRetries } from './retry.ts'
import type { OnSent } from './send-file.ts'
import { onlyOnce, requireSame, type Destination, type LocalFile } from './upload-file.ts'

/** A file, and what the server has of it. */
export type Stored = readonly [LocalFile, FileBody]

/** Sends small files, many in one request. */
export class BundleUploader {
  readonly #to: Destination
  readonly #onSent: OnSent
  #isKnown = true

  constructor(to: Destination, onSent: OnSent) {
    this.#to = to
    this.#onSent = onSent
  }

  /**
   * Sends `files`, and compares their digests with those that the server computed. Undefined where
   * the server has refused them, and stored none: each has to be sent alone, and the one that is to
   * blame gets its own answer. An older server refuses all.
   *
   * @throws {Failure} there was no answer, or what arrived is not what was sent
   */
  async upload(files: readonly LocalFile[]): Promise<readonly Stored[] | undefined> {
    if (!this.#isKnown) return undefined
    const { signal } = this.#to.connection
    const form = bundleForm(files)
    const idempotencyKey = randomUUID()
    try {
      const send = () => this.#post(files, form, idempotencyKey)
      const stored = await withRetries({ signal, isRepeatable: true }, send)
      return files.map((file, at) => [file, requireSame(file.key, stored[at], form.digests[at])])
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error
      if (missing.has(error.problem.status)) this.#isKnown = false
      return undefined
    }
  }

  async #post(
    files: readonly LocalFile[],
    { contentType, body }: BundleForm,
    idempotencyKey: string,
  ): Promise<readonly FileBody[]> {
    const { connection, id, replace } = this.#to
    const stored = await connection.json(`upload ${count(files.length, 'file')}`, isFileList, {
      method: 'POST',
      path: pathOf(routes.bundleList, { pid_value: id }),
      headers: {
        'content-type': contentType,
        'content-length': body.length,
        ...onlyOnce(replace, idempotencyKey),
      },
      body: async (request) => void request.end(body),
    })
    for (const { size } of files) this.#onSent(size)
    return stored
  }
}

/** Answers of a server that knows of no bundles. */
const missing: ReadonlySet<number> = new Set([404, 405])
