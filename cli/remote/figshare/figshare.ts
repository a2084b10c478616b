import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { isPassing, RemoteFailure } from '../port/remote-failure.ts'
import type { RemoteHttp } from '../port/remote-http.ts'
import type {
  Copy,
  Limits,
  Outgoing,
  RemoteFile,
  Repository,
  Translation,
  Work,
} from '../port/repository.ts'
import { listOf, md5Of, objectOf, textOf, type Foreign } from '../port/values.ts'
import { fromFigshare, markerOf } from './read-article.ts'
import { translateForFigshare, type Vocabularies } from './translate.ts'

const articles = '/v2/account/articles'
/** Files of a page of a list. */
const pageSize = 100
/** Files that an article itself shows. */
const mostShown = 10
/** A file is looked at again so often until figshare has checked it. */
const mostLooks = 400
const lookMs = { first: 50, longest: 3000 }
const mostAttempts = 5

/**
 * figshare's interface of articles. Files are sent in parts, and parts that arrived are not sent again.
 *
 * @see https://docs.figshare.com/
 */
export class Figshare implements Repository {
  readonly limits: Limits = {
    hasFolders: false,
    takesEmptyFiles: false,
    mostFiles: 500,
    // Of an account without an institution.
    largestFile: 20e9,
    mostBytes: 20e9,
    longestName: 255,
    parallel: 2,
  }
  readonly #http: RemoteHttp
  readonly #known: Vocabularies
  readonly #group: string | undefined

  private constructor(http: RemoteHttp, known: Vocabularies, group: string | undefined) {
    this.#http = http
    this.#known = known
    this.#group = group
  }

  /** Asks for the licenses and categories that there are. */
  static async open(http: RemoteHttp, group: string | undefined): Promise<Figshare> {
    const list = async (path: string): Promise<readonly Foreign[]> => {
      const { json } = await http.ask({
        tried: `read ${path} of ${http.name}`,
        method: 'GET',
        path,
      })
      return listOf(json)
    }
    const licenses = await list('/v2/account/licenses')
    return new Figshare(http, { licenses, categories: await list('/v2/categories') }, group)
  }

  async whoAmI(): Promise<string> {
    const tried = `use the token for ${this.#http.name}`
    const me = await this.#http.json({ tried, method: 'GET', path: '/v2/account' })
    const name = [textOf(me['first_name']), textOf(me['last_name'])].filter(Boolean).join(' ')
    return `the token is good, of ${name === '' ? (textOf(me['email']) ?? 'an account') : name}`
  }

