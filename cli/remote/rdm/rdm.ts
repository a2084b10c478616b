import { fromRdm } from '../../../core/contract/rdm-metadata.ts'
import { accountOf, requireMayPublish } from '../port/may-publish.ts'
import { findByPage, limitsOfOwn } from '../port/own-service.ts'
import { RemoteFailure } from '../port/remote-failure.ts'
import type { RemoteHttp } from '../port/remote-http.ts'
import { wordsOf } from '../port/remote-reply.ts'
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
  isMarker,
  linksOf,
  listOf,
  markerIn,
  md5Of,
  objectOf,
  sizeOf,
  textOf,
  type Foreign,
} from '../port/values.ts'
import { translateForRdm } from './translate.ts'

const records = '/api/records'

/** The defaults of InvenioRDM: an instance may allow more, or less, and says so. */
const usual: Limits = {
  hasFolders: false,
  takesEmptyFiles: false,
  mostFiles: 100,
  largestFile: 50e9,
  mostBytes: 50e9,
  longestName: 255,
  parallel: 4,
}

/** The identifier of a record, in its addresses. */
const named = /\/(?:records|uploads)\/([\w-]+)/

/** Files that one request announces. */
const mostAnnounced = 100

/** Deposits of a page of a list. */
const pageSize = 25

/**
 * InvenioRDM's interface of drafts and records: three requests a file.
 *
 * @see https://inveniordm.docs.cern.ch/reference/rest_api_drafts_records/
 */
export class Rdm implements Repository {
  readonly limits: Limits
  readonly #http: RemoteHttp
  /** Entries without bytes that this command made, as `draft/name`. */
  readonly #announced = new Set<string>()

  private constructor(http: RemoteHttp, limits: Limits) {
    this.#http = http
    this.limits = limits
  }

  /** Asks whether it is our own service, which has other limits. */
  static async open(http: RemoteHttp): Promise<Rdm> {
    const own = await limitsOfOwn(http, '/api/user/records?size=1')
    return new Rdm(http, own ?? usual)
  }

