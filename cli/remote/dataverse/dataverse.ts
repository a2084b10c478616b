import { advice } from '../../advice.ts'
import { Failure } from '../../failure.ts'
import { RemoteFailure } from '../port/remote-failure.ts'
import type { RemoteHttp } from '../port/remote-http.ts'
import type {
  Account,
  Copy,
  Download,
  Limits,
  Outgoing,
  RemoteFile,
  Repository,
  Translation,
  Work,
} from '../port/repository.ts'
import { doiOf, listOf, objectOf, textOf, type Foreign } from '../port/values.ts'
import { DatasetFiles, toFile } from './dataset-files.ts'
import { DatasetLocks, idOf, mostLooks } from './dataset-locks.ts'
import { fromDataverse, valuesOf } from './read-citation.ts'
import { markerAgency, translateForDataverse } from './translate.ts'

interface DataverseSettings {
  /** Alias of the collection. */
  readonly collection: string
  /** Of the person to ask; that of the account where it shows one. */
  readonly contact?: string | undefined
}

/** Looks at a dataset without locks until it is published. */
const mostDrafts = 7

/**
 * Dataverse's native API. A version is the draft of the same dataset.
 *
 * @see https://guides.dataverse.org/en/latest/api/native-api.html
 */
export class Dataverse implements Repository {
  readonly limits: Limits = {
    hasFolders: true,
    takesEmptyFiles: true,
    // Installations have limits of their own, and say so.
    mostFiles: Infinity,
    largestFile: Infinity,
    mostBytes: Infinity,
    longestName: 255,
    parallel: 1,
    faultOfName,
  }
  readonly #http: RemoteHttp
  readonly #settings: DataverseSettings
  readonly #locks: DatasetLocks
  readonly #files: DatasetFiles

