import { setTimeout as wait } from 'node:timers/promises'
import { isPassing, RemoteFailure } from '../port/remote-failure.ts'
import type { RemoteHttp } from '../port/remote-http.ts'
import type { Outgoing, RemoteFile } from '../port/repository.ts'
import { listOf, md5Of, objectOf, sizeOf, textOf, type Foreign } from '../port/values.ts'
import { idOf, type DatasetLocks } from './dataset-locks.ts'
import { cannotReplace, DirectUploads } from './direct-uploads.ts'
import { formOf, inArchive, type FileDetails } from './form.ts'

const mostAttempts = 5
const pauseMs = 50

/** A file on its way to a dataset. */
interface Sending {
  readonly tried: string
  /** Of the dataset. */
  readonly id: string
  readonly file: Outgoing
  readonly about: FileDetails
}

/** The files of datasets: in forms, or where the installation offers it, straight to its object store. */
export class DatasetFiles {
  readonly #http: RemoteHttp
  readonly #locks: DatasetLocks
  readonly #list: (tried: string, id: string) => Promise<readonly RemoteFile[]>
  readonly #direct: DirectUploads

  /** @param list reads the files of a dataset */
  constructor(
    http: RemoteHttp,
    locks: DatasetLocks,
    list: (tried: string, id: string) => Promise<readonly RemoteFile[]>,
  ) {
    this.#http = http
    this.#locks = locks
    this.#list = list
    this.#direct = new DirectUploads(http, (tried, file) => this.#delete(tried, file))
  }

  async upload(id: string, file: Outgoing): Promise<RemoteFile> {
    const tried = `send ${file.name} to ${this.#http.name}`
    await this.#locks.wait(id)
    const about = aboutFile(file)
    const direct = await this.#direct.send(tried, id, { file, about })
    if (direct) return direct
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#put({ tried, id, file, about })
      } catch (error) {
        if (!(error instanceof RemoteFailure) || attempt >= mostAttempts) throw error
        if (!isPassing(error)) throw error
        await wait(pauseMs * (attempt + 1), undefined, { signal: this.#http.signal })
      }
    }
  }

  /** In place of a file of the name: it keeps the history of that. */
  async #put(sending: Sending): Promise<RemoteFile> {
    const { tried, id, file } = sending
    const all = await this.#list(tried, id)
    const there = all.find(({ name }) => name.normalize('NFC') === file.name.normalize('NFC'))
    const add = `/api/datasets/:persistentId/add?${idOf(id)}`
    try {
      if (there === undefined) return await this.#send(sending, add)
      // An earlier request may have had its effect: another would add a second file of the name.
      if (there.md5 === (await file.digest())) return there
      return await this.#send(sending, `/api/files/${encodeURIComponent(there.id)}/replace`, true)
    } catch (error) {
      if (!(error instanceof RemoteFailure) || error.status !== 400) throw error
      if (there && cannotReplace(error.answer?.message)) {
        await this.#delete(tried, there)
        return this.#send(sending, add)
      }
      throw await this.#explained(error, sending, all)
    }
  }

  async #send({ tried, file, about }: Sending, path: string, replaces?: true): Promise<RemoteFile> {
    const isZip = /\.zip$/i.test(about.fileName)
    const sent = isZip ? await inArchive(file, about.fileName) : file
    const { directoryLabel, restrict, tabIngest } = about
    const said = {
      directoryLabel,
      restrict: String(restrict),
      tabIngest: String(tabIngest),
      // The type may be another one.
      ...(replaces && { forceReplace: 'true' }),
    }
    const body = formOf(sent, isZip ? `${about.fileName}.zip` : about.fileName, said)
    const { data } = await this.#http.json({ tried, method: 'POST', path, body })
    const [made] = listOf(objectOf(data)['files'])
    if (made) return toFile(made)
    throw new RemoteFailure(tried, this.#http.remote, undefined, { said: 'it names no file' })
  }

  /** Early versions refuse bytes that the dataset has under another name. */
  async #explained(
    error: RemoteFailure,
    { tried, file }: Sending,
    all: readonly RemoteFile[],
  ): Promise<RemoteFailure> {
    const md5 = await file.digest()
    const twin = all.find((other) => other.md5 === md5 && other.name !== file.name)
    if (twin === undefined) return error
    const said = `it has the same bytes as ${twin.name}, and ${this.#http.remote.host} takes no bytes twice: ${error.answer?.message ?? ''}`
    return new RemoteFailure(tried, this.#http.remote, error.answer, { cause: error, said })
  }

  /** Registers what was sent to an object store, in one request. */
  async finish(id: string): Promise<void> {
    await this.#direct.register(id, async (tried) => {
      await this.#locks.wait(id)
      return this.#list(tried, id)
    })
  }

  async remove(files: readonly RemoteFile[]): Promise<void> {
    for (const file of files) {
      if (await this.#direct.forget(file)) continue
      await this.#delete(`delete ${file.name} on ${this.#http.name}`, file)
    }
  }

  /** @see https://guides.dataverse.org/en/latest/api/native-api.html#restrict-files */
  async restrict(id: string, files: readonly RemoteFile[], isRestricted: boolean): Promise<void> {
    await this.#locks.wait(id)
    for (const file of files) {
      const tried = `${isRestricted ? 'restrict' : 'open'} ${file.name} on ${this.#http.name}`
      const path = `/api/files/${encodeURIComponent(file.id)}/restrict`
      const request = { tried, method: 'PUT', path, json: isRestricted } as const
      try {
        await this.#http.ask(request)
      } catch (error) {
        // An earlier request had its effect.
        const isDone = error instanceof RemoteFailure && error.status === 400
        const words = isDone ? (error.answer?.message ?? '') : ''
        if (!words.endsWith(`is already ${isRestricted ? 'restricted' : 'unrestricted'}`))
          throw error
      }
    }
  }

  async #delete(tried: string, { id }: Pick<RemoteFile, 'id'>): Promise<void> {
    const path = `/api/files/${encodeURIComponent(id)}`
    await this.#http.ask({ tried, method: 'DELETE', path, expected: [404] })
  }
}

function aboutFile({ name, type, isRestricted }: Outgoing): FileDetails {
  const at = name.lastIndexOf('/')
  return {
    fileName: name.slice(at + 1),
    ...(at > 0 && { directoryLabel: name.slice(0, at) }),
    mimeType: type,
    restrict: isRestricted,
    // As a table, it would get another name and other bytes.
    tabIngest: false,
  }
}

export function toFile({ label, directoryLabel, dataFile, restricted }: Foreign): RemoteFile {
  const { id, filesize, checksum, originalFileName } = objectOf(dataFile)
  const { type, value } = objectOf(checksum)
  const name = textOf(originalFileName) ?? textOf(label) ?? ''
  const folder = textOf(directoryLabel)
  return {
    id: textOf(id) ?? '',
    name: folder === undefined ? name : `${folder}/${name}`,
    size: sizeOf(filesize),
    md5: type === 'MD5' ? md5Of(value) : undefined,
    isWhole: true,
    isRestricted: restricted === true,
  }
}
