import { advice, type Advice } from '../advice.ts'
import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { ProblemCode } from '../../core/contract/problems.ts'
import type { FileBody } from '../../core/contract/schemas.ts'
import { Failure } from '../failure.ts'
import { fileDigest, smallFileBytes } from './file-digest.ts'
import { ApiFailure } from './api-failure.ts'
import { isWithoutRoomForAnswer, onlyOnce } from './idempotency-keys.ts'
import { isFile } from './bodies.ts'
import type { Connection } from './connection.ts'
import { pathOf } from './mounted-routes.ts'
import { Digester, type DigestThread } from './digester.ts'
import { resumableBytes, ResumableUpload } from './resumable-upload.ts'
import { withRetries } from './retry.ts'
import {
  bufferBytes,
  sendStream,
  sendWhole,
  wholeFileBytes,
  type FileOnItsWay,
  type OnSent,
} from './send-file.ts'

/** A local file and its key in the deposit. */
export interface LocalFile {
  readonly path: string
  readonly key: string
  /** Bytes. */
  readonly size: number
  /** Of the file that was listed: it may be another one by now, or a link to one. */
  readonly inode?: number | undefined
  /** Of a file in an archive, which is unpacked before it is sent; its path only names it. */
  readonly packed?: PackedSource | undefined
}

/** Where a file lies that is in no folder. */
export interface PackedSource {
  /** The path of the archive. */
  readonly archive: string
  /** Its path there, and its bytes. */
  readonly file: { readonly path: string; readonly size: number }
  /** As the server writes it. */
  readonly digest: string
}

export interface Destination {
  readonly connection: Connection
  /** Identifier of the deposit. */
  readonly id: string
  /** The deposit's link `bucket`. */
  readonly bucket: string
  /** Its link `bundles`; an older server has none. */
  readonly bundles: string | undefined
  /** Makes a new version of a key that is taken. */
  readonly replace: boolean
}

/** Sends files one after another; several of them work at once. */
export class Uploader {
  readonly #to: Destination
  readonly #thread: DigestThread
  readonly #onSent: OnSent
  /** Made for the first large file. */
  #digester: Digester | undefined

  constructor(to: Destination, thread: DigestThread, onSent: OnSent) {
    this.#to = to
    this.#thread = thread
    this.#onSent = onSent
  }

  /**
   * Sends `local` and compares its digest with that of the server. Retries temporary failures,
   * unless the file has arrived.
   *
   * @throws {Failure} it was refused, or what arrived is not what was sent
   */
  async upload(local: LocalFile): Promise<FileBody> {
    let idempotencyKey: string | undefined = randomUUID()
    return withRetries(this.#to.connection.patience(true), async (attempt) => {
      const arrived = attempt === 0 ? undefined : await this.#findArrived(local)
      if (arrived !== undefined) return arrived
      try {
        return await this.#uploadOnce(local, idempotencyKey)
      } catch (error) {
        if (!isWithoutRoomForAnswer(error)) throw error
        // A further attempt looks first whether the file has arrived, so it needs no key.
        idempotencyKey = undefined
        return this.#uploadOnce(local, idempotencyKey)
      }
    }).catch((error: unknown) => this.#settleTaken(local, error))
  }

