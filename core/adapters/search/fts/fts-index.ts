import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { giveWay, Turns } from '../../../base/turns.ts'
import { isTooLong, textLength } from '../../../search/indexed-document.ts'
import type { IndexedDocument, SearchResult, Visibility } from '../../../ports/search-index.ts'
import type { SearchRequest } from '../../../search/request.ts'
import type { RowsSeal } from '../../../ports/rows-seal.ts'
import { FtsThread } from './fts-thread.ts'
import { isDamage, removeFts } from './open-fts.ts'

interface FtsOptions {
  /** File of the index; nothing is made before {@link FtsIndex.begin}. */
  readonly path: string
  /** Reads every document that belongs into it. */
  readonly load: () => AsyncIterable<IndexedDocument>
  /** Bytes of the largest document there may be. */
  readonly maxDocument: number
  /** Called with failures that no caller waits for. */
  readonly report: (error: unknown) => void
  /** Of the rows: with the same mark, the file of an earlier process has every document. */
  readonly seal?: RowsSeal | undefined
  /** Milliseconds after a failure before it may be begun again; a minute where it is absent. */
  readonly pauseMs?: number
}

const minutePause = 60_000

/** Documents that are compared at a time, and their characters. */
const batchSize = 100
const batchLength = 512 * 1024
/** Changes that may wait for the thread, and their characters, before those that follow wait too. */
const mostWaiting = 500
const mostLength = 16 * 1024 * 1024

/**
 * A search index in a file of its own (SQLite's FTS5), for more documents than fit in memory.
 *
 * It is a projection of the rows, updated in the background when it is begun: documents that are missing
 * or older are put, those without a row are removed. Until then it answers no search. A file that was
 * level when it was closed needs no update, if the rows have not changed since. After a failure
 * it answers none either, until a search a minute later, or the next start, updates it again; a damaged
 * file is replaced by a new one.
 */
export class FtsIndex implements AsyncDisposable {
  readonly #options: FtsOptions
  #thread: FtsThread | undefined
  #state: 'idle' | 'resuming' | 'behind' | 'level' | 'failed' | 'closed' = 'idle'
  #failedAt = -Infinity
  #work: Promise<void> = Promise.resolve()
  #resuming: Promise<void> | undefined
  /** The thread does one thing at a time: what it is given waits for all before it. */
  readonly #turns = new Turns({ all: 1, each: 1 })
  /** Documents that the thread puts, by their ids, and later states of them. */
  readonly #putting = new Set<string>()
  readonly #later = new Map<string, IndexedDocument>()
  /** Documents that changed during the update: the rows read may be older. */
  readonly #changed = new Set<string>()

  constructor(options: FtsOptions) {
    this.#options = options
  }

  /** True where a search can be answered. */
  get isLevel(): boolean {
    return this.#state === 'level'
  }

  /** True from the moment it was made or opened. */
  get isBegun(): boolean {
    return this.#state !== 'idle'
  }

