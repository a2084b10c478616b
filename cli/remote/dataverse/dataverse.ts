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
import { DirectUploads } from './direct-uploads.ts'
import type { FileDetails } from './file-details.ts'
import { formOf, inArchive } from './form.ts'
import { fromDataverse, valuesOf } from './read-citation.ts'
import { markerAgency, translateForDataverse } from './translate.ts'

interface DataverseSettings {
  /** Alias of the collection. */
  readonly collection: string
  /** Of the person to ask; that of the account where it shows one. */
  readonly contact?: string | undefined
}

/** A dataset is looked at again so often, for locks and for an index that is behind. */
const mostLooks = 200
const lookMs = { first: 50, longest: 3000 }

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
  readonly #direct: DirectUploads
  /** Whether the files that are pushed may not be public. */
  #isRestricted = false

  private constructor(http: RemoteHttp, settings: DataverseSettings) {
    this.#http = http
    this.#settings = settings
    this.#direct = new DirectUploads(http)
  }

  /** Asks for the e-mail address of the account, where none was given. */
  static async open(http: RemoteHttp, settings: DataverseSettings): Promise<Dataverse> {
    if (settings.contact !== undefined) return new Dataverse(http, settings)
    const tried = `read the account on ${http.name}`
    const me = await http.json({ tried, method: 'GET', path: '/api/users/:me' })
    const contact = textOf(objectOf(me['data'])['email'])
    return new Dataverse(http, { ...settings, contact })
  }

  async whoAmI(): Promise<string> {
    const tried = `use the token for ${this.#http.name}`
    const me = await this.#http.json({ tried, method: 'GET', path: '/api/users/:me' })
    const name = textOf(objectOf(me['data'])['identifier'])
    const { collection } = this.#settings
    const path = `/api/dataverses/${encodeURIComponent(collection)}/userPermissions`
    const { data } = await this.#http.json({ tried, method: 'GET', path })
    const may = objectOf(data)['canAddDataset'] === false ? 'may not' : 'may'
    return `the token is good, of user ${name ?? ''}, who ${may} add datasets to ${collection}`
  }

  translate(work: Work): Translation {
    this.#isRestricted = work.about.access.files === 'restricted'
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

  async describe({ id }: Copy, { metadata }: Translation): Promise<Copy> {
    const tried = `set the metadata of ${id} on ${this.#http.name}`
    await this.#waitForLocks(id)
    const path = `/api/datasets/:persistentId/versions/:draft?${idOf(id)}`
    await this.#http.ask({ tried, method: 'PUT', path, json: metadata })
    return this.#readMade(tried, id)
  }

  async upload({ id }: Copy, file: Outgoing): Promise<RemoteFile> {
    const tried = `send ${file.name} to ${this.#http.name}`
    await this.#waitForLocks(id)
    const about = this.#aboutFile(file)
    const direct = await this.#direct.send(tried, id, { file, about })
    if (direct) return direct
    for (let attempt = 0; ; attempt += 1) {
      const there = await this.#fileOf(tried, id, file.name)
      // An earlier request may have had its effect: another would add a second file of the name.
      if (there && there.isWhole && there.md5 === (await file.digest())) return there
      if (there) await this.#delete(tried, there)
      try {
        return await this.#add(tried, id, { file, about })
      } catch (error) {
        if (!(error instanceof RemoteFailure) || attempt >= mostAttempts) throw error
        if (!isPassing(error)) throw error
        await wait(lookMs.first * (attempt + 1), undefined, { signal: this.#http.signal })
      }
    }
  }

  async #add(
    tried: string,
    id: string,
    { file, about }: { readonly file: Outgoing; readonly about: FileDetails },
  ): Promise<RemoteFile> {
    const isZip = /\.zip$/i.test(about.fileName)
    const sent = isZip ? await inArchive(file, about.fileName) : file
    const { directoryLabel, restrict, tabIngest } = about
    const said = { directoryLabel, restrict: String(restrict), tabIngest: String(tabIngest) }
    const body = formOf(sent, isZip ? `${about.fileName}.zip` : about.fileName, said)
    const path = `/api/datasets/:persistentId/add?${idOf(id)}`
    const { data } = await this.#http.json({ tried, method: 'POST', path, body })
    const [made] = listOf(objectOf(data)['files'])
    if (made) return this.#toFile(made)
    throw new RemoteFailure(tried, this.#http.remote, undefined, { said: 'it names no file' })
  }

  #aboutFile({ name, type }: Outgoing): FileDetails {
    const at = name.lastIndexOf('/')
    return {
      fileName: name.slice(at + 1),
      ...(at > 0 && { directoryLabel: name.slice(0, at) }),
      mimeType: type,
      restrict: this.#isRestricted,
      // As a table, it would get another name and other bytes.
      tabIngest: false,
    }
  }

  /** Registers what was sent to an object store, in one request. */
  async finish({ id }: Copy): Promise<void> {
    await this.#direct.register(id, async (tried) => {
      await this.#waitForLocks(id)
      return (await this.#readMade(tried, id)).files
    })
  }

  async remove(_: Copy, files: readonly RemoteFile[]): Promise<void> {
    for (const file of files) {
      if (this.#direct.forget(file)) continue
      await this.#delete(`delete ${file.name} on ${this.#http.name}`, file)
    }
  }

  async #delete(tried: string, { id }: RemoteFile): Promise<void> {
    const path = `/api/files/${encodeURIComponent(id)}`
    await this.#http.ask({ tried, method: 'DELETE', path, expected: [404] })
  }

  async publish({ id }: Copy): Promise<Copy> {
    const tried = `publish ${id} on ${this.#http.name}`
    const query = `${idOf(id)}&type=major&assureIsIndexed=true`
    const path = `/api/datasets/:persistentId/actions/:publish?${query}`
    for (let look = 0; ; look += 1) {
      await this.#waitForLocks(id)
      // An earlier request may have begun to publish it.
      const now = await this.#readMade(tried, id)
      if (now.status === 'published') return now
      const { status } = await this.#http.ask({ tried, method: 'POST', path, expected: [409] })
      if (status !== 409) break
      // Its index is behind.
      if (look >= mostLooks) {
        const said = 'its index stays behind the dataset'
        throw new RemoteFailure(tried, this.#http.remote, undefined, { said })
      }
      await this.#pause(look)
    }
    await this.#waitForLocks(id)
    return this.#readMade(tried, id)
  }

  async resolve(name: string): Promise<Copy | undefined> {
    const [doi] = /10\.\d{4,9}\/[^\s&]+/.exec(decodeURIComponent(name)) ?? []
    return doi === undefined ? undefined : this.read(`doi:${doi}`)
  }

  async toDocument({ metadata }: Copy): Promise<Foreign> {
    return fromDataverse(metadata)
  }

  async download({ id: of }: Copy, { id, name }: RemoteFile, from: number): Promise<Readable> {
    const tried = `read ${name} of ${of} on ${this.#http.name}`
    const headers = from > 0 ? { range: `bytes=${from}-` } : {}
    const path = `/api/access/datafile/${encodeURIComponent(id)}?format=original`
    return this.#http.stream({ tried, method: 'GET', path, headers, accept: '*/*' })
  }

  async #readMade(tried: string, id: string): Promise<Copy> {
    const copy = await this.read(id)
    if (copy) return copy
    const said = `${id} cannot be read`
    throw new RemoteFailure(tried, this.#http.remote, undefined, { said })
  }

  async #fileOf(tried: string, id: string, name: string): Promise<RemoteFile | undefined> {
    const { files } = await this.#readMade(tried, id)
    return files.find((file) => file.name.normalize('NFC') === name.normalize('NFC'))
  }

  /** While a dataset is published or a table is read in, it cannot be changed. */
  async #waitForLocks(id: string): Promise<void> {
    const tried = `wait for ${id} on ${this.#http.name}`
    const path = `/api/datasets/:persistentId/locks?${idOf(id)}`
    for (let look = 0; ; look += 1) {
      const { data } = await this.#http.json({ tried, method: 'GET', path })
      const locks = listOf(data)
      if (locks.length === 0) return
      const kinds = locks.map(({ lockType }) => textOf(lockType) ?? '').join(', ')
      if (look >= mostLooks || kinds.includes('InReview')) {
        const said = `it is locked there: ${kinds}`
        throw new RemoteFailure(tried, this.#http.remote, { status: 409, message: said })
      }
      await this.#pause(look)
    }
  }

  #pause(look: number): Promise<void> {
    const ms = Math.min(lookMs.first * 2 ** look, lookMs.longest)
    return wait(ms, undefined, { signal: this.#http.signal })
  }

  #toCopy(id: string, version: Foreign): Copy {
    const marker = valuesOf(version, 'otherId').find(
      ({ otherIdAgency: agency }) => agency === markerAgency,
    )?.['otherIdValue']
    const [, doi] = /^doi:(.+)$/.exec(id) ?? []
    return {
      id,
      status: version['versionState'] === 'RELEASED' ? 'published' : 'draft',
      ...(marker !== undefined && { marker }),
      ...(doi !== undefined && { doi }),
      url: `${this.#http.url}/dataset.xhtml?${idOf(id)}`,
      metadata: version,
      files: listOf(version['files']).map((file) => this.#toFile(file)),
    }
  }

  /** A file that should not be public, and is, counts as one that has to be sent again. */
  #toFile({ label, directoryLabel, dataFile, restricted }: Foreign): RemoteFile {
    const { id, filesize, checksum, originalFileName } = objectOf(dataFile)
    const { type, value } = objectOf(checksum)
    const name = textOf(originalFileName) ?? textOf(label) ?? ''
    const folder = textOf(directoryLabel)
    return {
      id: textOf(id) ?? '',
      name: folder === undefined ? name : `${folder}/${name}`,
      size: Number(filesize),
      md5: type === 'MD5' ? md5Of(value) : undefined,
      isWhole: !this.#isRestricted || restricted === true,
    }
  }
}

const mostAttempts = 5

function idOf(id: string): string {
  return `persistentId=${encodeURIComponent(id)}`
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
