import { isPassing, RemoteFailure } from '../port/remote-failure.ts'
import type { RemoteHttp } from '../port/remote-http.ts'
import type { Outgoing, RemoteFile } from '../port/repository.ts'
import { listOf, objectOf, textOf, type Foreign } from '../port/values.ts'
import { jsonForm, type FileDetails } from './form.ts'
import { ObjectStore } from './object-store.ts'

interface Sent {
  readonly file: Outgoing
  readonly details: Foreign
}

/** Whether a file can be deleted and added, but not replaced: one that was never published, early. */
export function cannotReplace(message: string | undefined): boolean {
  return /cannot replace/i.test(message ?? '')
}

interface Sending {
  readonly file: Outgoing
  readonly about: FileDetails
}

const mostAttempts = 5

/**
 * Files that go straight to the object store behind a Dataverse, and are registered afterwards: all
 * in one request, for each takes longer the more there are.
 *
 * @see https://guides.dataverse.org/en/latest/developers/s3-direct-upload-api.html
 */
export class DirectUploads {
  readonly #http: RemoteHttp
  readonly #delete: (tried: string, file: RemoteFile) => Promise<void>
  readonly #store: ObjectStore
  readonly #sent = new Map<string, Sent>()

  constructor(http: RemoteHttp, remove: (tried: string, file: RemoteFile) => Promise<void>) {
    this.#http = http
    this.#delete = remove
    this.#store = new ObjectStore(http)
  }

  /** Undefined where the installation wants files in forms. */
  async send(tried: string, id: string, { file, about }: Sending): Promise<RemoteFile | undefined> {
    const stored = await this.#store.send(tried, id, file)
    if (stored === undefined) return undefined
    const { storageIdentifier, md5 } = stored
    const checksum = { '@type': 'MD5', '@value': md5 }
    this.#sent.set(storageIdentifier, {
      file,
      details: { ...about, storageIdentifier, checksum },
    })
    const { name, size, isRestricted } = file
    return { id: storageIdentifier, name, size, md5, isWhole: true, isRestricted }
  }

  /** Whether the file was sent and not yet registered: it will not be. */
  async forget({ id }: RemoteFile): Promise<boolean> {
    await this.#sent.get(id)?.file.upload.note(undefined)
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
      const there = new Map((await list(tried)).map((file) => [file.name.normalize('NFC'), file]))
      try {
        await this.#registerAll(tried, id, there)
        return
      } catch (error) {
        if (!(error instanceof RemoteFailure) || !isPassing(error)) throw error
        if (attempt >= mostAttempts) throw error
      }
    }
  }

  async #registerAll(
    tried: string,
    id: string,
    there: ReadonlyMap<string, RemoteFile>,
  ): Promise<void> {
    const [added, replaced]: [Foreign[], Foreign[]] = [[], []]
    for (const [key, { file, details }] of this.#sent) {
      const old = there.get(file.name.normalize('NFC'))
      const md5 = textOf(objectOf(details['checksum'])['@value'])
      // It was registered, and the answer was lost.
      if (old?.md5 === md5) await this.#done(key)
      else if (old === undefined) added.push(details)
      else replaced.push({ ...details, fileToReplaceId: Number(old.id), forceReplace: true })
    }
    const others = await this.#replaceAll(tried, id, replaced, there)
    await this.#post(tried, id, { action: 'addFiles', list: [...added, ...others] }, there)
  }

  /** @returns those whose place is free now: early versions replace no file that was never published */
  async #replaceAll(
    tried: string,
    id: string,
    list: readonly Foreign[],
    there: ReadonlyMap<string, RemoteFile>,
  ): Promise<readonly Foreign[]> {
    const refused = await this.#post(tried, id, { action: 'replaceFiles', list }, there)
    for (const { fileToReplaceId } of refused) {
      const old = [...there.values()].find((file) => file.id === String(fileToReplaceId))
      if (old) await this.#delete(tried, old)
    }
    return refused.map(({ fileToReplaceId: _, forceReplace: __, ...details }) => details)
  }

  /**
   * @returns those that cannot replace their file
   * @throws {RemoteFailure} others were refused: all of them, by their names
   */
  async #post(
    tried: string,
    id: string,
    { action, list }: { readonly action: string; readonly list: readonly Foreign[] },
    there: ReadonlyMap<string, RemoteFile>,
  ): Promise<readonly Foreign[]> {
    if (list.length === 0) return []
    const path = `/api/datasets/:persistentId/${action}?persistentId=${encodeURIComponent(id)}`
    const { data } = await this.#http.json({ tried, method: 'POST', path, body: jsonForm(list) })
    const outcomes = listOf(objectOf(data)['Files'])
    const refusals = new Map(
      outcomes.flatMap(({ storageIdentifier, errorMessage }) => {
        const [key, message] = [textOf(storageIdentifier) ?? '', textOf(errorMessage)]
        return message === undefined ? [] : [[key, message] as const]
      }),
    )
    const keyOf = (details: Foreign): string => textOf(details['storageIdentifier']) ?? ''
    for (const details of list) if (!refusals.has(keyOf(details))) await this.#done(keyOf(details))
    const others = list.filter((details) => cannotReplace(refusals.get(keyOf(details))))
    const failed = list
      .filter((details) => refusals.has(keyOf(details)))
      .filter((details) => !others.includes(details))
    if (failed.length === 0) return others
    const lines = await Promise.all(
      failed.map((details) => this.#explain(details, refusals.get(keyOf(details)) ?? '', there)),
    )
    const message = lines.join('; ')
    throw new RemoteFailure(tried, this.#http.remote, { status: 400, message })
  }

  /** The words of a refusal with the name of the file; it is sent again, unless its bytes are there. */
  async #explain(
    details: Foreign,
    message: string,
    there: ReadonlyMap<string, RemoteFile>,
  ): Promise<string> {
    const { file } = this.#sent.get(textOf(details['storageIdentifier']) ?? '') ?? {}
    const md5 = textOf(objectOf(details['checksum'])['@value'])
    const name = file?.name ?? textOf(details['fileName']) ?? ''
    const names = [
      ...[...there.values()].filter((other) => other.md5 === md5).map((other) => other.name),
      ...[...this.#sent.values()]
        .filter((other) => textOf(objectOf(other.details['checksum'])['@value']) === md5)
        .map((other) => other.file.name),
    ]
    const twin = names.find((other) => other !== name)
    if (twin === undefined) await file?.upload.note(undefined)
    const words = twin === undefined ? '' : `it has the same bytes as ${twin}: `
    return `${name}: ${words}${message}`
  }

  async #done(key: string): Promise<void> {
    await this.#sent.get(key)?.file.upload.note(undefined)
    this.#sent.delete(key)
  }
}