  async whoAmI(): Promise<Account> {
    const tried = `sign in to ${this.#http.name}`
    const path = '/api/user/records?size=1'
    const { json } = await this.#http.ask({ tried, method: 'GET', path })
    await requireMayPublish(this.#http, `${records}/0/draft/actions/publish`)
    const [first] = listOf(objectOf(objectOf(json)['hits'])['hits'])
    const access = objectOf(objectOf(first?.['parent'])['access'])
    const owner = textOf(objectOf(access['owned_by'])['user'])
    // It does not say who has a token; a record names its owner by number.
    return accountOf(owner)
  }

  translate(work: Work): Translation {
    return translateForRdm(work, new URL(this.#http.url).host)
  }

  async find(marker: string): Promise<Copy | undefined> {
    const tried = `look for the draft on ${this.#http.name}`
    const query = { q: `"${marker}"`, size: String(pageSize), sort: 'newest' }
    const found = await this.#search(tried, '/api/user/records', query)
    const own = found.find((each) => markerOf(each) === marker)
    // A list may be older than what it lists.
    return own && this.read(textOf(own['id']) ?? '')
  }

  async read(id: string): Promise<Copy | undefined> {
    return (await this.#recordOf(id)) ?? (await this.#draftOf(id))
  }

  async create({ metadata }: Translation): Promise<Copy> {
    const tried = `make a draft on ${this.#http.name}`
    const answer = await this.#http.json({ tried, method: 'POST', path: records, json: metadata })
    this.#requireSaved(tried, answer)
    return toCopy(answer, [])
  }

  async findVersion({ metadata: record }: Copy): Promise<Copy | undefined> {
    const { hasFolders: isOwn } = this.limits
    // Our own service does not say whether there is one.
    if (!isOwn && objectOf(record['versions'])['is_latest_draft'] !== false) return undefined
    const parent = textOf(objectOf(record['parent'])['id'])
    if (parent === undefined) return undefined
    const tried = `look for a draft of the next version on ${this.#http.name}`
    const query = {
      size: String(pageSize),
      sort: 'newest',
      ...(!isOwn && { q: `parent.id:"${parent}"` }),
    }
    const found = await this.#search(tried, '/api/user/records', query)
    const draft = found.find(
      (each) => textOf(objectOf(each['parent'])['id']) === parent && each['is_published'] !== true,
    )
    return draft && this.#draftOf(textOf(draft['id']) ?? '')
  }

  async openVersion(id: string): Promise<Copy> {
    const tried = `begin a new version of ${id} on ${this.#http.name}`
    const path = `${records}/${id}/versions`
    // Asked again, it answers the same draft.
    const draft = await this.#http.json({ tried, method: 'POST', path, isRepeatable: true })
    const next = textOf(draft['id']) ?? ''
    const files = `${records}/${next}/draft/actions/files-import`
    // 400: it has files, from an earlier attempt.
    await this.#http.ask({
      tried,
      method: 'POST',
      path: files,
      isRepeatable: true,
      expected: [400],
    })
    const made = await this.#draftOf(next)
    if (made) return made
    throw new RemoteFailure(tried, this.#http.remote, undefined, { said: 'the draft is not there' })
  }

  async newestVersion({ id }: Copy): Promise<string | undefined> {
    const tried = `look for the newest version of ${id} on ${this.#http.name}`
    const path = `${records}/${encodeURIComponent(id)}/versions/latest`
    const expected = [403, 404, 405, 410]
    const { status, json } = await this.#http.ask({ tried, method: 'GET', path, expected })
    return status >= 400 ? undefined : textOf(objectOf(json)['id'])
  }

  findWithdrawal(name: string): Promise<Withdrawal | undefined> {
    const [, id = name] = named.exec(name) ?? []
    return askForTombstone(this.#http, id)
  }

  async findCorrection(id: string): Promise<Copy | undefined> {
    const draft = await this.#draftOf(id)
    return draft && { ...draft, status: 'draft', isCorrection: true }
  }

  async openCorrection(id: string): Promise<Copy> {
    const tried = `correct ${id} on ${this.#http.name}`
    const path = `${records}/${encodeURIComponent(id)}/draft`
    // Asked again, it answers the same draft.
    await this.#http.json({ tried, method: 'POST', path, isRepeatable: true })
    const open = await this.findCorrection(id)
    if (open) return open
    throw new RemoteFailure(tried, this.#http.remote, undefined, { said: 'the draft is not there' })
  }

  async describe(copy: Copy, { metadata }: Translation): Promise<Copy> {
    const { id, files, isCorrection } = copy
    const tried = `set the metadata of ${id} on ${this.#http.name}`
    const path = `${records}/${id}/draft`
    // What was published keeps its DOI.
    const json = isCorrection ? { ...metadata, pids: copy.metadata['pids'] } : metadata
    const answer = await this.#http.json({ tried, method: 'PUT', path, json })
    this.#requireSaved(tried, answer)
    return toCopy(answer, files)
  }

  async announce({ id }: Copy, names: readonly string[]): Promise<void> {
    const tried = `announce the files of ${id} on ${this.#http.name}`
    const path = `${records}/${id}/draft/files`
    for (let at = 0; at < names.length; at += mostAnnounced) {
      const some = names.slice(at, at + mostAnnounced)
      const json = some.map((key) => ({ key }))
      const request = { tried, method: 'POST', path, json, isRepeatable: true } as const
      // 400: one of them is there, and all are announced one by one.
      const { status } = await this.#http.ask({ ...request, expected: [400] })
      if (status < 300) for (const name of some) this.#announced.add(`${id}/${name}`)
    }
  }

  async upload({ id }: Copy, file: Outgoing): Promise<RemoteFile> {
    const { name } = file
    const tried = `send ${name} to ${this.#http.name}`
    const files = `${records}/${id}/draft/files`
    const own = `${files}/${encodeURIComponent(name)}`
    const commit = { tried, method: 'POST', path: `${own}/commit`, isRepeatable: true } as const
    const isAnnounced = this.#announced.delete(`${id}/${name}`)
    const wasBegun = !isAnnounced && (await this.#announce(tried, files, name))
    // Its bytes may be there: 400 if they are not.
    const isThere = wasBegun && (await this.#http.ask({ ...commit, expected: [400] })).status < 300
    if (!isThere)
      await this.#http.ask({
        tried,
        method: 'PUT',
        path: `${own}/content`,
        headers: { 'content-type': 'application/octet-stream' },
        body: file,
      })
    // 400: it is committed, and only the answer was lost.
    const committed = await this.#http.ask({ ...commit, expected: [400] })
    const answered = toFile(objectOf(committed.json))
    if (committed.status < 300 && answered.isWhole && answered.md5 !== undefined) return answered
    const sent = toFile(await this.#http.json({ tried, method: 'GET', path: own }))
    if (sent.isWhole) return sent
    await this.#http.ask(commit)
    return toFile(await this.#http.json({ tried, method: 'GET', path: own }))
  }

  /**
   * Makes an empty entry for a file: a whole one of that name is deleted before.
   *
   * @returns whether there was one that is not whole
   */
  async #announce(tried: string, files: string, name: string): Promise<boolean> {
    const own = `${files}/${encodeURIComponent(name)}`
    const request = {
      tried,
      method: 'POST',
      path: files,
      json: [{ key: name }],
      isRepeatable: true,
    } as const
    const { status } = await this.#http.ask({ ...request, expected: [400] })
    if (status !== 400) return false
    const there = await this.#entryOf(tried, own)
    if (there?.isWhole === false) return true
    if (there) await this.#http.ask({ tried, method: 'DELETE', path: own, expected: [404] })
    const again = await this.#http.ask({ ...request, expected: [400] })
    if (again.status !== 400) return false
    // It was made, and only the answer was lost.
    if ((await this.#entryOf(tried, own))?.isWhole === false) return true
    await this.#http.ask(request)
    return false
  }

  async #entryOf(tried: string, path: string): Promise<RemoteFile | undefined> {
    const { status, json } = await this.#http.ask({ tried, method: 'GET', path, expected: [404] })
    return status === 404 ? undefined : toFile(objectOf(json))
  }

  async remove({ id }: Copy, files: readonly RemoteFile[]): Promise<void> {
    for (const { name } of files) {
      const tried = `delete ${name} of ${id} on ${this.#http.name}`
      const path = `${records}/${id}/draft/files/${encodeURIComponent(name)}`
      await this.#http.ask({ tried, method: 'DELETE', path, expected: [404] })
    }
  }

  async publish({ id, files }: Copy): Promise<Copy> {
    const tried = `publish ${id} on ${this.#http.name}`
    const path = `${records}/${id}/draft/actions/publish`
    return toCopy(await this.#http.json({ tried, method: 'POST', path }), files)
  }

  async resolve(name: string): Promise<Copy | undefined> {
    const [, inAddress] = named.exec(name) ?? []
    const [doi] = /10\.\d{4,9}\/\S+$/.exec(name) ?? []
    // Pages of our own service have no numbers in their addresses.
    const lists = ['/api/user/records', records]
    const ofPage = this.limits.hasFolders && (await findByPage(this.#http, lists, name))
    if (ofPage) return this.read(ofPage)
    if (inAddress !== undefined) return this.read(inAddress)
    if (doi === undefined) return /^[\w-]+$/.test(name) ? this.read(name) : undefined
    const tried = `look for ${doi} on ${this.#http.name}`
    const found = await this.#search(tried, records, { q: `"${doi}"`, size: '5' })
    const own = found.find((each) => doiIn(each)?.toLowerCase() === doi.toLowerCase())
    return own && this.read(textOf(own['id']) ?? '')
  }

  async toDocument({ metadata }: Copy): Promise<Foreign> {
    const document = fromRdm(metadata)
    const others = listOf(document['alternate_identifiers']).filter(
      ({ identifier }) => !isMarker(textOf(identifier)?.toLowerCase() ?? ''),
    )
    return { ...document, alternate_identifiers: others }
  }

  async download({ id }: Copy, { name, url = '' }: RemoteFile, from: number): Promise<Download> {
    const tried = `read ${name} of ${id} on ${this.#http.name}`
    return this.#http.download({ tried, method: 'GET', path: url }, from)
  }

  async #search(
    tried: string,
    path: string,
    query: Readonly<Record<string, string>>,
  ): Promise<readonly Foreign[]> {
    const asked = `${path}?${new URLSearchParams(query).toString()}`
    const { hits } = await this.#http.json({ tried, method: 'GET', path: asked })
    return listOf(objectOf(hits)['hits'])
  }

  async #recordOf(id: string): Promise<Copy | undefined> {
    return this.#copyAt(id, `${records}/${encodeURIComponent(id)}`)
  }

  async #draftOf(id: string): Promise<Copy | undefined> {
    return this.#copyAt(id, `${records}/${encodeURIComponent(id)}/draft`)
  }

  async #copyAt(id: string, path: string): Promise<Copy | undefined> {
    const tried = `read ${id} on ${this.#http.name}`
    const expected = [403, 404, 410]
    const { status, json } = await this.#http.ask({ tried, method: 'GET', path, expected })
    if (status >= 400) return undefined
    const files = await this.#http.json({ tried, method: 'GET', path: `${path}/files` })
    return toCopy(objectOf(json), listOf(files['entries']).map(toFile))
  }

  /** What it cannot save it leaves out, and says so in the answer. */
  #requireSaved(tried: string, answer: Foreign): void {
    if (listOf(answer['errors']).length === 0) return
    const message = wordsOf({ errors: answer['errors'] }) ?? 'it did not save all of it'
    throw new RemoteFailure(tried, this.#http.remote, { status: 400, message })
  }
}

function toCopy(record: Foreign, files: readonly RemoteFile[]): Copy {
  const links = linksOf(record['links'])
  const [doi, marker] = [doiIn(record), markerOf(record)]
  return {
    id: textOf(record['id']) ?? '',
    status: record['is_published'] === true ? 'published' : 'draft',
    ...(marker !== undefined && { marker }),
    ...(doi !== undefined && { doi }),
    title: textOf(objectOf(record['metadata'])['title']),
    entered: enteredIn(record),
    url: links['self_html'] ?? '',
    metadata: record,
    links,
    files,
  }
}

/** An embargo says how it stands, and a record whether it is open. */
function enteredIn({ metadata, access, custom_fields: fields }: Foreign): Foreign {
  const { record, files, embargo } = objectOf(access)
  const { active, until, reason } = objectOf(embargo)
  const limits = active === true ? { record, files, until, reason } : { record, files }
  return { metadata, fields, limits }
}

function doiIn({ pids }: Foreign): string | undefined {
  return doiOf(objectOf(objectOf(pids)['doi'])['identifier'])
}

function markerOf({ metadata }: Foreign): string | undefined {
  return markerIn(listOf(objectOf(metadata)['identifiers']))
}

function toFile(entry: Foreign): RemoteFile {
  return {
    id: textOf(entry['key']) ?? '',
    name: textOf(entry['key']) ?? '',
    size: sizeOf(entry['size'] ?? 0),
    md5: md5Of(entry['checksum']),
    isWhole: entry['status'] === 'completed',
    url: linksOf(entry['links'])['content'] ?? '',
  }
}
