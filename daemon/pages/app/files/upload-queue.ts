import type { Upload } from 'tus-js-client'
import { safeKey } from '../../../../core/contract/file-key.ts'
import { text } from '../../text/text.ts'
import type { UnfinishedUpload } from '../api/files.ts'
import { toPath } from '../api/http.ts'
import { startUpload } from './start-upload.ts'
import type { Source } from './drop-zone.tsx'

export type UploadState = 'waiting' | 'sending' | 'paused' | 'failed' | 'exists' | 'stored'

/** An upload as the page shows it. It leaves the list when the list of files shows its file. */
export interface UploadView {
  readonly id: number
  readonly key: string
  /** Bytes. */
  readonly size: number
  readonly sent: number
  readonly state: UploadState
  readonly failure?: string
  /** Its id at the daemon, once it has begun. */
  readonly upload?: string
}

/** The functions that a queue needs of the page. */
interface QueueSurroundings {
  /** Finds an upload of the same file that was begun before, here or elsewhere. */
  readonly findBegun: (
    chosen: { readonly key: string; readonly file: File; readonly replaces: boolean },
    underWay: ReadonlySet<string>,
  ) => Promise<UnfinishedUpload | undefined>
  /** Called whenever a file has arrived or an upload was given up. */
  readonly onChange: () => void
}

interface Entry {
  view: UploadView
  readonly file: File
  upload?: Upload
  /** Paused and resumed in this time, it is still prepared once. */
  isPreparing: boolean
  replaces: boolean
  /** The upload it was chosen for. */
  begun?: UnfinishedUpload | undefined
}

/** Uploads at once; the rest wait for their turn. */
const atOnce = 3

/** Sends files one after another, a few at a time; each can pause, go on, and be given up. */
export class UploadQueue {
  readonly #endpoint: string
  readonly #surroundings: QueueSurroundings
  readonly #listeners = new Set<() => void>()
  #entries: readonly Entry[] = []
  #nextId = 1

  constructor(endpoint: string, surroundings: QueueSurroundings) {
    this.#endpoint = endpoint
    this.#surroundings = surroundings
  }

  get views(): readonly UploadView[] {
    return this.#entries.map(({ view }) => view)
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ids at the daemon of the uploads that this page shows as its own. */
  get underWay(): ReadonlySet<string> {
    return new Set(this.views.flatMap(({ upload }) => upload ?? []))
  }

  /** Those whose file is there, though no list has shown it yet. */
  get stored(): readonly number[] {
    return this.views.filter(({ state }) => state === 'stored').map(({ id }) => id)
  }

  /** Leaves out uploads whose files a list has shown. */
  forget(ids: readonly number[]): void {
    if (ids.length > 0) this.#drop(...ids)
  }

  add(sources: readonly Source[]): void {
    this.#add(sources.map((source) => this.#toEntry(source)))
  }

  /**
   * Sends a file for an upload that was begun elsewhere.
   *
   * @param fromStart true where nothing that has arrived is of this file
   * @param replaces true for a new version of a file that is there already
   */
  finish(
    begun: UnfinishedUpload,
    file: File,
    { fromStart, replaces }: { readonly fromStart: boolean; readonly replaces: boolean },
  ): void {
    const entry = this.#toEntry({ path: begun.filename, file })
    this.#add([{ ...entry, replaces, begun: fromStart ? undefined : begun }])
  }

  #add(entries: readonly Entry[]): void {
    this.#entries = [...this.#entries, ...entries]
    this.#announce()
    this.#next()
  }

  async pause(id: number): Promise<void> {
    const entry = this.#find(id)
    if (!entry) return
    this.#show(entry, { state: 'paused' })
    await entry.upload?.abort()
    this.#next()
  }

  /** Goes on where it stopped, or begins again. */
  resume(id: number): void {
    const entry = this.#find(id)
    if (!entry) return
    this.#show(entry, { state: 'waiting' })
    this.#next()
  }

  /** Makes a new version of the file that has this name already. */
  replace(id: number): void {
    const entry = this.#find(id)
    if (!entry) return
    entry.replaces = true
    delete entry.upload
    delete entry.begun
    this.resume(id)
  }

  /** Gives it up; the bytes that were sent are removed. */
  async cancel(id: number): Promise<void> {
    const entry = this.#find(id)
    this.#drop(id)
    if (entry) await this.#giveUp(entry)
    this.#next()
  }

  #toEntry({ path, file }: Source): Entry {
    const safe = safeKey(path)
    const key = 'key' in safe ? safe.key : path
    const view = { id: this.#nextId++, key, size: file.size, sent: 0 }
    const refused = 'reason' in safe ? safe.reason : undefined
    return {
      file,
      isPreparing: false,
      replaces: false,
      view:
        refused === undefined
          ? { ...view, state: 'waiting' }
          : { ...view, state: 'failed', failure: refused },
    }
  }

  #next(): void {
    const sending = this.#entries.filter(({ view }) => view.state === 'sending').length
    const waiting = this.#entries.filter(({ view }) => view.state === 'waiting')
    for (const entry of waiting.slice(0, Math.max(atOnce - sending, 0))) void this.#start(entry)
  }

  async #start(entry: Entry): Promise<void> {
    this.#show(entry, { state: 'sending' })
    if (entry.isPreparing) return
    entry.isPreparing = true
    try {
      entry.upload ??= await this.#prepare(entry)
      // It may have been paused or cancelled in the meantime.
      if (!this.#entries.includes(entry)) await this.#giveUp(entry)
      else if (entry.view.state === 'sending') entry.upload.start()
    } catch (error) {
      this.#failed(entry, error instanceof Error ? error.message : String(error))
    } finally {
      entry.isPreparing = false
    }
  }

  async #giveUp({ upload }: Entry): Promise<void> {
    // An upload that never began has nothing to remove.
    await upload?.abort(true).catch(() => undefined)
    this.#surroundings.onChange()
  }

  async #prepare(entry: Entry): Promise<Upload> {
    const { file, replaces } = entry
    const { key } = entry.view
    const { findBegun } = this.#surroundings
    const begun = entry.begun ?? (await findBegun({ key, file, replaces }, this.underWay))
    if (begun) this.#show(entry, { upload: begun.id, sent: begun.offset })
    return startUpload(file, {
      endpoint: this.#endpoint,
      key,
      replaces,
      begun: begun && toPath(begun.links.self),
      onPlace: (url) => this.#show(entry, { upload: url.split('/').at(-1) ?? '' }),
      onProgress: (sent) => this.#show(entry, { sent }),
      onDone: () => this.#arrived(entry),
      onFailure: (failure, code) => this.#failed(entry, failure, code),
    })
  }

  #arrived(entry: Entry): void {
    this.#show(entry, { state: 'stored', sent: entry.view.size })
    this.#surroundings.onChange()
    this.#next()
  }

  #failed(entry: Entry, failure: string, code?: string): void {
    const exists = code === 'file_already_exists'
    this.#show(entry, {
      state: exists ? 'exists' : 'failed',
      failure: exists ? text('upload.exists') : failure,
    })
    this.#next()
  }

  #find(id: number): Entry | undefined {
    return this.#entries.find(({ view }) => view.id === id)
  }

  #drop(...ids: readonly number[]): void {
    this.#entries = this.#entries.filter(({ view }) => !ids.includes(view.id))
    this.#announce()
  }

  #show(entry: Entry, change: Partial<UploadView>): void {
    entry.view = { ...entry.view, ...change }
    this.#announce()
  }

  #announce(): void {
    for (const listen of this.#listeners) listen()
  }
}