  private constructor(http: RemoteHttp, settings: DataverseSettings) {
    this.#http = http
    this.#settings = settings
    this.#locks = new DatasetLocks(http)
    const list = async (tried: string, id: string): Promise<readonly RemoteFile[]> =>
      (await this.#readMade(tried, id)).files
    this.#files = new DatasetFiles(http, this.#locks, list)
  }

  /** Asks for the e-mail address of the account, where none was given. */
  static async open(http: RemoteHttp, settings: DataverseSettings): Promise<Dataverse> {
    if (settings.contact !== undefined) return new Dataverse(http, settings)
    const tried = `read the account on ${http.name}`
    const me = await http.json({ tried, method: 'GET', path: '/api/users/:me' })
    const contact = textOf(objectOf(me['data'])['email'])
    return new Dataverse(http, { ...settings, contact })
  }

  async whoAmI(): Promise<Account> {
    const tried = `sign in to ${this.#http.name}`
    const me = await this.#http.json({ tried, method: 'GET', path: '/api/users/:me' })
    const name = textOf(objectOf(me['data'])['identifier'])
    const { collection } = this.#settings
    const path = `/api/dataverses/${encodeURIComponent(collection)}/userPermissions`
    const { data } = await this.#http
      .json({ tried, method: 'GET', path })
      .catch((error: unknown) => this.#hasNoCollection(error))
    const user = `user ${name ?? ''}`
    if (objectOf(data)['canAddDataset'] !== false)
      return { name, said: `the token is good, of ${user}, who may add datasets to ${collection}` }
    const said = `the token is good, of ${user}, who may not add datasets to ${collection}`
    throw new RemoteFailure(tried, this.#http.remote, { status: 403, message: said }, { said })
  }

  /** @throws {Failure} the user is known, and the collection is not */
  #hasNoCollection(error: unknown): never {
    if (!(error instanceof RemoteFailure) || error.status !== 404) throw error
    const { tried, exitCode } = error
    const { host, renew } = this.#http.remote
    const said = `the token is good, and ${host} has no collection ${this.#settings.collection}`
    const next = advice.nameCollection(
      renew.replace(/ --collection (?:'[^']*'|\S+)/, ' --collection ALIAS'),
    )
    throw new Failure({ tried, said, next }, { exitCode, cause: error })
  }

  translate(work: Work): Translation {
    return translateForDataverse(work, this.#settings.contact)
  }

  async find(marker: string): Promise<Copy | undefined> {
    const tried = `look for the draft on ${this.#http.name}`
    const query = new URLSearchParams({ q: `otherIdValue:"${marker}"`, type: 'dataset' })
    const path = `/api/search?${query.toString()}`
    const { data } = await this.#http.json({ tried, method: 'GET', path })
    for (const { global_id: id } of listOf(objectOf(data)['items'])) {
      const copy = await this.read(textOf(id) ?? '')
      if (copy?.marker === marker) return copy
    }
    return undefined
  }

  async read(id: string): Promise<Copy | undefined> {
    const tried = `read ${id} on ${this.#http.name}`
    const path = `/api/datasets/:persistentId/versions/:latest?${idOf(id)}`
    const expected = [401, 403, 404]
    const { status, json } = await this.#http.ask({ tried, method: 'GET', path, expected })
    return status >= 400 ? undefined : this.#toCopy(id, objectOf(objectOf(json)['data']))
  }

  async create({ metadata }: Translation): Promise<Copy> {
    const tried = `make a draft on ${this.#http.name}`
    const path = `/api/dataverses/${encodeURIComponent(this.#settings.collection)}/datasets`
    const json = { datasetVersion: metadata }
    const { data } = await this.#http.json({ tried, method: 'POST', path, json })
    return this.#readMade(tried, textOf(objectOf(data)['persistentId']) ?? '')
  }

  /** The first change of a dataset that is published opens its draft. */
  async openVersion(id: string): Promise<Copy> {
    const tried = `begin a new version of ${id} on ${this.#http.name}`
    return { ...(await this.#readMade(tried, id)), status: 'draft' }
  }

  async newestVersion({ id }: Copy): Promise<string | undefined> {
    const tried = `look for the newest version of ${id} on ${this.#http.name}`
    const path = `/api/datasets/:persistentId/versions/:latest-published?${idOf(id)}&excludeFiles=true`
    const expected = [401, 403, 404]
    const { status, json } = await this.#http.ask({ tried, method: 'GET', path, expected })
    return status >= 400 ? undefined : versionIn(objectOf(objectOf(json)['data']))
  }

  /** The draft after a version that is published. */
  async findCorrection(id: string): Promise<Copy | undefined> {
    const found = await this.read(id)
    return found?.status === 'draft' ? { ...found, isCorrection: true } : undefined
  }

  async openCorrection(id: string): Promise<Copy> {
    return { ...(await this.openVersion(id)), isCorrection: true }
  }

  async describe({ id }: Copy, { metadata }: Translation): Promise<Copy> {
    const tried = `set the metadata of ${id} on ${this.#http.name}`
    await this.#locks.wait(id)
    const path = `/api/datasets/:persistentId/versions/:draft?${idOf(id)}`
    await this.#http.ask({ tried, method: 'PUT', path, json: metadata })
    return this.#readMade(tried, id)
  }

  upload({ id }: Copy, file: Outgoing): Promise<RemoteFile> {
    return this.#files.upload(id, file)
  }

  finish({ id }: Copy): Promise<void> {
    return this.#files.finish(id)
  }

  restrict({ id }: Copy, files: readonly RemoteFile[], isRestricted: boolean): Promise<void> {
    return this.#files.restrict(id, files, isRestricted)
  }

  remove(_: Copy, files: readonly RemoteFile[]): Promise<void> {
    return this.#files.remove(files)
  }

  async publish({ id, isCorrection }: Copy): Promise<Copy> {
    const tried = `publish ${id} on ${this.#http.name}`
    // Version 1.1 after 1.0 has other metadata alone.
    const query = `${idOf(id)}&type=${isCorrection ? 'minor' : 'major'}&assureIsIndexed=true`
    const path = `/api/datasets/:persistentId/actions/:publish?${query}`
    for (let look = 0; ; look += 1) {
      await this.#locks.wait(id)
      // An earlier request may have begun to publish it.
      const now = await this.#readMade(tried, id)
      if (now.status === 'published') return now
      try {
        await this.#http.ask({ tried, method: 'POST', path })
        return await this.#published(tried, id)
      } catch (error) {
        const isBehind = error instanceof RemoteFailure && error.status === 409
        if (!isBehind || !/index/i.test(error.answer?.message ?? '')) throw error
        if (look >= mostLooks) throw error
        await this.#locks.pause(look)
      }
    }
  }

  /** Publishing may go on in the background, and fail there. */
  async #published(tried: string, id: string): Promise<Copy> {
    for (let look = 0; look < mostDrafts; look += 1) {
      await this.#locks.wait(id)
      const now = await this.#readMade(tried, id)
      if (now.status === 'published') return now
      await this.#locks.pause(look)
    }
    const said =
      'it took the request, and the dataset is a draft still: its workflow failed, or waits for a person'
    throw new RemoteFailure(tried, this.#http.remote, { status: 409, message: said }, { said })
  }

  async resolve(name: string): Promise<Copy | undefined> {
    const [doi] = /10\.\d{4,9}\/[^\s&]+/.exec(decodeURIComponent(name)) ?? []
    return doi === undefined ? undefined : this.read(`doi:${doi}`)
  }

  async toDocument({ metadata }: Copy): Promise<Foreign> {
    return fromDataverse(metadata)
  }

  async download({ id: of }: Copy, { id, name }: RemoteFile, from: number): Promise<Download> {
    const tried = `read ${name} of ${of} on ${this.#http.name}`
    const path = `/api/access/datafile/${encodeURIComponent(id)}?format=original`
    return this.#http.download({ tried, method: 'GET', path }, from)
  }

  async #readMade(tried: string, id: string): Promise<Copy> {
    const copy = await this.read(id)
    if (copy) return copy
    const said = `${id} cannot be read`
    throw new RemoteFailure(tried, this.#http.remote, undefined, { said })
  }

  #toCopy(id: string, version: Foreign): Copy {
    const marker = valuesOf(version, 'otherId').find(
      ({ otherIdAgency: agency }) => agency === markerAgency,
    )?.['otherIdValue']
    const doi = doiOf(/^doi:(.+)$/.exec(id)?.[1])
    const number = versionIn(version)
    return {
      id,
      status: version['versionState'] === 'RELEASED' ? 'published' : 'draft',
      ...(marker !== undefined && { marker }),
      ...(doi !== undefined && { doi }),
      ...(number !== undefined && { version: number }),
      title: valuesOf(version, 'title')[0]?.['value'],
      url: `${this.#http.url}/dataset.xhtml?${idOf(id)}`,
      metadata: version,
      files: listOf(version['files']).map(toFile),
    }
  }
}

/** Such as `1.0`; undefined of a draft. */
function versionIn({
  versionNumber: major,
  versionMinorNumber: minor,
}: Foreign): string | undefined {
  const numbers = [textOf(major), textOf(minor)]
  return numbers.includes(undefined) ? undefined : numbers.join('.')
}

/** @see https://guides.dataverse.org/en/latest/user/dataset-management.html */
function faultOfName(name: string): string | undefined {
  const at = name.lastIndexOf('/')
  if (/[:<>;#"*|?\\]/.test(name.slice(at + 1)))
    return 'Names of files there have none of : < > ; # " * | ? and \\.'
  if (at > 0 && /[^\w\-. /]/.test(name.slice(0, at)))
    return 'Names of folders there have letters without accents, digits, blanks, _ - and . alone.'
  return undefined
}
