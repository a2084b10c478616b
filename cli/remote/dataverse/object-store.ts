import { isPassing, RemoteFailure } from '../port/remote-failure.ts'
import type { RemoteHttp } from '../port/remote-http.ts'
import type { RemoteRequest } from '../port/remote-request.ts'
import type { Outgoing } from '../port/repository.ts'
import { linksOf, objectOf, textOf } from '../port/values.ts'

/** An upload to an object store, as it is noted: what has arrived there is not sent again. */
interface Upload {
  readonly storageIdentifier: string
  /** Addresses of the parts by their numbers; none of an upload in one piece. */
  readonly urls: Readonly<Record<string, string>>
  /** Bytes. */
  readonly partSize: number
  readonly complete: string
  readonly abort: string
  /** Tags of the parts that arrived. */
  readonly tags: Readonly<Record<string, string>>
  /** Requests to put the parts together that were refused. */
  readonly refusals: number
  /** In hexadecimal, once all bytes are there. */
  readonly md5?: string
}

/** An object store may forget an upload whose parts it was to put together. */
const mostRefusals = 3

/** Bytes in an object store, which are no file of a dataset yet. */
export interface StoredBytes {
  readonly storageIdentifier: string
  /** In hexadecimal. */
  readonly md5: string
}

/**
 * The object store behind a Dataverse. Uploads are noted: parts that arrived, and files that were not
 * registered, are not sent again.
 *
 * @see https://guides.dataverse.org/en/latest/developers/s3-direct-upload-api.html
 */
export class ObjectStore {
  readonly #http: RemoteHttp
  /** False once the installation has said so. */
  #isOffered = true

  constructor(http: RemoteHttp) {
    this.#http = http
  }

  /** Undefined where the installation wants files in forms. */
  async send(tried: string, id: string, file: Outgoing): Promise<StoredBytes | undefined> {
    if (!this.#isOffered || file.size === 0) return undefined
    const noted = parseUpload(file.upload.noted())
    const begun = noted ?? (await this.#begin(tried, id, file))
    if (begun === undefined) return undefined
    try {
      return await this.#carryOn(tried, begun, file)
    } catch (error) {
      const status = error instanceof RemoteFailure ? error.status : undefined
      if (!noted || (status !== 403 && status !== 404)) throw error
      // Its addresses were good for a time.
      const again = await this.#begin(tried, id, file)
      if (again === undefined) throw error
      return this.#carryOn(tried, again, file)
    }
  }

  async #begin(tried: string, id: string, file: Outgoing): Promise<Upload | undefined> {
    const query = `persistentId=${encodeURIComponent(id)}&size=${file.size}`
    const path = `/api/datasets/:persistentId/uploadurls?${query}`
    const { status, json } = await this.#http.ask({ tried, method: 'GET', path, expected: [404] })
    if (status === 404) {
      this.#isOffered = false
      return undefined
    }
    const place = objectOf(objectOf(json)['data'])
    const url = textOf(place['url'])
    const upload = {
      storageIdentifier: textOf(place['storageIdentifier']) ?? '',
      urls: url === undefined ? linksOf(place['urls']) : {},
      partSize: Number(place['partSize']),
      complete: textOf(place['complete']) ?? '',
      abort: textOf(place['abort']) ?? '',
      tags: {},
      refusals: 0,
    }
    if (url === undefined) return note(file, upload)
    await this.#put(tried, url, file)
    return note(file, { ...upload, md5: await file.digest() })
  }

  /** Sends what has not arrived. */
  async #carryOn(tried: string, begun: Upload, file: Outgoing): Promise<StoredBytes> {
    const { md5 } = begun
    const { storageIdentifier } = begun
    if (md5 !== undefined) return { storageIdentifier, md5 }
    try {
      const whole = await this.#putParts(tried, begun, file)
      await this.#complete(tried, whole, file)
      const digest = await file.digest()
      await note(file, { ...whole, md5: digest })
      return { storageIdentifier, md5: digest }
    } catch (error) {
      // What passes can be continued, in this run or another.
      if (!(error instanceof RemoteFailure) || isPassing(error)) throw error
      await file.upload.note(undefined)
      await this.#http.ask({ tried, method: 'DELETE', path: begun.abort }).catch(() => {})
      throw error
    }
  }

  async #put(tried: string, url: string, file: Outgoing): Promise<void> {
    const { size, type, open, onSent } = file
    const body = { size, type, open: () => open(), onSent }
    const request: RemoteRequest = { tried, method: 'PUT', path: url, body, isAnonymous: true }
    // An installation may have switched tags off: then its signature does not have the header.
    const headers = { 'x-amz-tagging': 'dv-state=temp' }
    const { status } = await this.#http.ask({ ...request, headers, expected: [403] })
    if (status === 403) await this.#http.ask(request)
  }

  async #putParts(tried: string, begun: Upload, file: Outgoing): Promise<Upload> {
    const { urls, partSize } = begun
    let upload = begun
    for (const [part, url] of Object.entries(urls)) {
      if (upload.tags[part] !== undefined) continue
      const from = (Number(part) - 1) * partSize
      const to = Math.min(from + partSize, file.size)
      const open = () => file.open(from, to)
      const body = { size: to - from, type: file.type, open, onSent: file.onSent }
      const request = { tried, method: 'PUT', path: url, body, isAnonymous: true } as const
      const { headers } = await this.#http.ask(request)
      const tags = { ...upload.tags, [part]: textOf(headers.etag) ?? '' }
      upload = await note(file, { ...upload, tags })
    }
    return upload
  }

  async #complete(tried: string, upload: Upload, file: Outgoing): Promise<void> {
    const { complete: path, tags: json, refusals } = upload
    try {
      await this.#http.ask({ tried, method: 'PUT', path, json })
    } catch (error) {
      const isRefused = error instanceof RemoteFailure && error.status === 500
      const isLast = refusals + 1 >= mostRefusals
      if (isRefused && isLast) await file.upload.note(undefined)
      else if (isRefused) await note(file, { ...upload, refusals: refusals + 1 })
      throw error
    }
  }
}

async function note(file: Outgoing, upload: Upload): Promise<Upload> {
  await file.upload.note(JSON.stringify(upload))
  return upload
}

function parseUpload(text: string | undefined): Upload | undefined {
  if (text === undefined) return undefined
  const { storageIdentifier, urls, partSize, complete, abort, tags, refusals, md5 } = objectOf(
    JSON.parse(text),
  )
  const digest = textOf(md5)
  return {
    storageIdentifier: textOf(storageIdentifier) ?? '',
    urls: linksOf(urls),
    partSize: Number(partSize),
    complete: textOf(complete) ?? '',
    abort: textOf(abort) ?? '',
    tags: linksOf(tags),
    refusals: Number(refusals),
    ...(digest !== undefined && { md5: digest }),
  }
}
