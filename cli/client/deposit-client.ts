import { defaultPageSize } from '../../core/contract/defaults.ts'
import { apiPrefix, routes } from '../../core/contract/routes.ts'
import type {
  DepositBody,
  FileBody,
  RecordBody,
  RehearsalBody,
  SearchBody,
  SortBody,
} from '../../core/contract/schemas.ts'
import {
  isDeposit,
  isFile,
  isFileList,
  isMe,
  isRehearsal,
  isRevisionList,
  isSearch,
  isSearchOptions,
  isUploadList,
  type MeBody,
  type UploadBody,
} from './bodies.ts'
import { triedTo } from '../server-advice.ts'
import { addressIn, findWithdrawn, recordAddress, resolveAddress } from './address.ts'
import { ApiFailure } from './api-failure.ts'
import { keyed } from './idempotency-keys.ts'
import { PublicReader } from './public-reader.ts'
import type { Connection } from './connection.ts'
import { pathOf, type MountedRoutes, resolveId, shorten } from './mounted-routes.ts'
import { Permissions } from './permissions.ts'
import { RehearsalEnd, requireFree } from './rehearsal.ts'
import { rehearsePatch } from './rehearse-patch.ts'

/** Deposits of a page when several pages are fetched. */
const largestPage = 100

export type Metadata = Readonly<Record<string, unknown>>

/** Query parameters of a search. */
export type SearchParameters = Readonly<
  Partial<Record<'q' | 'page' | 'size' | 'sort' | 'status' | 'review', string>>
>

/** The REST interface: one method a route. Each throws `Failure` with what it tried. */
export class DepositClient {
  readonly connection: Connection
  readonly permissions: Permissions
  /** Identifiers by the text that the user typed. */
  readonly #found = new Map<string, Promise<string>>()
  readonly #public: PublicReader

  constructor(connection: Connection) {
    this.connection = connection
    this.permissions = new Permissions(connection, (id) => this.resolve(id))
    this.#public = new PublicReader(connection)
  }

