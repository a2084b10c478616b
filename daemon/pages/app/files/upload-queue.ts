import type { Upload } from 'tus-js-client'
import { safeKey } from '../../../../core/contract/file-key.ts'
import { text } from '../../text/text.ts'
import type { UnfinishedUpload } from '../api/files.ts'
import { toPath } from '../api/http.ts'
import { startUpload } from './start-upload.ts'
import type { Source } from './drop-zone.tsx'
import { UploadSpeed } from './upload-speed.ts'
import type { UploadState, UploadTotals, UploadView } from './upload-view.ts'

/** The functions that a queue needs of the page. */
interface QueueSurroundings {
  /** Finds an upload of the same file that was begun before, here or elsewhere. */
  readonly findBegun: (
    chosen: { readonly key: string; readonly file: File; readonly replaces: boolean },
    underWay: ReadonlySet<string>,
  ) => Promise<UnfinishedUpload | undefined>
  /** Called whenever a file has arrived or an upload was given up. */
  readonly onChange: () => void
  /** Told the name of a file that is about to be replaced. */
  readonly onReplace: (key: string) => void
  /** Told the names of the files that have arrived since the queue was last at rest. */
  readonly onRest: (keys: ReadonlySet<string>) => void
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

/** Uploads that are named where they stop publishing. */
const mostNamed = 20

/** Milliseconds in which changes are shown together. */
const beat = 60

const ofPerson: ReadonlySet<UploadState> = new Set(['failed', 'exists'])

/** Sends files in path order, a few at a time; each can pause, go on, and be given up. */
export class UploadQueue {
  readonly #endpoint: string
  readonly #surroundings: QueueSurroundings
  readonly #listeners = new Set<() => void>()
  readonly #entries = new Map<number, Entry>()
  readonly #sending = new Set<number>()
  readonly #stored = new Set<number>()
  readonly #underWay = new Set<string>()
  /** In the order of their turns; some have left the line. */
  #line: number[] = []
  #nextId = 1
  #isAnnounced = false
  /** Files that have left the list since it was last empty. */
  #done = { files: 0, size: 0 }
  #arrivals = new Set<string>()
  readonly #speed = new UploadSpeed()

  constructor(endpoint: string, surroundings: QueueSurroundings) {
    this.#endpoint = endpoint
    this.#surroundings = surroundings
  }

  get size(): number {
    return this.#entries.size
  }

  /** The first uploads, those that wait for a person before all others. */
  shown(most: number): readonly UploadView[] {
    const [first, rest]: [UploadView[], UploadView[]] = [[], []]
    for (const { view } of this.#entries.values()) {
      if (ofPerson.has(view.state)) first.push(view)
      else if (rest.length < most) rest.push(view)
    }
    const shown = new Set([...first, ...rest].slice(0, most))
    // Each stays at its place.
    return [...first, ...rest].filter((view) => shown.has(view)).toSorted((a, b) => a.id - b.id)
  }

