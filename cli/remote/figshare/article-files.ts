import { setTimeout as wait } from 'node:timers/promises'
import { isPassing, RemoteFailure } from '../port/remote-failure.ts'
import type { RemoteHttp } from '../port/remote-http.ts'
import type { Outgoing, RemoteFile } from '../port/repository.ts'
import { listOf, md5Of, sizeOf, textOf, type Foreign } from '../port/values.ts'

/** Files of a page of a list. */
const pageSize = 100
/** Pages that are asked for: an article takes far fewer files. */
const mostPages = 100
/** A file is looked at again so often until figshare has checked it. */
const mostLooks = 400
const lookMs = { first: 50, longest: 3000 }
const mostAttempts = 5

/** A file and its MD5. */
interface Digested {
  readonly file: Outgoing
  readonly md5: string
}

/**
 * The files of articles. They are sent in parts, and figshare knows which parts it has.
 *
 * @see https://docs.figshare.com/#upload_files
 */
export class ArticleFiles {
  readonly #http: RemoteHttp

  constructor(http: RemoteHttp) {
    this.#http = http
  }

  /**
   * All files of an article, which itself shows the first ten alone.
   *
   * @param article its path
   */
  async list(tried: string, article: string): Promise<readonly Foreign[]> {
    const all: Foreign[] = []
    for (let page = 1; page <= mostPages; page += 1) {
      const path = `${article}/files?page=${page}&page_size=${pageSize}`
      const found = listOf((await this.#http.ask({ tried, method: 'GET', path })).json)
      const isNew = found.some((each) => all.every(({ id: known }) => known !== each['id']))
      if (isNew) all.push(...found)
      if (!isNew || found.length < pageSize) return all
    }
    return all
  }

  async upload(article: string, file: Outgoing): Promise<RemoteFile> {
    const tried = `send ${file.name} to ${this.#http.name}`
    const digested = { file, md5: await file.digest() }
    for (let attempt = 0; ; attempt += 1) {
      try {
        const begun =
          (await this.#findBegun(tried, article, digested)) ??
          (await this.#begin(tried, article, digested))
        return await this.#complete(tried, begun, file)
      } catch (error) {
        if (!(error instanceof RemoteFailure) || attempt >= mostAttempts) throw error
        if (!isPassing(error)) throw error
        await this.#pause(attempt)
      }
    }
  }

  async remove(article: string, { id, name }: Pick<RemoteFile, 'id' | 'name'>): Promise<void> {
    const tried = `delete ${name} on ${this.#http.name}`
    const path = `${article}/files/${encodeURIComponent(id)}`
    await this.#http.ask({ tried, method: 'DELETE', path, expected: [404] })
  }

  /** The address of a file of the same bytes that was begun, or is whole; others of the name go. */
  async #findBegun(
    tried: string,
    article: string,
    { file, md5 }: Digested,
  ): Promise<string | undefined> {
    const named = (await this.list(tried, article)).filter(
      ({ name }) => textOf(name)?.normalize('NFC') === file.name.normalize('NFC'),
    )
    const isSame = (each: Foreign): boolean => {
      const [said, found] = [textOf(each['supplied_md5']), textOf(each['computed_md5'])]
      return each['size'] === file.size && each['status'] !== failed && (found ?? said) === md5
    }
    const best = named.find(isSame)
    for (const other of named.filter((each) => each !== best))
      await this.remove(article, { id: textOf(other['id']) ?? '', name: file.name })
    return best && `${article}/files/${textOf(best['id']) ?? ''}`
  }

  async #begin(tried: string, article: string, { file, md5 }: Digested): Promise<string> {
    const json = { name: file.name, size: file.size, md5 }
    const path = `${article}/files`
    const { location } = await this.#http.json({ tried, method: 'POST', path, json })
    return textOf(location) ?? ''
  }

  /** Sends the parts that are missing, and waits until figshare has checked the whole. */
  async #complete(tried: string, at: string, file: Outgoing): Promise<RemoteFile> {
    const own = await this.#http.json({ tried, method: 'GET', path: at })
    if (own['status'] === 'created') {
      await this.#sendParts(tried, textOf(own['upload_url']) ?? '', file)
      await this.#http.ask({ tried, method: 'POST', path: at, isRepeatable: true, expected: [400] })
    }
    for (let look = 0; look < mostLooks; look += 1) {
      const now = await this.#http.json({ tried, method: 'GET', path: at })
      if (now['status'] === 'available' || now['status'] === failed) return toFile(now)
      // Not all parts arrived.
      if (now['status'] === 'created') throw this.#late(tried)
      await this.#pause(look)
    }
    throw this.#late(tried)
  }

  async #sendParts(tried: string, place: string, file: Outgoing): Promise<void> {
    const { parts } = await this.#http.json({ tried, method: 'GET', path: place })
    for (const { partNo, startOffset, endOffset, status } of listOf(parts)) {
      if (status === 'COMPLETE') continue
      const [from, to] = [Number(startOffset), Number(endOffset) + 1]
      const open = () => file.open(from, to)
      const type = 'application/octet-stream'
      const body = { size: to - from, type, open, onSent: file.onSent }
      const path = `${place}/${String(partNo)}`
      // 409: an earlier request still has it.
      const request = { tried, method: 'PUT', path, body, expected: [409] } as const
      for (let look = 0; (await this.#http.ask(request)).status === 409; look += 1) {
        if (look >= mostAttempts) throw this.#late(tried)
        await this.#pause(look)
      }
    }
  }

  #late(tried: string): RemoteFailure {
    return new RemoteFailure(tried, this.#http.remote, undefined, {
      said: 'it has not taken the whole file',
    })
  }

  #pause(look: number): Promise<void> {
    const ms = Math.min(lookMs.first * 2 ** look, lookMs.longest)
    return wait(ms, undefined, { signal: this.#http.signal })
  }
}

/** The status of a file whose bytes are not those that were announced. */
const failed = 'ic_failure'

export function toFile(file: Foreign): RemoteFile {
  return {
    id: textOf(file['id']) ?? '',
    name: textOf(file['name']) ?? '',
    size: sizeOf(file['size']),
    md5: md5Of(file['computed_md5']),
    isWhole: file['status'] === 'available',
    url: textOf(file['download_url']) ?? '',
  }
}
