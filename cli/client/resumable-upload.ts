import { advice } from '../advice.ts'
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import type { FileHandle } from 'node:fs/promises'
import type { FileBody } from '../../core/contract/schemas.ts'
import {
  fieldsOf,
  formatFields,
  isOfFile,
  parseFields,
  type UploadedFile,
  type UploadFields,
} from '../../core/contract/uploads.ts'
import { Failure } from '../failure.ts'
import { ApiFailure } from './api-failure.ts'
import { isFile, isUploadList, type UploadBody } from './bodies.ts'
import type { Connection } from './connection.ts'
import { pathOf } from './mounted-routes.ts'
import type { Digester } from './digester.ts'
import { hashBeginning, sendStream, type OnSent } from './send-file.ts'

/** From this size on, uploads are resumable. Bytes. */
export const resumableBytes = 64 * 1024 * 1024

interface ResumedFile {
  readonly key: string
  /** Bytes. */
  readonly size: number
  /** Modification time: identifies this state of the file. */
  readonly changed: number
  /** Its path on this machine. */
  readonly path: string
}

interface UploadTarget {
  readonly connection: Connection
  /** Identifier of the deposit. */
  readonly id: string
  readonly replace: boolean
}

interface Sent {
  readonly stored: FileBody
  /** SHA-256 in hexadecimal of the whole file. */
  readonly digest: string
}

const tus = { 'tus-resumable': '1.0.0' }

/**
 * Uploads one file by the tus protocol: bytes that have arrived stay on the server, and the next
 * attempt, also of another process, sends the rest.
 *
 * @see https://tus.io/protocols/resumable-upload
 */
export class ResumableUpload {
  readonly #to: UploadTarget
  readonly #file: ResumedFile
  readonly #tried: string

  constructor(to: UploadTarget, file: ResumedFile) {
    this.#to = to
    this.#file = file
    this.#tried = `upload ${file.key}`
  }

  async send(file: FileHandle, digester: Digester, onSent: OnSent): Promise<Sent> {
    const { connection } = this.#to
    const { path, offset } = (await this.#find()) ?? (await this.#begin())
    await hashBeginning(file, offset, digester, onSent)
    const rest = { from: offset, size: this.#file.size }
    const onItsWay = sendStream(file, rest, digester, onSent)
    const response = await connection.send(this.#tried, {
      method: 'PATCH',
      path,
      headers: {
        ...tus,
        'content-type': 'application/offset+octet-stream',
        'content-length': rest.size - rest.from,
        'upload-offset': offset,
      },
      body: onItsWay.write,
    })
    response.resume()
    const named = response.headers['content-location']
    // An upload that is a file already, made by an earlier attempt or by HEAD, does not name it.
    const location = named ?? (offset === this.#file.size ? this.#address() : undefined)
    if (location === undefined) throw unfinished(this.#tried, this.#to.id)
    const stored = await connection.json(this.#tried, isFile, { method: 'GET', path: location })
    return { stored, digest: await onItsWay.digest }
  }

  /**
   * The upload that an earlier attempt has begun. Uploads of other states of this file are deleted
   * if this program began them: another program may upload a file of the same name.
   */
  async #find(): Promise<Place | undefined> {
    const { connection } = this.#to
    const begun = await connection.list(this.#tried, isUploadList, {
      method: 'GET',
      path: this.#list(),
    })
    for (const upload of begun.filter(({ filename }) => filename === this.#file.key)) {
      const found = await this.#look(upload)
      if (!found) continue
      const { path, offset, fields } = found
      const isSame = upload.filesize === this.#file.size && isOfFile(fields, this.#described())
      if (isSame) return { path, offset }
      if (fields['source'] === this.#source())
        await connection.text(this.#tried, { method: 'DELETE', path, headers: tus })
    }
    return undefined
  }

  /**
   * Asks for one upload: the server answers once late bytes of a broken connection have arrived, and
   * an upload whose bytes are all there is a file. Undefined if it cannot become one, or is gone.
   */
  async #look({
    links: { self: path },
  }: UploadBody): Promise<(Place & { fields: UploadFields }) | undefined> {
    const request = { method: 'HEAD', path, headers: tus }
    const response = await this.#to.connection
      .send(this.#tried, request)
      .catch((error: unknown) => {
        if (error instanceof ApiFailure && lost.has(error.problem.status)) return undefined
        throw error
      })
    if (!response) return undefined
    response.resume()
    const { 'upload-offset': offset, 'upload-metadata': metadata } = response.headers
    return { path, offset: Number(offset), fields: parseFields(String(metadata ?? '')) }
  }

  /** Identifies the file on this machine without revealing its path. */
  #source(): string {
    const place = `${hostname()}\n${this.#file.path}`
    return createHash('sha256').update(place).digest('hex').slice(0, 32)
  }

  async #begin(): Promise<Place> {
    const response = await this.#to.connection.send(this.#tried, {
      method: 'POST',
      path: this.#list(),
      headers: {
        ...tus,
        'content-length': 0,
        'upload-length': this.#file.size,
        'upload-metadata': formatFields({
          ...fieldsOf(this.#described()),
          source: this.#source(),
        }),
      },
    })
    response.resume()
    const { location } = response.headers
    if (location === undefined) throw unfinished(this.#tried, this.#to.id)
    return { path: location, offset: 0 }
  }

  #address(): string {
    const { connection, id } = this.#to
    return pathOf(connection.routes.file, { pid_value: id, key: this.#file.key })
  }

  #list(): string {
    const { connection, id } = this.#to
    return pathOf(connection.routes.uploads, { pid_value: id })
  }

  #described(): UploadedFile {
    const { key, changed } = this.#file
    return { key, changed, replace: this.#to.replace }
  }
}

/** Statuses of an upload whose name is taken, whose bytes were not those announced, or that is gone. */
const lost: ReadonlySet<number> = new Set([400, 404, 410])

/** An upload on the server. */
interface Place {
  readonly path: string
  /** Bytes. */
  readonly offset: number
}

function unfinished(tried: string, id: string): Failure {
  return new Failure({
    tried,
    said: 'the server accepted all bytes, but did not name the file',
    next: advice.inTurn(advice.seeFiles(id), advice.runAgain()),
  })
}
