import type { DepositBody, FileBody, RecordBody, SearchBody } from '../../core/contract/schemas.ts'
import { bodyOf, send, type Content, type Reply, type Sent } from './http.ts'

/** The parts of a deposit that must not change when a request fails. */
export interface DepositState {
  readonly etag: string | null
  readonly deposit: string
  readonly files: string
  /** Ids of the deposits the user finds. */
  readonly listed: readonly string[]
}

type Named = Pick<DepositBody, 'id'>

/** A client of the service, with or without a token. */
export class User {
  readonly #api: string
  readonly #token: () => Promise<string | undefined>
  readonly #headers: Sent['headers']

  /**
   * @param api URL to which paths are relative
   * @param headers of every request
   */
  constructor(
    api: string,
    token: () => Promise<string | undefined>,
    headers: Sent['headers'] = {},
  ) {
    this.#api = api
    this.#token = token
    this.#headers = headers
  }

  /** @param path below the API, or a whole URL */
  async send(method: string, path: string, { headers, ...sent }: Sent = {}): Promise<Reply> {
    const url = path.startsWith('/') ? this.#api + path : path
    return send(method, url, {
      ...sent,
      headers: { ...this.#headers, ...(await this.authorization()), ...headers },
    })
  }

  /** The header that carries the token. */
  async authorization(): Promise<Readonly<Record<string, string>>> {
    const token = await this.#token()
    return token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.send('GET', path, { headers })
  }

  post(path: string, sent: Sent = {}): Promise<Reply> {
    return this.send('POST', path, sent)
  }

  put(path: string, json: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.send('PUT', path, { json, headers })
  }

  /** Applies a JSON Patch. */
  patch(path: string, operations: unknown): Promise<Reply> {
    const headers = { 'content-type': 'application/json-patch+json' }
    return this.send('PATCH', path, { json: operations, headers })
  }

  delete(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.send('DELETE', path, { headers })
  }

  async createDraft(metadata: unknown = { title: 'Sea level' }): Promise<DepositBody> {
    return bodyOf(await this.post('/deposits/', { json: metadata }), 201)
  }

  /** A draft with files of these names, each holding its own name. */
  async createDraftWith(...names: readonly string[]): Promise<DepositBody> {
    const draft = await this.createDraft()
    for (const name of names) await this.addFile(draft, name)
    return this.show(draft)
  }

  async show({ id }: Named): Promise<DepositBody> {
    return bodyOf(await this.get(`/deposits/${id}`), 200)
  }

  /** Posts a form with one file. */
  upload(
    { id }: Named,
    filename: string,
    content: string | Uint8Array<ArrayBuffer> = filename,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    body.set('file', new Blob([content]), filename)
    return this.post(`/deposits/${id}/files`, { body })
  }

  /** Adds a file under a key that may have folders. */
  async addFile(deposit: Named, key: string, content: string = key): Promise<FileBody> {
    return bodyOf(await this.upload(deposit, 'file', content, { name: key }), 201)
  }

  /** Uploads raw bytes to the deposit's bucket with PUT. */
  putObject({ links }: Pick<DepositBody, 'links'>, key: string, body: Content): Promise<Reply> {
    return this.send('PUT', `${links['bucket']}/${encodeURIComponent(key)}`, { body })
  }

  async files({ id }: Named): Promise<readonly FileBody[]> {
    return bodyOf(await this.get(`/deposits/${id}/files`), 200)
  }

  async keys(deposit: Named): Promise<readonly string[]> {
    return (await this.files(deposit)).map(({ filename }) => filename)
  }

  /** Runs an action. */
  act({ id }: Named, action: string): Promise<Reply> {
    return this.post(`/deposits/${id}/actions/${action}`)
  }

  async publish(deposit: Named): Promise<DepositBody> {
    return bodyOf(await this.act(deposit, 'publish'), 202)
  }

  async edit(deposit: Named): Promise<DepositBody> {
    return bodyOf(await this.act(deposit, 'edit'), 201)
  }

  /** A published deposit. */
  async createPublished(metadata?: unknown): Promise<DepositBody> {
    return this.publish(await this.createDraft(metadata))
  }

  /** The record of a published deposit. */
  async record({ links }: Pick<DepositBody, 'links'>): Promise<RecordBody> {
    return bodyOf(await this.get(links['record'] ?? ''), 200)
  }

  /** @param query the query string of a search of deposits */
  async search(query = ''): Promise<SearchBody> {
    return bodyOf(await this.get(`/deposits/?${query}`), 200)
  }

  async state({ id }: Named): Promise<DepositState> {
    const item = await this.get(`/deposits/${id}`)
    const files = await this.get(`/deposits/${id}/files`)
    const { hits } = (await this.search('size=100')).hits
    return {
      etag: item.headers.get('etag'),
      deposit: item.bytes.toString(),
      files: files.bytes.toString(),
      listed: hits.map((hit) => hit.id),
    }
  }
}