  /** True where one was begun that answers no searches, yet or any more. */
  get isBehind(): boolean {
    return ['resuming', 'behind', 'failed'].includes(this.#state)
  }

  /** True where there is one from before, which has to be kept level from now on. */
  get isThere(): boolean {
    return existsSync(this.#options.path)
  }

  /**
   * Makes the index, or brings it level; answers at once. Doing it twice does nothing, and after a
   * failure it does nothing for a while.
   */
  begin(): void {
    const { pauseMs = minutePause } = this.#options
    const mayRetry = this.#state === 'failed' && performance.now() - this.#failedAt >= pauseMs
    if (this.#state !== 'idle' && !mayRetry) return
    this.#state = 'behind'
    this.#work = mayRetry ? this.#beginAgain(this.#work) : this.#open()
  }

  /**
   * Takes up a file that is level with the rows. To be called before anything changes them; where
   * it is not, the index is to be begun afterwards.
   */
  resume(): void {
    const mark = this.#options.seal?.found ?? 0
    if (this.#state !== 'idle' || mark === 0 || !this.isThere) return
    this.#state = 'resuming'
    this.#resuming = this.#work = this.#resumeWith(mark)
  }

  /** Resolves once {@link resume} has taken up the file, or left it. */
  async resumed(): Promise<void> {
    await this.#resuming
  }

  /** Removes the index with its file. */
  async drop(): Promise<void> {
    await this[Symbol.asyncDispose]()
    removeFts(this.#options.path)
    this.#state = 'idle'
  }

  /**
   * A search after the answer finds the document: the thread does one thing at a time. One that is
   * changed again while it is put, as by each of many files, is put once more and not each time.
   */
  async put(document: IndexedDocument): Promise<void> {
    const { id } = document
    const known = this.#later.get(id)
    if (this.#state === 'closed' || !this.#putting.has(id)) await this.#put(document)
    else if (!known || known.revision <= document.revision) this.#later.set(id, document)
  }

  async #put(document: IndexedDocument): Promise<void> {
    const { id } = document
    await this.#change(id, async (thread) => {
      this.#putting.add(id)
      try {
        await thread.put(JSON.stringify(document))
      } finally {
        this.#putting.delete(id)
        const later = this.#later.get(id)
        this.#later.delete(id)
        if (later) void this.put(later)
      }
    })
  }

  /** Puts now what waits for an earlier state of it. */
  #putLater(): void {
    const documents = [...this.#later.values()]
    this.#later.clear()
    for (const document of documents) void this.#put(document)
  }

  async remove(id: string): Promise<void> {
    this.#later.delete(id)
    await this.#change(id, (thread) => thread.remove(id))
  }

  /**
   * Answers undefined where other work keeps it from beginning within `ms` milliseconds. However many
   * searches of their own deposits one user has sent, those of another wait for few of them.
   *
   * @throws {Error} it is not level
   */
  async search(
    request: SearchRequest,
    visibility: Visibility,
    ms: number,
  ): Promise<SearchResult | undefined> {
    const end = performance.now() + ms
    using turn = await this.#turnOf(visibility, ms)
    if (!turn) return undefined
    if (!this.#thread || !this.isLevel) throw new Error('the search index is not level')
    this.#putLater()
    return await this.#thread.search(request, visibility, end - performance.now())
  }

  async #turnOf(visibility: Visibility, ms: number): Promise<Disposable | undefined> {
    const name = visibility.of === 'owner' ? `owner ${visibility.user}` : visibility.of
    const late = AbortSignal.timeout(Math.max(0, ms))
    try {
      return await this.#turns.take(name, late)
    } catch (error) {
      if (error === late.reason) return undefined
      throw error
    }
  }

  /** Whether searches can be answered, after at most `ms` milliseconds in which it is made. */
  async untilLevel(ms: number): Promise<boolean> {
    const end = performance.now() + ms
    while (this.#state === 'behind' && performance.now() < end) await setTimeout(20)
    return this.isLevel
  }

  /** Resolves once what was begun is done, or has failed. */
  async settled(): Promise<void> {
    await this.#work
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#putLater()
    const mark = this.isLevel ? (this.#options.seal?.next() ?? 0) : 0
    this.#state = 'closed'
    await this.#work
    await this.#thread?.close(mark)
    this.#thread = undefined
  }

  async #change(id: string, change: (thread: FtsThread) => Promise<void>): Promise<void> {
    const thread = this.#thread
    if (this.#state === 'closed') this.#options.seal?.withhold()
    if (!thread || this.#state === 'failed' || this.#state === 'closed') return
    if (this.#state === 'behind') this.#changed.add(id)
    const done = change(thread).catch((error: unknown) => this.#fail(error, thread))
    if (thread.waiting > mostWaiting || thread.waitingLength > mostLength) await done
  }

  /** Documents that change before the new thread is there are read with the rows. */
  async #beginAgain(former: Promise<void>): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    await former
    await thread?.[Symbol.asyncDispose]()
    if (this.#state === 'behind') await this.#open()
  }

  #open(): Promise<void> {
    return this.#bringLevel(this.#startThread())
  }

  #startThread(): FtsThread {
    const { path, maxDocument } = this.#options
    const thread: FtsThread = new FtsThread(path, maxDocument, (error) => {
      // What keeps a file from being taken up is told where the index is begun.
      if (this.#state !== 'resuming') this.#fail(error, thread)
    })
    this.#thread = thread
    return thread
  }

  async #resumeWith(mark: number): Promise<void> {
    const thread = this.#startThread()
    const found = await thread.foundSeal().catch(() => 0)
    if (this.#state !== 'resuming') return
    if (found === mark) {
      this.#state = 'level'
      return
    }
    this.#thread = undefined
    await thread[Symbol.asyncDispose]()
    if (this.#state === 'resuming') this.#state = 'idle'
  }

  async #bringLevel(thread: FtsThread): Promise<void> {
    try {
      let [all, put] = [0, 0]
      for await (const documents of inBatches(this.#options.load())) {
        if (!this.#isBehindWith(thread)) return
        all += documents.length
        put += await this.#compare(thread, documents)
      }
      await thread.forgetOthers([...this.#changed])
      if (this.#isBehindWith(thread)) this.#state = 'level'
      if (put > all / 10) await this.#tidy(thread)
    } catch (error) {
      this.#fail(error, thread)
    } finally {
      this.#changed.clear()
    }
  }

  /** Answers how many documents had to be put. */
  async #compare(thread: FtsThread, documents: readonly IndexedDocument[]): Promise<number> {
    const older = new Set(await thread.compare(documents.map(({ id, revision }) => [id, revision])))
    const wanted = documents.filter(({ id }) => older.has(id) && !this.#changed.has(id))
    const put: Promise<void>[] = []
    for (const document of wanted) {
      await giveWay()
      const done = thread.put(JSON.stringify(document))
      // It may fail before all are awaited together, which reports it.
      done.catch(() => {})
      put.push(done)
    }
    await Promise.all(put)
    return wanted.length
  }

  /** In small steps, between which searches are answered. */
  async #tidy(thread: FtsThread): Promise<void> {
    let isMore = await thread.tidy('first')
    while (isMore && this.isLevel) isMore = await thread.tidy('next')
  }

  #isBehindWith(thread: FtsThread): boolean {
    return this.#state === 'behind' && this.#thread === thread
  }

  #fail(error: unknown, thread: FtsThread): void {
    if (this.#thread !== thread || this.#state === 'failed' || this.#state === 'closed') return
    this.#state = 'failed'
    this.#failedAt = performance.now()
    this.#options.report(error)
    if (isDamage(error)) removeFts(this.#options.path)
  }
}

async function* inBatches(
  documents: AsyncIterable<IndexedDocument>,
): AsyncGenerator<readonly IndexedDocument[]> {
  let batch: IndexedDocument[] = []
  let length = 0
  for await (const document of documents) {
    await giveWay()
    batch.push(document)
    length += textLength(document)
    if (batch.length < batchSize && length < batchLength) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0) yield batch
}

interface LargeOptions {
  readonly deposits: FtsIndex
  readonly records: FtsIndex
  /** The number of documents of a kind. */
  readonly count: (kind: LargeKind) => Promise<number>
  /** Documents from which on there is an index on disk from the start. */
  readonly documents: number
  /** Bytes of what spans owners that are kept in memory. */
  readonly limit: number
}

export type LargeKind = 'deposits' | 'records'

const kinds: readonly LargeKind[] = ['deposits', 'records']

/** Indexes on disk of what spans owners, each begun when there is too much of it for memory. */
export class LargeIndexes implements AsyncDisposable {
  readonly #options: LargeOptions

  constructor(options: LargeOptions) {
    this.#options = options
  }

  /** Bytes of what spans owners that are kept in memory. */
  get limit(): number {
    return this.#options.limit
  }

  /** False while one of them is wanted and cannot be searched. */
  get isLevel(): boolean {
    return kinds.every((kind) => !this.#options[kind].isBehind)
  }

  /** The index that has all that `visibility` covers. */
  of(visibility: Visibility): FtsIndex {
    return this.#options[visibility.of === 'records' ? 'records' : 'deposits']
  }

  /** Takes up those that are level; to be called before anything changes the rows. */
  resume(): void {
    for (const kind of kinds) this.#options[kind].resume()
  }

  /** Begins those that there are, and those that there should be. */
  async start(): Promise<void> {
    const { count, documents } = this.#options
    for (const kind of kinds) {
      const index = this.#options[kind]
      await index.resumed()
      if (index.isThere || (await count(kind)) > documents) index.begin()
    }
  }

  /** A document that is too long for memory begins its index: no search has to wait for that. */
  async put(document: IndexedDocument): Promise<void> {
    const index = this.#options[kindOf(document)]
    if (!index.isBegun && isTooLong(document)) index.begin()
    await index.put(document)
  }

  async remove(document: Pick<IndexedDocument, 'kind' | 'id'>): Promise<void> {
    await this.#options[kindOf(document)].remove(document.id)
  }

  async reset(): Promise<void> {
    for (const kind of kinds) await this.#options[kind].drop()
    await this.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const kind of kinds) await this.#options[kind][Symbol.asyncDispose]()
  }
}

function kindOf({ kind }: Pick<IndexedDocument, 'kind'>): LargeKind {
  return kind === 'record' ? 'records' : 'deposits'
}
