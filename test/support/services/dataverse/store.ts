import { randomInt } from 'node:crypto'
import { isJson, Refusal, type Exchange, type Json, type Stored } from '../exchange.ts'
import type { ServiceOptions } from '../service.ts'
import {
  draftOf,
  latestOf,
  now,
  type Dataset,
  type DatasetVersion,
  type LockType,
} from './dataset.ts'

export interface DataverseOptions extends ServiceOptions {
  /** Users by their API token. */
  readonly tokens?: Readonly<Record<string, string>>
  /** Collections in which datasets may be made. */
  readonly collections?: readonly string[]
  /** Whether files go straight to S3; otherwise `uploadurls` is 404. */
  readonly direct?: boolean
  /** Bytes of a part of a direct upload; 1 GiB unless given. */
  readonly partSize?: number
  /** The clock by which presigned addresses expire after an hour, in seconds. */
  readonly clock?: () => number
  /** Whether S3 wants `x-amz-tagging: dv-state=temp`, as it does unless switched off. */
  readonly tagging?: boolean
  /** `:MaxFileUploadSizeInBytes`; none unless given. */
  readonly maxFileSize?: number
  /** Questions for the locks that an ingest or a publication in the background lasts; 2 unless given. */
  readonly lockLasts?: number
  /**
   * Whether publishing runs a workflow in the background and answers 202. It may begin `late`, after
   * a question for the locks that shows none; it `fails` and leaves a draft behind, or finds a file
   * `invalid` and leaves a lock.
   */
  readonly workflow?: boolean | 'late' | 'fails' | 'invalid'
  /** Whether files may have the bytes of others, as since version 5. */
  readonly takesDuplicates?: boolean
  /** Whether a file may be replaced that was never published; not so in early versions. */
  readonly replacesUnpublished?: boolean
  /** Whether it is `:PublicInstall`, which has no restricted files. */
  readonly isPublic?: boolean
  /** Whether its users may make datasets in its collections. */
  readonly canAddDataset?: boolean
  /** The object store from which files are downloaded, if not from the installation itself. */
  readonly downloadsAt?: string
  /** Requests until the index has seen a change; 1 unless given. */
  readonly lag?: number
}

export const demoKey = 'demo-key'

/** An upload to S3 that was begun. */
export interface DirectUpload {
  readonly storageIdentifier: string
  readonly uploadId?: string
  readonly parts: Map<number, Stored>
  content?: Stored
}

type Settings = Required<Omit<DataverseOptions, 'port' | 'faults' | 'maxFileSize'>>

/** What an installation of Dataverse keeps. */
export class DataverseStore {
  readonly datasets: Dataset[] = []
  readonly uploads = new Map<string, DirectUpload>()
  readonly settings: Settings
  readonly maxFileSize: number
  readonly #later = new Map<Dataset, () => void>()
  #id = 10

  constructor(options: DataverseOptions) {
    this.maxFileSize = options.maxFileSize ?? Infinity
    this.settings = {
      tokens: options.tokens ?? { [demoKey]: 'dataverseAdmin' },
      collections: options.collections ?? ['root'],
      direct: options.direct ?? false,
      partSize: options.partSize ?? 1_073_741_824,
      clock: options.clock ?? (() => 0),
      tagging: options.tagging ?? true,
      lockLasts: options.lockLasts ?? 2,
      workflow: options.workflow ?? false,
      takesDuplicates: options.takesDuplicates ?? true,
      replacesUnpublished: options.replacesUnpublished ?? true,
      isPublic: options.isPublic ?? false,
      canAddDataset: options.canAddDataset ?? true,
      lag: options.lag ?? 1,
      downloadsAt: options.downloadsAt ?? '',
    }
  }

  nextId(): number {
    this.#id += 1
    return this.#id
  }

  /** Nothing for a guest. @throws Refusal 401 for a wrong key */
  user({ headers, query }: Exchange): string | undefined {
    const key = headers['x-dataverse-key'] ?? query.get('key') ?? undefined
    if (key === undefined) return undefined
    const user = this.settings.tokens[String(key)]
    if (user === undefined) throw failed(401, 'Bad API key')
    return user
  }

  requireUser(exchange: Exchange): string {
    const user = this.user(exchange)
    if (user !== undefined) return user
    throw failed(401, 'User :guest is not permitted to perform requested action.')
  }

