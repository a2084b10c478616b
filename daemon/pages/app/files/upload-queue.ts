import type { Upload } from 'tus-js-client'
import { safeKey } from '../../../../core/contract/file-key.ts'
import { text } from '../../text/text.ts'
import { startUpload } from './start-upload.ts'
import type { Source } from './dropped-files.ts'

export type UploadState = 'waiting' | 'sending' | 'paused' | 'failed' | 'exists'

/** An upload as the page shows it. It leaves the list when the file is there. */
export interface UploadView {
  readonly id: number
  readonly key: string
  /** Bytes. */
  readonly size: number
  readonly sent: number
  readonly state: UploadState
  readonly failure?: string
}

interface Entry {
  view: UploadView
  readonly file: File
  upload?: Upload
  replaces: boolean
}

/** Uploads at once; the rest wait for their turn. */
const atOnce = 3

/** Sends files one after another, a few at a time; each can pause, go on, and be given up. */
export class UploadQueue {
  readonly #endpoint: string
  readonly #onDone: () => void
  readonly #listeners = new Set<() => void>()
  #entries: readonly Entry[] = []
  #nextId = 1

  /** @param onDone called whenever a file has arrived */
  constructor(endpoint: string, onDone: () => void) {
    this.#endpoint = endpoint
    this.#onDone = onDone
  }

  get views(): readonly UploadView[] {
    return this.#entries.map(({ view }) => view)
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  add(sources: readonly Source[]): void {
    this.#entries = [...this.#entries, ...sources.map((source) => this.#toEntry(source))]
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
    this.resume(id)
  }

  /** Gives it up; what was sent of it is removed. */
  async cancel(id: number): Promise<void> {
    const entry = this.#find(id)
    this.#drop(id)
    // An upload that never began has nothing to remove.
    await entry?.upload?.abort(true).catch(() => undefined)
    this.#next()
  }

  #toEntry({ path, file }: Source): Entry {
    const safe = safeKey(path)
    const key = 'key' in safe ? safe.key : path
    const view = { id: this.#nextId++, key, size: file.size, sent: 0 }
    const refused = 'reason' in safe ? safe.reason : undefined
    return {
      file,
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
    const { key } = entry.view
    try {
      entry.upload ??= await startUpload(entry.file, {
        endpoint: this.#endpoint,
        key,
        replaces: entry.replaces,
        onProgress: (sent) => this.#show(entry, { sent }),
        onDone: () => this.#arrived(entry),
        onFailure: (failure, code) => this.#failed(entry, failure, code),
      })
      // It may have been paused while its program was loading.
      if (entry.view.state === 'sending') entry.upload.start()
    } catch (error) {
      this.#failed(entry, error instanceof Error ? error.message : String(error))
    }
  }

  #arrived(entry: Entry): void {
    this.#drop(entry.view.id)
    this.#onDone()
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

  #drop(id: number): void {
    this.#entries = this.#entries.filter(({ view }) => view.id !== id)
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
