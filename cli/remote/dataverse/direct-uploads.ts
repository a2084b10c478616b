import { RemoteFailure } from '../port/remote-failure.ts'
import type { RemoteHttp } from '../port/remote-http.ts'
import type { RemoteRequest } from '../port/remote-request.ts'
import type { Outgoing, RemoteFile } from '../port/repository.ts'
import { linksOf, listOf, objectOf, textOf, type Foreign } from '../port/values.ts'
import type { FileDetails } from './file-details.ts'

interface Sent {
  readonly name: string
  readonly details: Foreign
}

/**
 * Files that go straight to the object store behind a Dataverse, and are registered afterwards: all
 * in one request, for each takes longer the more there are.
 *
 * @see https://guides.dataverse.org/en/latest/developers/s3-direct-upload-api.html
 */
export class DirectUploads {
  readonly #http: RemoteHttp
  readonly #sent = new Map<string, Sent>()
  /** False once the installation has said so. */
  #isOffered = true

  constructor(http: RemoteHttp) {
    this.#http = http
  }

  /** Undefined where the installation wants files in forms. */
  async send(
    tried: string,
    id: string,
    { file, about }: { readonly file: Outgoing; readonly about: FileDetails },
  ): Promise<RemoteFile | undefined> {
    if (!this.#isOffered || file.size === 0) return undefined
    const query = `persistentId=${encodeURIComponent(id)}&size=${file.size}`
    const path = `/api/datasets/:persistentId/uploadurls?${query}`
    const { status, json } = await this.#http.ask({ tried, method: 'GET', path, expected: [404] })
    if (status === 404) {
      this.#isOffered = false
      return undefined
    }
    const place = objectOf(objectOf(json)['data'])
    const urls = linksOf(place['urls'])
    const url = textOf(place['url'])
    if (url !== undefined) await this.#put(tried, url, file)
    else await this.#putParts(tried, { urls, place }, file)
    const value = await file.digest()
    const storageIdentifier = textOf(place['storageIdentifier']) ?? ''
    const checksum = { '@type': 'MD5', '@value': value }
    this.#sent.set(storageIdentifier, {
      name: file.name,
      details: { ...about, storageIdentifier, checksum },
    })
    return { id: storageIdentifier, name: file.name, size: file.size, md5: value, isWhole: true }
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

  async #putParts(
    tried: string,
    { urls, place }: { readonly urls: Readonly<Record<string, string>>; readonly place: Foreign },
    file: Outgoing,
  ): Promise<void> {
    const partSize = Number(place['partSize'])
    const tags: Record<string, string> = {}
    try {
      for (const [part, url] of Object.entries(urls)) {
        const from = (Number(part) - 1) * partSize
        const to = Math.min(from + partSize, file.size)
        const open = () => file.open(from, to)
        const body = { size: to - from, type: file.type, open, onSent: file.onSent }
        const request = { tried, method: 'PUT', path: url, body, isAnonymous: true } as const
        const { headers } = await this.#http.ask(request)
        tags[part] = textOf(headers.etag) ?? ''
      }
      const path = textOf(place['complete']) ?? ''
      await this.#http.ask({ tried, method: 'PUT', path, json: tags })
    } catch (error) {
      const path = textOf(place['abort']) ?? ''
      await this.#http.ask({ tried, method: 'DELETE', path }).catch(() => {})
      throw error
    }
  }

  /** True for a file that was sent and is not registered: nobody has to delete it. */
  forget({ id }: RemoteFile): boolean {
    return this.#sent.delete(id)
  }

  /**
   * Registers all that was sent.
   *
   * @param list the files that the dataset has
   * @throws {RemoteFailure} it refused one
   */
  async register(
    id: string,
    list: (tried: string) => Promise<readonly RemoteFile[]>,
  ): Promise<void> {
    const tried = `add the files to ${id} on ${this.#http.name}`
    for (let attempt = 0; this.#sent.size > 0; attempt += 1) {
      const there = new Map((await list(tried)).map((file) => [file.name, file]))
      for (const [key, { name, details }] of this.#sent) {
        const found = there.get(name)
        if (found === undefined) continue
        // It was registered, and the answer was lost; or it is an older file of the name.
        const md5 = textOf(objectOf(details['checksum'])['@value'])
        if (found.md5 === md5 && found.isWhole) this.#sent.delete(key)
        else await this.#delete(tried, found)
      }
      if (this.#sent.size === 0) return
      try {
        await this.#addAll(tried, id)
        this.#sent.clear()
      } catch (error) {
        const status = error instanceof RemoteFailure ? error.status : 0
        const passes = status === undefined || status === 429 || status >= 500
        if (!passes || attempt >= mostAttempts) throw error
      }
    }
  }

  async #addAll(tried: string, id: string): Promise<void> {
    const list = [...this.#sent.values()].map(({ details }) => details)
    const boundary = 'deposit-registers-what-it-sent'
    const text = `--${boundary}\r\nContent-Disposition: form-data; name="jsonData"\r\n\r\n${JSON.stringify(list)}\r\n--${boundary}--\r\n`
    const bytes = Buffer.from(text)
    const { Readable } = await import('node:stream')
    const body = {
      size: bytes.length,
      type: `multipart/form-data; boundary=${boundary}`,
      open: async () => Readable.from([bytes]),
    }
    const path = `/api/datasets/:persistentId/addFiles?persistentId=${encodeURIComponent(id)}`
    const { data } = await this.#http.json({ tried, method: 'POST', path, body })
    const faults = listOf(objectOf(data)['Files']).flatMap(
      ({ errorMessage }) => textOf(errorMessage) ?? [],
    )
    if (faults.length === 0) return
    throw new RemoteFailure(tried, this.#http.remote, { status: 400, message: faults.join(' ') })
  }

  async #delete(tried: string, { id }: RemoteFile): Promise<void> {
    const path = `/api/files/${encodeURIComponent(id)}`
    await this.#http.ask({ tried, method: 'DELETE', path, expected: [404] })
  }
}

const mostAttempts = 5