  translate(work: Work): Translation {
    return translateForFigshare(work, this.#known, this.#group)
  }

  async find(marker: string): Promise<Copy | undefined> {
    const tried = `look for the draft on ${this.#http.name}`
    const path = `${articles}/search`
    const json = { search_for: `"${marker}"`, page: 1, page_size: pageSize }
    const found = await this.#http.ask({ tried, method: 'POST', path, json, isRepeatable: true })
    for (const { id } of listOf(found.json)) {
      const copy = await this.read(textOf(id) ?? '')
      if (copy?.marker === marker) return copy
    }
    return undefined
  }

  /** An article is published when what is public has the same marker and files. */
  async read(id: string): Promise<Copy | undefined> {
    const own = await this.#articleAt(id, `${articles}/${encodeURIComponent(id)}`)
    if (own === undefined) return undefined
    const copy = toCopy(own, 'draft')
    if (own['is_public'] !== true) return copy
    const open = await this.#articleAt(id, `/v2/articles/${encodeURIComponent(id)}`)
    const isSame = open !== undefined && isSameState(copy, toCopy(open, 'published'))
    return isSame ? { ...copy, status: 'published', url: urlOf(open) } : copy
  }

  async create({ metadata }: Translation): Promise<Copy> {
    const tried = `make a draft on ${this.#http.name}`
    const answer = await this.#http.json({ tried, method: 'POST', path: articles, json: metadata })
    const [id = ''] = /\d+$/.exec(textOf(answer['location']) ?? '') ?? []
    return this.#readMade(tried, textOf(answer['entity_id']) ?? id)
  }

  /** A version is made of what changed since the last one. */
  async openVersion(id: string): Promise<Copy> {
    const tried = `begin a new version of ${id} on ${this.#http.name}`
    return { ...(await this.#readMade(tried, id)), status: 'draft' }
  }

  async describe({ id }: Copy, { metadata }: Translation): Promise<Copy> {
    const tried = `set the metadata of ${id} on ${this.#http.name}`
    const path = `${articles}/${encodeURIComponent(id)}`
    await this.#http.ask({ tried, method: 'PUT', path, json: metadata })
    return { ...(await this.#readMade(tried, id)), status: 'draft' }
  }

  async upload({ id }: Copy, file: Outgoing): Promise<RemoteFile> {
    const tried = `send ${file.name} to ${this.#http.name}`
    const md5 = await file.digest()
    for (let attempt = 0; ; attempt += 1) {
      try {
        const begun =
          (await this.#findBegun(tried, id, { file, md5 })) ??
          (await this.#begin(tried, id, { file, md5 }))
        return await this.#complete(tried, begun, file)
      } catch (error) {
        if (!(error instanceof RemoteFailure) || attempt >= mostAttempts) throw error
        if (!isPassing(error)) throw error
        await this.#pause(attempt)
      }
    }
  }

  /** The address of a file of the same bytes that was begun, or is whole; others of the name go. */
  async #findBegun(
    tried: string,
    id: string,
    { file, md5 }: { readonly file: Outgoing; readonly md5: string },
  ): Promise<string | undefined> {
    const all = await this.#filesOf(tried, `${articles}/${id}`)
    const named = all.filter(
      ({ name }) => textOf(name)?.normalize('NFC') === file.name.normalize('NFC'),
    )
    const isSame = (each: Foreign): boolean => {
      const [said, found] = [textOf(each['supplied_md5']), textOf(each['computed_md5'])]
      return (
        each['size'] === file.size && each['status'] !== 'ic_failure' && (found ?? said) === md5
      )
    }
    const best = named.find(isSame)
    for (const other of named.filter((each) => each !== best))
      await this.#delete(tried, id, textOf(other['id']) ?? '')
    return best && `${articles}/${id}/files/${textOf(best['id']) ?? ''}`
  }

  async #begin(
    tried: string,
    id: string,
    { file, md5 }: { readonly file: Outgoing; readonly md5: string },
  ): Promise<string> {
    const json = { name: file.name, size: file.size, md5 }
    const path = `${articles}/${id}/files`
    const { location } = await this.#http.json({ tried, method: 'POST', path, json })
    return textOf(location) ?? ''
  }

  /** Sends the parts that are missing, and waits until figshare has checked the whole. */
  async #complete(tried: string, at: string, file: Outgoing): Promise<RemoteFile> {
    const own = await this.#http.json({ tried, method: 'GET', path: at })
    if (own['status'] === 'created') {
      const place = textOf(own['upload_url']) ?? ''
      const { parts } = await this.#http.json({ tried, method: 'GET', path: place })
      for (const { partNo, startOffset, endOffset, status } of listOf(parts)) {
        if (status === 'COMPLETE') continue
        const [from, to] = [Number(startOffset), Number(endOffset) + 1]
        const open = () => file.open(from, to)
        const body = {
          size: to - from,
          type: 'application/octet-stream',
          open,
          onSent: file.onSent,
        }
        const path = `${place}/${String(partNo)}`
        // 409: an earlier request still has it.
        const request = { tried, method: 'PUT', path, body, expected: [409] } as const
        for (let look = 0; (await this.#http.ask(request)).status === 409; look += 1) {
          if (look >= mostAttempts) throw this.#late(tried)
          await this.#pause(look)
        }
      }
      await this.#http.ask({ tried, method: 'POST', path: at, isRepeatable: true, expected: [400] })
    }
    for (let look = 0; look < mostLooks; look += 1) {
      const now = await this.#http.json({ tried, method: 'GET', path: at })
      if (now['status'] === 'available' || now['status'] === 'ic_failure') return toFile(now)
      // Not all parts arrived.
      if (now['status'] === 'created') throw this.#late(tried)
      await this.#pause(look)
    }
    throw this.#late(tried)
  }

  #late(tried: string): RemoteFailure {
    return new RemoteFailure(tried, this.#http.remote, undefined, {
      said: 'it has not taken the whole file',
    })
  }

  async remove({ id }: Copy, files: readonly RemoteFile[]): Promise<void> {
    for (const { id: file, name } of files)
      await this.#delete(`delete ${name} of ${id} on ${this.#http.name}`, id, file)
  }

  async #delete(tried: string, id: string, file: string): Promise<void> {
    const path = `${articles}/${id}/files/${encodeURIComponent(file)}`
    await this.#http.ask({ tried, method: 'DELETE', path, expected: [404] })
  }

  async publish({ id }: Copy): Promise<Copy> {
    const tried = `publish ${id} on ${this.#http.name}`
    const path = `${articles}/${encodeURIComponent(id)}/publish`
    await this.#http.ask({ tried, method: 'POST', path })
    return this.#readMade(tried, id)
  }

  async resolve(name: string): Promise<Copy | undefined> {
    const [, id] = /(?:^|[./])(\d+)(?:\.v\d+|\/\d+)?$/.exec(name) ?? []
    if (id === undefined) return undefined
    const open = await this.#articleAt(id, `/v2/articles/${id}`)
    return open ? toCopy(open, 'published') : this.read(id)
  }

  async toDocument({ metadata }: Copy): Promise<Foreign> {
    return fromFigshare(metadata)
  }

  async download({ id }: Copy, { name, url = '' }: RemoteFile, from: number): Promise<Readable> {
    const tried = `read ${name} of ${id} on ${this.#http.name}`
    const headers = from > 0 ? { range: `bytes=${from}-` } : {}
    return this.#http.stream({
      tried,
      method: 'GET',
      path: url,
      headers,
      accept: '*/*',
    })
  }