  async #uploadOnce(local: LocalFile, idempotencyKey: string | undefined): Promise<FileBody> {
    let sent = 0
    const onSent: OnSent = (bytes) => {
      sent += bytes
      this.#onSent(bytes)
    }
    try {
      return await this.#send(local, idempotencyKey, onSent)
    } catch (error) {
      this.#onSent(-sent)
      // It may hold part of a file that was not finished.
      this.#digester?.forget()
      throw error
    }
  }

  async #send(
    local: LocalFile,
    idempotencyKey: string | undefined,
    onSent: OnSent,
  ): Promise<FileBody> {
    if (local.size <= smallFileBytes)
      return this.#put(local, sendWhole(readListed(local), onSent), idempotencyKey)
    await using file = await open(local.path)
    const before = await file.stat()
    requireListed(local, before)
    const { size, mtimeMs } = before
    const stored =
      size >= resumableBytes
        ? await this.#resume(local, file, { size, mtimeMs }, onSent)
        : await this.#put(local, await this.#begin(file, size, onSent), idempotencyKey)
    this.#requireUnchanged(local, before, await file.stat())
    return stored
  }

  /** @throws {Failure} what was sent may be a file that never was */
  #requireUnchanged({ key }: LocalFile, before: Stats, after: Stats): void {
    if (after.size === before.size && after.mtimeMs === before.mtimeMs) return
    throw changed(key, 'while it was sent', advice.sendAgain(this.#to.id, key))
  }

  async #begin(file: FileHandle, size: number, onSent: OnSent): Promise<FileOnItsWay> {
    if (size <= wholeFileBytes) return sendWhole(await file.readFile(), onSent)
    return sendStream(file, { from: 0, size }, this.#useDigester(), onSent)
  }

  async #resume(
    { key, path }: LocalFile,
    file: FileHandle,
    { size, mtimeMs }: { readonly size: number; readonly mtimeMs: number },
    onSent: OnSent,
  ): Promise<FileBody> {
    const upload = new ResumableUpload(this.#to, { key, size, changed: mtimeMs, path })
    const { stored, digest } = await upload.send(file, this.#useDigester(), onSent)
    return requireSame(this.#to.id, key, stored, digest)
  }

  /** An interrupted command before this one may have uploaded the same file. */
  async #settleTaken(local: LocalFile, error: unknown): Promise<FileBody> {
    const isTaken = error instanceof ApiFailure && takenCodes.has(error.problem.code)
    const arrived = isTaken ? await this.#findArrived(local) : undefined
    if (arrived === undefined) throw error
    return arrived
  }

  /** Only the answer to an earlier attempt may have been lost. */
  async #findArrived(local: LocalFile): Promise<FileBody | undefined> {
    const { key } = local
    const { connection, id } = this.#to
    const request = { method: 'GET', path: pathOf(connection.routes.file, { pid_value: id, key }) }
    try {
      const stored = await connection.json(`upload ${key}`, isFile, request)
      return stored.checksum === (await fileDigest(local)) ? stored : undefined
    } catch (error) {
      if (error instanceof ApiFailure && error.problem.status === 404) return undefined
      throw error
    }
  }

  #useDigester(): Digester {
    this.#digester ??= new Digester(this.#thread, 2, bufferBytes)
    return this.#digester
  }

  async #put(
    { key }: LocalFile,
    { size, write, digest }: FileOnItsWay,
    idempotencyKey: string | undefined,
  ): Promise<FileBody> {
    const { connection, bucket, replace } = this.#to
    const stored = await connection.json(`upload ${key}`, isFile, {
      method: 'PUT',
      path: `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`,
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': size,
        ...onlyOnce(replace, idempotencyKey),
      },
      body: write,
    })
    return requireSame(this.#to.id, key, stored, await digest)
  }
}

/**
 * Reads a small file.
 *
 * @throws {Failure} it is not the file that was listed
 */
export function readListed(local: LocalFile): Buffer {
  const file = openSync(local.path, 'r')
  try {
    requireListed(local, fstatSync(file))
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

function requireListed({ key, size, inode, packed }: LocalFile, found: Stats): void {
  const isSame = found.size === size && (inode === undefined || found.ino === inode)
  // Nothing of it was sent.
  if (!isSame && packed === undefined)
    throw changed(key, 'since it was listed', advice.sendSettled())
}

function changed(key: string, when: string, next: Advice): Failure {
  return new Failure({ tried: `upload ${key}`, said: `the file was changed ${when}`, next })
}

/** Codes for a key that is taken, from resumable uploads and from `If-None-Match: *`. */
const takenCodes: ReadonlySet<string> = new Set<ProblemCode>([
  'file_already_exists',
  'precondition_failed',
])

/** @throws {Failure} what arrived is not what was sent */
export function requireSame(
  id: string,
  key: string,
  stored: FileBody | undefined,
  digest: string | undefined,
): FileBody {
  if (stored?.checksum === `sha256:${digest}`) return stored
  throw new Failure({
    tried: `upload ${key}`,
    said: 'the digest at the server differs from that of the file',
    next: advice.sendAgain(id, key),
  })
}