  create(owner: string, metadata: Json): Dataset {
    const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
    const suffix = Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('')
    const version = { id: this.nextId(), updated: now(), metadata, files: [] }
    const dataset: Dataset = {
      id: this.nextId(),
      persistentId: `doi:10.5072/FK2/${suffix}`,
      owner,
      versions: [version],
      locks: [],
      unindexed: this.settings.lag,
    }
    this.datasets.push(dataset)
    return dataset
  }

  /** By database id, or by `persistentId`. @throws Refusal 404; 401 where it is a draft of somebody else */
  find(exchange: Exchange): Dataset {
    const { parameters, query } = exchange
    const id = parameters['id'] ?? ''
    const pid = query.get('persistentId') ?? ''
    const isPid = id === ':persistentId'
    const found = this.datasets.find((dataset) =>
      isPid ? dataset.persistentId === pid : String(dataset.id) === id,
    )
    if (!found) {
      throw failed(
        404,
        isPid ? `Dataset with Persistent ID ${pid} not found.` : `Dataset with ID ${id} not found.`,
      )
    }
    const user = this.user(exchange)
    const isPublic = found.versions.some(({ number }) => number !== undefined)
    if (user !== found.owner && !isPublic) {
      throw failed(401, `User ${user ?? ':guest'} is not permitted to perform requested action.`)
    }
    return found
  }

  /** @throws Refusal 401 for others, 403 while it is locked */
  findToEdit(exchange: Exchange): Dataset {
    const user = this.requireUser(exchange)
    const dataset = this.find(exchange)
    if (dataset.owner !== user)
      throw failed(403, 'You do not have permission to edit this dataset.')
    if (dataset.locks.length > 0) throw failed(403, 'Dataset cannot be edited due to dataset lock.')
    return dataset
  }

  /** The draft to be changed, which a published dataset gets with its first change. */
  openDraft(dataset: Dataset): DatasetVersion {
    dataset.unindexed = this.settings.lag
    const draft = draftOf(dataset)
    if (draft) {
      draft.updated = now()
      return draft
    }
    const { metadata = {}, files = [] } = latestOf(dataset) ?? {}
    const made = { id: this.nextId(), updated: now(), metadata, files }
    dataset.versions.push(made)
    return made
  }

  lock(dataset: Dataset, type: LockType, end: () => void = () => {}): void {
    const isLasting = type === 'InReview' || type === 'FileValidationFailed'
    const left = isLasting ? Infinity : this.settings.lockLasts
    dataset.locks = [...dataset.locks, { type, since: new Date().toString(), left, end }]
  }

  /** Calls `begin` after the next question for the locks, which shows none. */
  lockLater(dataset: Dataset, begin: () => void): void {
    this.#later.set(dataset, begin)
  }

  /** The locks as they are; each question brings their end nearer. */
  locksOf(dataset: Dataset): Dataset['locks'] {
    const shown = dataset.locks
    const begin = this.#later.get(dataset)
    this.#later.delete(dataset)
    begin?.()
    for (const lock of shown) lock.left -= 1
    dataset.locks = dataset.locks.filter(({ left }) => left > 0)
    for (const lock of shown) if (lock.left <= 0) lock.end()
    return shown
  }

  countRequest(): void {
    for (const dataset of this.datasets) dataset.unindexed -= 1
  }

  state(): unknown {
    return this.datasets.map(({ locks, versions, ...dataset }) => ({
      ...dataset,
      locks: locks.map(({ type }) => type),
      versions: versions.map(({ files, ...version }) => ({
        ...version,
        files: files.map(({ content: _, ...file }) => file),
      })),
    }))
  }
}

export const failure = (status: number): unknown => ({
  status: 'ERROR',
  code: status,
  message:
    status === 404
      ? unknownEndpoint
      : 'Internal server error. More details available at the server logs.',
})

const unknownEndpoint =
  'API endpoint does not exist on this server. Please check your code for typos, or consult our API guide at http://guides.dataverse.org.'

export const badTerms =
  'Terms of Use and Access are invalid. You must enable request access or add terms of access in datasets with restricted files.'

export const failed = (status: number, message: string): Refusal =>
  new Refusal(status, { status: 'ERROR', message })

export const succeeded = (data: unknown, more: Json = {}) => ({ status: 'OK', ...more, data })

/** @throws Refusal 400 */
export function parseJson(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    if (isJson(value) || Array.isArray(value)) return value as Json
  } catch {
    // Answered below.
  }
  throw failed(400, 'Error parsing Json: Invalid JSON')
}
