import { setTimeout as wait } from 'node:timers/promises'
import { translate } from '../../metadata/foreign/foreign-files.ts'
import type { RemoteHttp } from '../port/remote-http.ts'
import { accountOf, requireMayPublish } from '../port/may-publish.ts'
import { findByPage, limitsOfOwn } from '../port/own-service.ts'
import { isPassing, RemoteFailure } from '../port/remote-failure.ts'
import { askForTombstone } from '../port/tombstone.ts'
import type {
  Account,
  Copy,
  Download,
  Limits,
  Outgoing,
  RemoteFile,
  Repository,
  Translation,
  Withdrawal,
  Work,
} from '../port/repository.ts'
import {
  doiOf,
  linksOf,
  listOf,
  md5Of,
  objectOf,
  sizeOf,
  textOf,
  type Foreign,
} from '../port/values.ts'
import { asDeposited, communitiesOf, markerOf, toCopy, toCorrection } from './answers.ts'
import { translateForZenodo } from './translate.ts'

const depositions = '/api/deposit/depositions'

/** @see https://help.zenodo.org/docs/deposit/about-files/ */
const ofZenodo: Limits = {
  hasFolders: false,
  takesEmptyFiles: false,
  mostFiles: 100,
  largestFile: 50e9,
  mostBytes: 50e9,
  longestName: 255,
  parallel: 4,
  wantsOtherFiles: true,
}

/** The number of a deposit, in its DOI and its addresses. */
const named = /(?:zenodo\.|records?\/|deposit\/|depositions\/|uploads\/)(\d+)(?![\w-])/i

/** Before another look for the draft of a new version; longer each time. */
const pauseMs = 500

/** Deposits of a page of a list: the largest that Zenodo gives. */
const pageSize = 100

/**
 * Zenodo's deposit API: one request a file, into the bucket of the deposit.
 *
 * @see https://developers.zenodo.org/
 */
export class Zenodo implements Repository {
  readonly limits: Limits
  readonly #http: RemoteHttp

  private constructor(http: RemoteHttp, limits: Limits) {
    this.#http = http
    this.limits = limits
  }

  /** Asks others than Zenodo itself whether they are our own service, which has other limits. */
  static async open(http: RemoteHttp): Promise<Zenodo> {
    const isZenodo = /^(?:sandbox\.|www\.)?zenodo\.org$/.test(new URL(http.url).hostname)
    const own = isZenodo ? undefined : await limitsOfOwn(http, `${depositions}?size=1`)
    return new Zenodo(http, own ? { ...own, wantsOtherFiles: true } : ofZenodo)
  }

  async whoAmI(): Promise<Account> {
    const tried = `sign in to ${this.#http.name}`
    const { json } = await this.#http.ask({ tried, method: 'GET', path: `${depositions}?size=1` })
    await requireMayPublish(this.#http, `${depositions}/0/actions/publish`)
    const [first] = listOf(json)
    // Zenodo does not say who has a token; a deposit names its owner by number.
    const owner = textOf(first?.['owner'])
    return accountOf(owner)
  }

  translate(work: Work): Translation {
    return translateForZenodo(work)
  }

  async find(marker: string): Promise<Copy | undefined> {
    const tried = `look for the draft on ${this.#http.name}`
    const query = new URLSearchParams({
      q: `"${marker}"`,
      size: String(pageSize),
      sort: 'mostrecent',
    })
    const path = `${depositions}?${query.toString()}`
    const { json } = await this.#http.ask({ tried, method: 'GET', path })
    const found = listOf(json).find((each) => markerOf(each) === marker)
    // A list may be older than what it lists.
    return found && this.read(textOf(found['id']) ?? '')
  }

  async read(id: string): Promise<Copy | undefined> {
    const found = await this.#depositionOf(id)
    return found && toCopy(found)
  }

  async create({ metadata }: Translation): Promise<Copy> {
    const tried = `make a draft on ${this.#http.name}`
    return this.#asCopy({ tried, method: 'POST', path: depositions, json: { metadata } })
  }

  findVersion({ id }: Copy): Promise<Copy | undefined> {
    return this.#openDraft(id)
  }

  openVersion(id: string): Promise<Copy> {
    return this.#opened(
      () => this.#openDraft(id),
      () => this.#beginVersion(id),
    )
  }

