import { randomUUID, hash } from 'node:crypto'
import type { FileBody } from '../../core/contract/schemas.ts'
import { count } from '../output/units.ts'
import { ApiFailure } from './api-failure.ts'
import { isFileList } from './bodies.ts'
import { withRetries } from './retry.ts'
import type { OnSent } from './send-file.ts'
import { readListed, requireSame, type Destination, type LocalFile } from './upload-file.ts'
import { onlyOnce } from './idempotency-keys.ts'
import { maxBundledBytes, maxBundleFiles } from '../../core/contract/uploads.ts'

/** Limit of the files in a bundle, which is sent again whole when a connection breaks. Bytes. */
const bundleBytes = 1024 * 1024

/** Files sent in bundles, and files sent alone. */
interface Loads {
  readonly bundles: readonly (readonly LocalFile[])[]
  readonly single: readonly LocalFile[]
}

/** Groups small files in their order. A single file is not bundled. */
export function toLoads(files: readonly LocalFile[]): Loads {
  const [large, small] = [files.filter(isLarge), files.filter((file) => !isLarge(file))]
  const bundles = fill(small)
  const alone = bundles.filter(({ length }) => length === 1).flat()
  return { bundles: bundles.filter(({ length }) => length > 1), single: [...large, ...alone] }
}

function isLarge({ size }: LocalFile): boolean {
  return size > maxBundledBytes
}

function fill(files: readonly LocalFile[]): readonly (readonly LocalFile[])[] {
  const bundles: LocalFile[][] = []
  let room = 0
  for (const file of files) {
    const last = bundles.at(-1)
    if (last && last.length < maxBundleFiles && file.size <= room) {
      last.push(file)
      room -= file.size
    } else {
      bundles.push([file])
      room = bundleBytes - file.size
    }
  }
  return bundles
}

/** A form as it is sent. */
interface BundleForm {
  readonly contentType: string
  readonly body: Buffer
  /** SHA-256 in hexadecimal of each file. */
  readonly digests: readonly string[]
}

/** Reads files into a form. @see RFC 7578 */
function bundleForm(files: readonly LocalFile[]): BundleForm {
  const boundary = `deposit-${randomUUID()}`
  const digests: string[] = []
  const pieces: Buffer[] = []
  for (const file of files) {
    const { key } = file
    const bytes = readListed(file)
    digests.push(hash('sha256', bytes))
    pieces.push(headOf(boundary, key), bytes)
  }
  pieces.push(Buffer.from(`\r\n--${boundary}--\r\n`))
  const contentType = `multipart/form-data; boundary=${boundary}`
  return { contentType, body: Buffer.concat(pieces), digests }
}

/** A key has no control characters and no backslash. */
function headOf(boundary: string, key: string): Buffer {
  const name = key.replaceAll('"', String.raw`\"`)
  const disposition = `form-data; name="file"; filename="${name}"`
  return Buffer.from(`\r\n--${boundary}\r\nContent-Disposition: ${disposition}\r\n\r\n`)
}

/** A file, and its body as the server stored it. */
type Stored = readonly [LocalFile, FileBody]

/** Sends small files, many in one request. */
export class BundleUploader {
  readonly #to: Destination
  readonly #onSent: OnSent

  constructor(to: Destination, onSent: OnSent) {
    this.#to = to
    this.#onSent = onSent
  }

  /**
   * Sends `files` and compares their digests with those of the server. Undefined if the server
   * refused the bundle and stored none of it: send each file alone, so that the one at fault gets
   * its own answer.
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