  async #articleAt(id: string, path: string): Promise<Foreign | undefined> {
    const tried = `read ${id} on ${this.#http.name}`
    const expected = [403, 404]
    const { status, json } = await this.#http.ask({ tried, method: 'GET', path, expected })
    if (status >= 400) return undefined
    const article = objectOf(json)
    if (listOf(article['files']).length < mostShown) return article
    return { ...article, files: await this.#filesOf(tried, path) }
  }

  /** Those of the article itself: it shows the first ten alone. */
  async #filesOf(tried: string, article: string): Promise<readonly Foreign[]> {
    const all: Foreign[] = []
    for (let page = 1; ; page += 1) {
      const path = `${article}/files?page=${page}&page_size=${pageSize}`
      const found = listOf((await this.#http.ask({ tried, method: 'GET', path })).json)
      const isNew = found.some((each) => all.every(({ id: known }) => known !== each['id']))
      if (isNew) all.push(...found)
      if (!isNew || found.length < pageSize) return all
    }
  }

  async #readMade(tried: string, id: string): Promise<Copy> {
    const copy = await this.read(id)
    if (copy) return copy
    const said = `${id} cannot be read`
    throw new RemoteFailure(tried, this.#http.remote, undefined, { said })
  }

  #pause(look: number): Promise<void> {
    const ms = Math.min(lookMs.first * 2 ** look, lookMs.longest)
    return wait(ms, undefined, { signal: this.#http.signal })
  }
}

function isSameState(one: Copy, other: Copy): boolean {
  const state = ({ files, marker }: Copy): string =>
    JSON.stringify([marker, files.map(({ name, md5 }) => `${name}/${md5}`).toSorted()])
  return state(one) === state(other)
}

function toCopy(article: Foreign, status: Copy['status']): Copy {
  const [marker, doi] = [markerOf(article), textOf(article['doi'])]
  return {
    id: textOf(article['id']) ?? '',
    status,
    ...(marker !== undefined && { marker }),
    ...(doi !== undefined && { doi }),
    url: status === 'published' ? urlOf(article) : (textOf(article['url_private_html']) ?? ''),
    metadata: article,
    files: listOf(article['files']).map(toFile),
  }
}

function urlOf(article: Foreign): string {
  return textOf(article['url_public_html']) ?? textOf(article['figshare_url']) ?? ''
}

function toFile(file: Foreign): RemoteFile {
  return {
    id: textOf(file['id']) ?? '',
    name: textOf(file['name']) ?? '',
    size: Number(file['size']),
    md5: md5Of(file['computed_md5']),
    isWhole: file['status'] === 'available',
    url: textOf(file['download_url']) ?? '',
  }
}