  /** The first that the daemon does not know of yet: they wait for a person or for their turn. */
  unbegun(): readonly UploadView[] {
    const isKnown = ({ state, upload }: UploadView) => state === 'stored' || upload !== undefined
    const found = [...this.#entries.values()].filter(({ view }) => !isKnown(view))
    return found.slice(0, mostNamed).map(({ view }) => view)
  }

  get totals(): UploadTotals {
    const counts = { stopped: 0, paused: 0, taken: 0 }
    let [size, sent] = [this.#done.size, this.#done.size]
    for (const { view } of this.#entries.values()) {
      size += view.size
      sent += view.sent
      if (ofPerson.has(view.state)) counts.stopped += 1
      if (view.state === 'paused') counts.paused += 1
      if (view.state === 'exists') counts.taken += 1
    }
    const files = this.#done.files + this.#entries.size
    const done = this.#done.files + this.#stored.size
    const speed = this.#sending.size > 0 ? this.#speed.now : 0
    return { ...counts, files, done, size, sent, speed }
  }

  /** True while something is sent or waits for its turn. */
  get isBusy(): boolean {
    return this.#sending.size > 0 || this.#inState('waiting', 'signed-out').length > 0
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ids at the daemon of the uploads that this page shows as its own. */
  get underWay(): ReadonlySet<string> {
    return this.#underWay
  }

  /** Those whose file is there, though no list has shown it yet. */
  get stored(): readonly number[] {
    return [...this.#stored]
  }

  /** Leaves out uploads whose files a list has shown. */
  forget(ids: readonly number[]): void {
    for (const id of ids) {
      const entry = this.#entries.get(id)
      if (!entry) continue
      this.#done = { files: this.#done.files + 1, size: this.#done.size + entry.view.size }
      this.#drop(id)
    }
  }

  add(sources: readonly Source[]): void {
    this.#add(sources.toSorted(inPathOrder).map((source) => this.#toEntry(source)))
  }

  /**
   * Sends a file for an upload that was begun elsewhere.
   *
   * @param fromStart true where nothing that has arrived is of this file
   * @param replaces true where it takes the place of a file that is there already
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
    if (this.#entries.size === 0) this.#done = { files: 0, size: 0 }
    for (const entry of entries) {
      this.#entries.set(entry.view.id, entry)
      if (entry.view.state === 'waiting') this.#line.push(entry.view.id)
    }
    this.#announce()
    this.#next()
  }

  async pause(id: number): Promise<void> {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#show(entry, { state: 'paused' })
    await entry.upload?.abort()
    this.#next()
  }

  async pauseAll(): Promise<void> {
    const found = this.#inState('waiting', 'sending')
    // None of them takes the turn of another.
    for (const entry of found) this.#show(entry, { state: 'paused' })
    await Promise.all(found.flatMap(({ upload }) => (upload ? [upload.abort()] : [])))
  }

  /** Goes on where it stopped, or begins again. */
  resume(id: number): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#show(entry, { state: 'waiting' })
    this.#line.push(id)
    this.#next()
  }

  resumeAll(): void {
    for (const { view } of this.#inState('paused')) this.resume(view.id)
  }

  /** Tries at once where the service or the network was missing. */
  async reconnect(): Promise<void> {
    for (const { view, upload } of this.#inState('sending')) {
      if (view.isAway !== true || upload === undefined) continue
      await upload.abort()
      if (this.#entries.get(view.id)?.view.state === 'sending') upload.start()
    }
  }

  /** Goes on with those that the daemon refused without a sign-in. */
  signedIn(): void {
    for (const { view } of this.#inState('signed-out')) this.resume(view.id)
  }

  /** Takes the place of the file that has this name already; that goes among the deleted files. */
  replace(id: number): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    entry.replaces = true
    this.#surroundings.onReplace(entry.view.key)
    // One that was refused at its end would stay, and keep the draft from being published.
    void entry.upload?.abort(true).catch(() => undefined)
    delete entry.upload
    delete entry.begun
    this.resume(id)
  }

  /** Replaces all files whose names are taken. */
  replaceAll(): void {
    for (const { view } of this.#inState('exists')) this.replace(view.id)
  }

  /** Gives up all whose names are taken: what is there stays. */
  async skipAll(): Promise<void> {
    await Promise.all(this.#inState('exists').map(({ view }) => this.cancel(view.id)))
  }

  /** Gives it up; the bytes that were sent are removed. */
  async cancel(id: number): Promise<void> {
    const entry = this.#entries.get(id)
    this.#drop(id)
    if (entry) await this.#giveUp(entry)
    this.#next()
  }

  /** Gives up all that have not arrived. */
  async cancelAll(): Promise<void> {
    const found = [...this.#entries.values()].filter(({ view }) => view.state !== 'stored')
    this.#line = []
    for (const { view } of found) this.#drop(view.id)
    await Promise.all(found.filter(({ upload }) => upload).map((entry) => this.#giveUp(entry)))
    this.#rest()
  }

  #inState(...states: readonly UploadState[]): readonly Entry[] {
    return [...this.#entries.values()].filter(({ view }) => states.includes(view.state))
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
    while (this.#sending.size < atOnce) {
      const id = this.#line.shift()
      if (id === undefined) break
      const entry = this.#entries.get(id)
      if (entry?.view.state === 'waiting') void this.#start(entry)
    }
    this.#rest()
  }

  /** Tells once of all that has arrived since the queue was last at rest. */
  #rest(): void {
    if (this.#sending.size > 0 || this.#line.length > 0 || this.#arrivals.size === 0) return
    if (this.#inState('paused', 'signed-out').length > 0) return
    const keys = this.#arrivals
    this.#arrivals = new Set()
    this.#surroundings.onRest(keys)
  }

  async #start(entry: Entry): Promise<void> {
    this.#show(entry, { state: 'sending' })
    if (entry.isPreparing) return
    entry.isPreparing = true
    try {
      entry.upload ??= await this.#prepare(entry)
      // It may have been paused or cancelled in the meantime.
      if (!this.#entries.has(entry.view.id)) await this.#giveUp(entry)
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
      onPlace: (url) => this.#show(entry, { upload: url.split('/').at(-1) ?? '', isAway: false }),
      onProgress: (sent) => {
        this.#speed.add(sent - entry.view.sent)
        this.#show(entry, { sent, isAway: false })
      },
      onAway: () => this.#show(entry, { isAway: true }),
      onDone: () => this.#arrived(entry),
      onFailure: (failure, code) => this.#failed(entry, failure, code),
    })
  }

  #arrived(entry: Entry): void {
    this.#show(entry, { state: 'stored', sent: entry.view.size })
    this.#arrivals.add(entry.view.key)
    this.#surroundings.onChange()
    this.#next()
  }

  #failed(entry: Entry, failure: string, code?: string): void {
    if (code === 'unauthenticated') this.#show(entry, { state: 'signed-out' })
    else if (code === 'file_already_exists')
      this.#show(entry, { state: 'exists', failure: text('upload.exists') })
    else this.#show(entry, { state: 'failed', failure })
    this.#next()
  }

  #drop(id: number): void {
    const upload = this.#entries.get(id)?.view.upload
    if (upload !== undefined) this.#underWay.delete(upload)
    this.#entries.delete(id)
    this.#sending.delete(id)
    this.#stored.delete(id)
    this.#announce()
  }

  #show(entry: Entry, change: Partial<UploadView>): void {
    const before = entry.view
    entry.view = { ...before, ...change }
    const { id, state, upload } = entry.view
    if (this.#entries.has(id)) {
      if (before.upload !== undefined) this.#underWay.delete(before.upload)
      if (upload !== undefined) this.#underWay.add(upload)
      if (state === 'sending') this.#sending.add(id)
      else this.#sending.delete(id)
      if (state === 'stored') this.#stored.add(id)
    }
    this.#announce()
  }

  #announce(): void {
    if (this.#isAnnounced) return
    this.#isAnnounced = true
    setTimeout(() => {
      this.#isAnnounced = false
      for (const listen of this.#listeners) listen()
    }, beat)
  }
}

/** By code unit, as the command line has it: the same on every machine. */
function inPathOrder({ path: a }: Source, { path: b }: Source): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