  async newestVersion(copy: Copy): Promise<string | undefined> {
    const { id, links } = copy
    if (copy.status === 'draft' && !copy.isCorrection) return this.#newestBefore(copy)
    const tried = `look for the newest version of ${id} on ${this.#http.name}`
    const path = links?.['latest'] ?? `/api/records/${encodeURIComponent(id)}/versions/latest`
    const expected = [403, 404, 405, 410]
    const { status, json } = await this.#http.ask({ tried, method: 'GET', path, expected })
    return status >= 400 ? undefined : textOf(objectOf(json)['id'])
  }

  findWithdrawal(name: string): Promise<Withdrawal | undefined> {
    const [, id = name] = named.exec(name) ?? []
    return askForTombstone(this.#http, id)
  }

  async findCorrection(id: string): Promise<Copy | undefined> {
    const found = await this.#depositionOf(id)
    const isOpen = found?.['submitted'] === true && found['state'] === 'inprogress'
    return isOpen ? toCorrection(found) : undefined
  }

  openCorrection(id: string): Promise<Copy> {
    const tried = `correct ${id} on ${this.#http.name}`
    const path = `${depositions}/${encodeURIComponent(id)}/actions/edit`
    return this.#opened(
      () => this.findCorrection(id),
      async () => toCorrection(await this.#http.json({ tried, method: 'POST', path })),
    )
  }

  /** What is open already, or is opened: where the answer was lost, it is looked for again. */
  async #opened(find: () => Promise<Copy | undefined>, begin: () => Promise<Copy>): Promise<Copy> {
    for (let attempt = 0; ; attempt += 1) {
      const open = await find()
      if (open) return open
      try {
        return await begin()
      } catch (error) {
        if (!(error instanceof RemoteFailure) || !isPassing(error)) throw error
        if (attempt >= this.#http.retries) throw error
        await wait(pauseMs * (attempt + 1), undefined, { signal: this.#http.signal })
      }
    }
  }

  async #beginVersion(id: string): Promise<Copy> {
    const tried = `begin a new version of ${id} on ${this.#http.name}`
    const path = `${depositions}/${id}/actions/newversion`
    const answer = await this.#http
      .json({ tried, method: 'POST', path })
      .catch((error: unknown) => error)
    // It answers the new draft, or the record with a link to that; or the answer was lost.
    const isDraft = !(answer instanceof Error) && objectOf(answer)['submitted'] !== true
    const draft = isDraft ? toCopy(objectOf(answer)) : await this.#openDraft(id)
    if (draft) return draft
    if (answer instanceof Error) throw answer
    const said = 'it did not name the draft of the new version'
    throw new RemoteFailure(tried, this.#http.remote, undefined, { said })
  }

  async describe(copy: Copy, { metadata }: Translation): Promise<Copy> {
    const { id, isCorrection, doi } = copy
    const tried = `set the metadata of ${id} on ${this.#http.name}`
    // What was published keeps its DOI.
    const own = isCorrection && doi !== undefined ? { doi } : {}
    const json = { metadata: { ...metadata, ...own, ...communitiesOf(metadata, copy) } }
    const path = `${depositions}/${id}`
    const answer = await this.#http.json({ tried, method: 'PUT', path, json })
    return isCorrection ? toCorrection(answer) : toCopy(answer)
  }

  async upload({ id, links }: Copy, file: Outgoing): Promise<RemoteFile> {
    const { name } = file
    const tried = `send ${name} to ${this.#http.name}`
    const { bucket } = links ?? {}
    if (bucket === undefined) {
      const said = `${id} has no address for its files`
      throw new RemoteFailure(tried, this.#http.remote, undefined, { said })
    }
    const answer = await this.#http.json({
      tried,
      method: 'PUT',
      path: `${bucket}/${encodeURIComponent(name)}`,
      // It reads every media type as bytes, and forms as forms.
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
    })
    return {
      id: textOf(answer['version_id']) ?? name,
      name: textOf(answer['key']) ?? name,
      size: sizeOf(answer['size']),
      md5: md5Of(answer['checksum']),
      isWhole: true,
    }
  }

  async remove({ id, links }: Copy, files: readonly RemoteFile[]): Promise<void> {
    for (const file of files) {
      const tried = `delete ${file.name} of ${id} on ${this.#http.name}`
      const path = `${links?.['bucket'] ?? ''}/${encodeURIComponent(file.name)}`
      await this.#http.ask({ tried, method: 'DELETE', path, expected: [404] })
    }
  }

  async publish({ id }: Copy): Promise<Copy> {
    const tried = `publish ${id} on ${this.#http.name}`
    return this.#asCopy({ tried, method: 'POST', path: `${depositions}/${id}/actions/publish` })
  }

  async resolve(name: string): Promise<Copy | undefined> {
    const [, id = await this.#ofPage(name)] = named.exec(name) ?? []
    if (!/^\d+$/.test(id)) return undefined
    const record = await this.#recordOf(id)
    return record ?? this.read(id)
  }

  /** Pages of our own service have no numbers in their addresses. */
  async #ofPage(name: string): Promise<string> {
    const lists = [depositions, '/api/records']
    const found = this.limits.hasFolders ? await findByPage(this.#http, lists, name) : undefined
    return found ?? name
  }

  async toDocument({ metadata }: Copy): Promise<Foreign> {
    const { doi: _, ...deposited } = asDeposited(metadata)
    const translated = await translate('.zenodo.json', deposited)
    return translated?.metadata ?? {}
  }

  async download({ id }: Copy, { name, url = '' }: RemoteFile, from: number): Promise<Download> {
    const tried = `read ${name} of ${id} on ${this.#http.name}`
    return this.#http.download({ tried, method: 'GET', path: url }, from)
  }

  async #asCopy(request: Parameters<RemoteHttp['json']>[0]): Promise<Copy> {
    return toCopy(await this.#http.json(request))
  }

  async #depositionOf(id: string): Promise<Foreign | undefined> {
    const tried = `read ${id} on ${this.#http.name}`
    const path = `${depositions}/${encodeURIComponent(id)}`
    const expected = [403, 404, 410]
    const { status, json } = await this.#http.ask({ tried, method: 'GET', path, expected })
    return expected.includes(status) ? undefined : objectOf(json)
  }

  /** The draft of the next version: where the record names it, or in the list of all versions. */
  async #openDraft(id: string): Promise<Copy | undefined> {
    const record = await this.#depositionOf(id)
    const link = linksOf(record?.['links'])['latest_draft'] ?? ''
    const [, latest = id] = /\/depositions\/(\d+)$/.exec(link) ?? []
    if (latest !== id) {
      const draft = await this.#depositionOf(latest)
      if (draft && draft['submitted'] !== true) return toCopy(draft)
    }
    const concept = textOf(record?.['conceptrecid'])
    if (concept === undefined) return undefined
    const tried = `look for a draft of the next version of ${id} on ${this.#http.name}`
    const all = await this.#versionsOf(concept, tried)
    const found = all.find(({ submitted }) => submitted !== true)
    return found && this.read(textOf(found['id']) ?? '')
  }

  /** A draft does not name the version before it. */
  async #newestBefore({ id }: Copy): Promise<string | undefined> {
    const concept = textOf((await this.#depositionOf(id))?.['conceptrecid'])
    if (concept === undefined) return undefined
    const tried = `look for the version before ${id} on ${this.#http.name}`
    const all = await this.#versionsOf(concept, tried)
    const published = all.filter(({ submitted }) => submitted === true)
    const newest = published.toSorted((one, other) => Number(other['id']) - Number(one['id']))[0]
    return textOf(newest?.['id'])
  }

  async #versionsOf(concept: string, tried: string): Promise<readonly Foreign[]> {
    const list = { q: concept, all_versions: 'true', sort: 'mostrecent', size: String(pageSize) }
    const path = `${depositions}?${new URLSearchParams(list).toString()}`
    const { json } = await this.#http.ask({ tried, method: 'GET', path })
    return listOf(json).filter(({ conceptrecid }) => textOf(conceptrecid) === concept)
  }

  /** A public record, which has another form than a deposit. */
  async #recordOf(id: string): Promise<Copy | undefined> {
    const tried = `read ${id} on ${this.#http.name}`
    const path = `/api/records/${id}`
    const { status, json } = await this.#http.ask({
      tried,
      method: 'GET',
      path,
      expected: [403, 404, 410],
    })
    if (status >= 400) return undefined
    const record = objectOf(json)
    const metadata = objectOf(record['metadata'])
    const [doi, conceptDoi] = [doiOf(record['doi']), doiOf(record['conceptdoi'])]
    return {
      id: textOf(record['id']) ?? id,
      status: 'published',
      ...(doi !== undefined && { doi }),
      ...(conceptDoi !== undefined && { conceptDoi }),
      links: linksOf(record['links']),
      url: linksOf(record['links'])['self_html'] ?? `${this.#http.url}/records/${id}`,
      metadata,
      files: listOf(record['files']).map((file) => ({
        id: textOf(file['id']) ?? '',
        name: textOf(file['key']) ?? '',
        size: sizeOf(file['size']),
        md5: md5Of(file['checksum']),
        isWhole: true,
        url: linksOf(file['links'])['self'] ?? '',
      })),
    }
  }
}
