import { open } from 'node:fs/promises'
import type { FileBody } from '../../core/contract/schemas.ts'
import { Failure } from '../failure.ts'
import { isFile } from './bodies.ts'
import type { Connection } from './connection.ts'
import { Digester } from './digester.ts'
import { bufferBytes, sendStream, sendWhole, wholeFileBytes } from './send-file.ts'
import type { OnSent } from './send-file.ts'

/** A file of this machine and the key that it is to have. */
export interface LocalFile {
  readonly path: string
  readonly key: string
  /** Bytes. */
  readonly size: number
}

interface Destination {
  readonly connection: Connection
  /** The deposit's link `bucket`. */
  readonly bucket: string
  /** Makes a new version of a key that is taken, instead of being refused. */
  readonly replace: boolean
}

/** Sends files one after another; several of them work at once. */
export class Uploader implements AsyncDisposable {
  readonly #to: Destination
  readonly #onSent: OnSent
  /** Started for the first large file. */
  #digester: Digester | undefined

  constructor(to: Destination, onSent: OnSent) {
    this.#to = to
    this.#onSent = onSent
  }

  /**
   * Sends `local` and compares its digest with the one that the server computed.
   *
   * @throws {Failure} it was refused, or what arrived is not what was sent
   */
  async upload(local: LocalFile): Promise<FileBody> {
    await using file = await open(local.path)
    const { size } = await file.stat()
    const onItsWay =
      size <= wholeFileBytes
        ? sendWhole(await file.readFile(), this.#onSent)
        : sendStream(file, size, this.#startDigester(), this.#onSent)
    const stored = await this.#put(local, size, onItsWay.write)
    if (stored.checksum === `sha256:${await onItsWay.digest}`) return stored
    throw damaged(local.key)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#digester?.[Symbol.asyncDispose]()
  }

  #startDigester(): Digester {
    this.#digester ??= new Digester(2, bufferBytes)
    return this.#digester
  }

  #put({ key }: LocalFile, size: number, body: OnSentBody): Promise<FileBody> {
    const { connection, bucket, replace } = this.#to
    return connection.json(`upload ${key}`, isFile, {
      method: 'PUT',
      path: `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`,
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': size,
        ...(replace ? {} : { 'if-none-match': '*' }),
      },
      body,
    })
  }
}

type OnSentBody = ReturnType<typeof sendWhole>['write']

function damaged(key: string): Failure {
  return new Failure({
    tried: `upload ${key}`,
    said: 'the digest of what arrived is not that of what was sent',
    next: `delete it (\`deposit rm ID ${key}\`) and send it again`,
  })
}