  get #routes(): MountedRoutes {
    return this.connection.routes
  }

  /** @param idempotencyKey asked again with the same one, it is made once */
  create(document: Metadata, idempotencyKey?: string): Promise<DepositBody> {
    const path = pathOf(this.#routes.list)
    return keyed(idempotencyKey, (headers) =>
      this.connection.json('create a deposit', isDeposit, {
        method: 'POST',
        path,
        json: document,
        headers,
      }),
    )
  }

  /**
   * Searches deposits.
   *
   * @param most results, from as many pages as needed; without it, one page as `parameters` say
   */
  async search(parameters: SearchParameters, most?: number): Promise<SearchBody> {
    let found = await this.#firstPage(parameters, most)
    const wanted = most ?? Number(parameters.size ?? defaultPageSize)
    const hits = [...found.hits.hits]
    while (found.links.next !== undefined && hits.length < wanted) {
      found = await this.#searchAt(shorten(found.links.next, wanted - hits.length))
      if (found.hits.hits.length === 0) break
      hits.push(...found.hits.hits)
    }
    return { ...found, hits: { ...found.hits, hits: hits.slice(0, wanted) } }
  }

  /** An endpoint may allow only smaller pages than ours: then it is asked how large. */
  async #firstPage(parameters: SearchParameters, most?: number): Promise<SearchBody> {
    const page = (more: SearchParameters): Promise<SearchBody> => {
      const query = new URLSearchParams({ ...parameters, ...more })
      return this.#searchAt(`${pathOf(this.#routes.list)}?${query.toString()}`)
    }
    if (most === undefined) return page({})
    try {
      return await page({ size: String(Math.min(most, largestPage)) })
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.problem.code !== 'invalid_paging') throw error
      const { max_result_window: size } = await this.connection.json(
        'list the deposits',
        isSearchOptions,
        { method: 'GET', path: pathOf(this.#routes.options) },
      )
      return page({ size: String(size) })
    }
  }

  #searchAt(path: string): Promise<SearchBody> {
    return this.connection.json('list the deposits', isSearch, { method: 'GET', path })
  }

  /** The deposit; its record where that is named and public, and the deposit is another user's. */
  async read(id: string, tried = `read ${id}`): Promise<DepositBody> {
    const whole = await this.resolve(id)
    const path = pathOf(this.#routes.item, { pid_value: whole })
    return this.connection
      .json(tried, isDeposit, { method: 'GET', path })
      .catch((error: unknown) => this.#public.read(whole, error))
  }

  /** True where this endpoint has the deposit, and it may be read. */
  async has(id: string): Promise<boolean> {
    return this.read(id).then(
      () => true,
      () => false,
    )
  }

  /** @param path as the deposit's link `record` names it */
  readRecord(path: string): Promise<DepositBody> {
    return this.connection.json('read the record', isDeposit, { method: 'GET', path })
  }

  /**
   * Address of the deposit of a record, to its owners also where that was withdrawn; undefined to others.
   *
   * @param path as in `readRecord`
   */
  async depositOf(path: string): Promise<string | undefined> {
    try {
      return (await this.readRecord(path)).links['deposit']
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.problem.code !== 'record_withdrawn') throw error
      return error.problem.errors?.[0]?.deposit
    }
  }

  /** The deposit of the newest version. @param concept the identifier of all versions */
  readNewest(concept: string): Promise<DepositBody> {
    return this.read(recordAddress(concept, this.connection.server))
  }

  /**
   * A deposit in another format: the record where it is published, else the draft.
   *
   * @param name of the format, as the end of an address
   */
  readExport(
    { id, links, metadata }: DepositBody,
    name: string,
    tried = `export ${id}`,
  ): Promise<string> {
    const record = metadata._deposit?.status === 'published' ? links['record'] : undefined
    const formats = record === undefined ? links['exports'] : `${record}/export`
    return this.connection.text(tried, { method: 'GET', path: `${formats}/${name}` })
  }

  /** @param revision refuses with `stale_revision` when the deposit has another one by now */
  async replace(id: string, document: Metadata, revision?: number): Promise<DepositBody> {
    const verb = Object.keys(document).length === 0 ? 'clear' : 'update'
    return this.connection.json(`${verb} ${id}`, isDeposit, {
      method: 'PUT',
      path: await this.#pathTo(this.#routes.item, id),
      json: document,
      headers: revision === undefined ? {} : { 'if-match': `"${revision}"` },
    })
  }

  /** Applies a JSON Patch. @see RFC 6902 */
  async patch(id: string, patch: unknown): Promise<DepositBody> {
    const tried = `patch ${id}`
    const path = await this.#pathTo(this.#routes.item, id)
    const headers = { 'content-type': 'application/json-patch+json' }
    const request = { method: 'PATCH', path, json: patch, headers }
    return this.connection.json(tried, isDeposit, request).catch(async (error: unknown) => {
      if (error instanceof RehearsalEnd)
        rehearsePatch(tried, patch, { path, metadata: (await this.read(id)).metadata })
      throw error
    })
  }

  /** @param id the whole identifier: a beginning will not do here */
  async delete(id: string, { force }: { readonly force: boolean }): Promise<void> {
    const path = pathOf(this.#routes.item, { pid_value: id }) + (force ? '' : '?force=false')
    await this.connection.text(`delete ${id}`, { method: 'DELETE', path })
  }

  /** @param idempotencyKey asked again with the same one, it is run once */
  async runAction(
    id: string,
    action: string,
    idempotencyKey?: string,
    input?: object,
  ): Promise<DepositBody> {
    const path = await this.#pathTo(this.#routes.action, id, { action })
    return keyed(idempotencyKey, (headers) =>
      this.connection.json(triedTo(action, id), isDeposit, {
        ...(input && { json: input }),
        method: 'POST',
        path,
        headers,
      }),
    )
  }

  /** Rehearses a publish; nothing changes. */
  async rehearse(id: string): Promise<RehearsalBody> {
    const path = await this.#pathTo(this.#routes.action, id, { action: 'publish' })
    return this.connection.json(`check ${id}`, isRehearsal, { method: 'GET', path })
  }

  async listFiles(id: string): Promise<FileBody[]> {
    const whole = await this.resolve(id)
    const path = pathOf(this.#routes.files, { pid_value: whole })
    return this.connection
      .list(`list the files of ${id}`, isFileList, { method: 'GET', path })
      .catch((error: unknown) => this.#public.listFiles(whole, error))
  }

  /** @param record as the deposit's link names it */
  async listRevisions(id: string, record: string): Promise<RecordBody[]> {
    const request = { method: 'GET', path: `${record}/revisions` }
    return this.connection.list(`list the revisions of ${id}`, isRevisionList, request)
  }

  /** Uploads that are not finished, whichever program began them. */
  async listUploads(id: string): Promise<UploadBody[]> {
    const path = await this.#pathTo(this.#routes.uploads, id)
    return this.connection.list(`list the uploads of ${id}`, isUploadList, { method: 'GET', path })
  }

  async deleteUpload({ filename, links }: UploadBody): Promise<void> {
    const headers = { 'tus-resumable': '1.0.0' }
    const request = { method: 'DELETE', path: links.self, headers }
    await this.connection.text(`delete the upload of ${filename}`, request)
  }

  async sortFiles(id: string, order: SortBody): Promise<FileBody[]> {
    return this.connection.list(`sort the files of ${id}`, isFileList, {
      method: 'PUT',
      path: await this.#pathTo(this.#routes.files, id),
      json: order,
    })
  }

  /** As {@link sortFiles}, without the list in the answer: for 10,000 files that is megabytes. */
  async arrangeFiles(id: string, order: SortBody): Promise<void> {
    const path = await this.#pathTo(this.#routes.files, id)
    const tried = `sort the files of ${id}`
    const response = await this.connection.send(tried, { method: 'PUT', path, json: order })
    response.resume()
  }

  async renameFile(id: string, key: string, filename: string): Promise<FileBody> {
    const tried = `rename ${key} of ${id}`
    const path = await this.#pathTo(this.#routes.file, id, { key })
    const request = { method: 'PUT', path, json: { filename } }
    return this.connection.json(tried, isFile, request).catch(async (error: unknown) => {
      if (error instanceof RehearsalEnd)
        requireFree(tried, filename, { path, files: await this.listFiles(id) })
      throw error
    })
  }

  async deleteFile(id: string, key: string): Promise<void> {
    const path = await this.#pathTo(this.#routes.file, id, { key })
    await this.connection.text(`delete ${key} of ${id}`, { method: 'DELETE', path })
  }

  /** The whole identifier for the beginning of one, or for an address. */
  resolve(id: string): Promise<string> {
    const found = this.#found.get(id) ?? this.#resolve(id)
    this.#found.set(id, found)
    return found
  }

  /** A name for a folder with the files of a deposit: its identifier, or that of the record read. */
  async nameOf(id: string): Promise<string> {
    const whole = await this.resolve(id)
    return this.#public.nameOf(whole) ?? whole
  }

  /** As {@link resolve}, but leaves the beginning of an identifier as it is, and it is refused. */
  async resolveWhole(id: string): Promise<string> {
    const isPlain = addressIn(id, this.connection.server) === undefined
    return isPlain ? id : this.resolve(id)
  }

  async #resolve(id: string): Promise<string> {
    const address = addressIn(id, this.connection.server)
    if (address !== undefined) {
      const found = await resolveAddress(address, this.connection).catch((error: unknown) =>
        findWithdrawn(address, error, (q) => this.search({ q }, 1)),
      )
      this.#public.note(found)
      return found.id
    }
    return resolveId(id, (q) => this.search({ q }, 5))
  }

  /** The user and the scopes of the token. */
  me(): Promise<MeBody> {
    return this.connection.json('find out who you are', isMe, {
      method: 'GET',
      path: apiPrefix + routes.me,
    })
  }

  async #pathTo(route: string, id: string, more: Readonly<Record<string, string>> = {}) {
    return pathOf(route, { pid_value: await this.resolve(id), ...more })
  }
}
