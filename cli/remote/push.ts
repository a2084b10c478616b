import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { inParallel } from '../../core/base/in-parallel.ts'
import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Progress } from '../output/progress.ts'
import type { CliContext } from '../session/context.ts'
import type { Flatten } from './port/flatten.ts'
import type { OpenRemote } from './open-remote.ts'
import {
  digestOfFiles,
  digestOfMetadata,
  digestOfSource,
  doiOf,
  PushJournal,
  withoutCopies,
  type Pushed,
} from './push-journal.ts'
import {
  faultsOf,
  hasMetadata,
  hasSameFiles,
  isMoreOpen,
  limitsOf,
  type Plan,
} from './push-plan.ts'
import { OutgoingFiles } from './outgoing-files.ts'
import { placeOf } from './place.ts'
import { isPassing, RemoteFailure } from './port/remote-failure.ts'
import type { Copy, Repository } from './port/repository.ts'
import { asksForVersion, isNextVersion, refusalOf } from './push-refusals.ts'
import { markerOf, type Source } from './source.ts'

export interface PushOptions {
  readonly publish: boolean
  readonly newVersion: boolean
  readonly flatten?: Flatten | undefined
  /** `--retries`: with 0, nothing is asked a second time. */
  readonly retries?: number | undefined
  /** The command line, for advice. */
  readonly command: string
}

/** Pushes a source to a repository, in two halves: what will be done, and doing it. */
export class Push implements AsyncDisposable {
  readonly #source: Source
  readonly #open: OpenRemote
  readonly #journal: PushJournal
  readonly #options: PushOptions
  readonly #files: OutgoingFiles

  private constructor(
    source: Source,
    remote: OpenRemote,
    journal: PushJournal,
    files: OutgoingFiles,
    options: PushOptions,
  ) {
    this.#files = files
    this.#source = source
    this.#open = remote
    this.#journal = journal
    this.#options = options
  }

  /** @throws {Failure} another command pushes it at this moment */
  static async begin(
    context: CliContext,
    source: Source,
    remote: OpenRemote,
    options: PushOptions,
  ): Promise<Push> {
    const journal = await PushJournal.open(context, placeOf(remote), source)
    const about = withoutCopies(source.about, journal.versions)
    const files = await OutgoingFiles.of(source, remote.repository.limits, { ...options, journal })
    return new Push({ ...source, about }, remote, journal, files, options)
  }

  /** Where the folder was when it was pushed before, if it was moved since. */
  get movedFrom(): string | undefined {
    return this.#journal.movedFrom
  }

  get #repository(): Repository {
    return this.#open.repository
  }

  /** Further attempts where an answer was lost. */
  get #most(): number {
    return this.#options.retries ?? mostAttempts
  }

  get #about() {
    return { tried: this.#tried, command: this.#options.command }
  }

  get #tried(): string {
    return `push ${this.#source.shown} to ${this.#open.remote.name}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#files[Symbol.asyncDispose]()
    await this.#journal[Symbol.asyncDispose]()
  }

  /** What is there, and what will be done. Nothing is changed, there or here. */
  async plan(): Promise<Plan> {
    const { about, identicalTo } = this.#source
    const { limits } = this.#repository
    const { taken, skipped } = this.#files
    const { marker, found, begins } = await this.#standing()
    const work = { about, marker, identicalTo, hasFiles: taken.length > 0 }
    const translation = this.#repository.translate(work)
    const { refused, missing, lost } = translation
    const faults = [...faultsOf(taken, limits), ...refused]
    const compared = await this.#files.compare(found?.files ?? [])
    // Somebody may have opened there what is closed here.
    const isOpened = found !== undefined && isMoreOpen(translation, found)
    const setsMetadata = isOpened || !hasMetadata(this.#journal, translation, marker)
    const isPublished = found?.status === 'published' && begins !== 'version'
    const { publish } = this.#options
    const unmet = [...limitsOf(about), ...missing]
    const plan: Plan = {
      begins,
      found,
      marker,
      translation,
      setsMetadata: isPublished ? false : setsMetadata,
      ...compared,
      steps: [...compared.steps, ...skipped],
      refused: [...faults, ...(publish ? unmet : [])],
      warnings: [
        ...(publish ? [] : unmet),
        ...lost,
        ...skipped.map(({ name, because }) => ({ field: name, message: `Left out: ${because}.` })),
      ],
    }
    if (isPublished && (!hasSameFiles(plan) || this.#hasOtherMetadata(plan)))
      throw asksForVersion(plan.found, this.#about)
    return plan
  }

  /** @throws {Failure} the repository would refuse it: every reason */
  requireAccepted({ refused }: Plan): void {
    const { command } = this.#options
    if (refused.length > 0)
      throw refusalOf(refused, { tried: this.#tried, host: this.#open.host, command })
  }

  /** Does what the plan says; a push that was interrupted goes on. */
  async carryOut(plan: Plan, progress: Progress): Promise<Copy> {
    const { marker, translation } = plan
    const draft = await this.#openDraft(plan)
    if (draft.status === 'published') return draft
    const described = plan.setsMetadata || plan.begins !== 'nothing'
    const copy =
      described && plan.begins !== 'draft'
        ? await this.#repository.describe(draft, translation)
        : draft
    await this.#note(marker, { metadata: digestOfMetadata(translation.metadata) })
    await this.#sendFiles(copy, plan, progress)
    await this.#repository.finish?.(copy)
    return this.#requireEqual(copy, plan)
  }

  /** All that were pushed of it, to this repository. */
  get versions(): readonly Pushed[] {
    return this.#journal.versions
  }

  /** Publishes a draft, unless it is published by now. */
  async publish(copy: Copy, { marker }: Plan): Promise<Copy> {
    const before = await this.#readAgain(copy)
    const done = before.status === 'published' ? before : await this.#release(before)
    const { doi, url, id } = done
    const isPublished = done.status === 'published' && { published: true as const }
    await this.#note(marker, { ...isPublished, at: nowInIso(), id, url, ...doiOf({ doi }) })
    return done
  }

  /** The answer to a request to publish may be lost: what is there then counts. */
  async #release(copy: Copy): Promise<Copy> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#repository.publish(copy)
      } catch (error) {
        if (!(error instanceof RemoteFailure) || attempt >= this.#most) throw error
        if (!isPassing(error)) throw error
        await wait(pauseMs * (attempt + 1))
        const now = await this.#readAgain(copy)
        if (now.status === 'published') return now
      }
    }
  }

  /** Which version is pushed, and what there is of it. */
  async #standing(): Promise<Pick<Plan, 'marker' | 'found' | 'begins'>> {
    const { versions } = this.#journal
    const last = versions.at(-1)
    const own = this.#source.marker
    const current = own === undefined ? last : this.#journal.find(own)
    const marker = own ?? current?.marker ?? `urn:uuid:${randomUUID()}`
    const found = await this.#find(marker, current)
    if (found === undefined && current?.published) throw this.#vanished(current)
    if (found && (found.status === 'draft' || !this.#options.newVersion))
      return { marker, found, begins: 'nothing' }
    const base = found ?? (await this.#predecessor(marker))
    if (base?.status === 'published' && !this.#options.newVersion)
      throw isNextVersion(base, this.#about)
    if (base === undefined || !this.#options.newVersion)
      return { marker, found: undefined, begins: 'draft' }
    // A folder has no versions of its own: each that is pushed gets a marker.
    const isSame = found !== undefined && (await this.#isLevel(found, marker))
    if (isSame || (own !== undefined && current?.published === true))
      return { marker, found, begins: 'nothing' }
    const next = own ?? `urn:uuid:${randomUUID()}`
    return { marker: next, found: base, begins: 'version' }
  }

  /** The draft or record of a version: where the journal has it, or by its marker. */
  async #find(marker: string, pushed: Pushed | undefined): Promise<Copy | undefined> {
    if (pushed?.id !== undefined)
      return this.#requireOwn(pushed, await this.#repository.read(pushed.id))
    if (pushed === undefined && this.#source.marker === undefined) return undefined
    // The draft of a new version is found by the record before it.
    const mayBeLate = pushed?.isBegun === true && pushed.base === undefined
    return mayBeLate ? this.#lookFor(marker) : this.#repository.find(marker)
  }

  /**
   * The journal may be of another place or person: what it names is believed only with the marker.
   * A version that was just begun has that of the version before.
   *
   * @throws {Failure} it is another work
   */
  #requireOwn(pushed: Pushed, copy: Copy | undefined): Copy | undefined {
    const isBegun = pushed.base !== undefined && pushed.metadata === undefined
    const markers = isBegun ? this.#journal.versions.map(({ marker }) => marker) : [pushed.marker]
    if (copy === undefined || markers.some((marker) => marker === copy.marker)) return copy
    const said = `${copy.url} has not the mark of this work (${pushed.marker}), though ${this.#journal.path} names it: it may be another one`
    const next = advice.removeJournal(this.#journal.path)
    throw new Failure({ tried: this.#tried, said, next }, { exitCode: exitCodes.refused })
  }

  /** Lists are late: a draft whose answer was lost may show only after a while. */
  async #lookFor(marker: string): Promise<Copy | undefined> {
    for (const pauseMs of looksMs) {
      await wait(pauseMs)
      const found = await this.#repository.find(marker)
      if (found) return found
    }
    return undefined
  }

  /** The record of the version before. */
  async #predecessor(marker: string): Promise<Copy | undefined> {
    const pushed = this.#journal.versions.findLast(
      (version) => version.published === true && version.marker !== marker,
    )
    if (pushed?.id !== undefined)
      return this.#requireOwn(pushed, await this.#repository.read(pushed.id))
    const { deposit } = this.#source
    const previous = deposit?.body.links['previous_version']
    if (deposit === undefined || previous === undefined) return undefined
    const { links } = await deposit.client.readRecord(previous)
    const [, id] = /\/deposits\/([0-9a-f]{32})$/.exec(links['deposit'] ?? '') ?? []
    return id === undefined ? undefined : this.#repository.find(markerOf(id))
  }

  async #isLevel(copy: Copy, marker: string): Promise<boolean> {
    const { taken } = this.#files
    if (!hasSameFiles(await this.#files.compare(copy.files))) return false
    const { about, identicalTo } = this.#source
    const work = { about, marker, identicalTo, hasFiles: taken.length > 0 }
    return hasMetadata(this.#journal, this.#repository.translate(work), marker)
  }

  #hasOtherMetadata({ marker, translation }: Plan): boolean {
    const known = this.#journal.find(marker)?.metadata
    return known !== undefined && known !== digestOfMetadata(translation.metadata)
  }

  /** A record there that cannot be read any more: another would be a second one of the same work. */
  #vanished({ doi, url = '' }: Pushed): Failure {
    const said = `it was published there as ${doi ?? url}, and that cannot be read any more`
    const next = advice.checkRemote(this.#open.remote.name)
    return new Failure({ tried: this.#tried, said, next }, { exitCode: exitCodes.notFound })
  }

  async #openDraft(plan: Plan): Promise<Copy> {
    const { begins, found, marker, translation } = plan
    if (begins === 'nothing' && found) {
      await this.#note(marker, { id: found.id, url: found.url, ...doiOf(found) })
      return found
    }
    // Before the request: its answer may be lost.
    await this.#note(marker, { isBegun: true, ...(found && { base: found.id }) })
    const made =
      begins === 'version' && found
        ? await this.#repository.openVersion(found.id)
        : await this.#create(translation, marker)
    await this.#note(marker, { id: made.id, url: made.url, ...doiOf(made) })
    return made
  }

  async #create(translation: Plan['translation'], marker: string): Promise<Copy> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#repository.create(translation)
      } catch (error) {
        if (!(error instanceof RemoteFailure) || !isPassing(error)) throw error
        if (attempt >= this.#most) throw error
        const found = await this.#lookFor(marker)
        if (found) return found
      }
    }
  }

  async #sendFiles(copy: Copy, plan: Plan, progress: Progress): Promise<void> {
    // What a new version began with may differ from the record that was compared.
    const isOld = plan.begins !== 'version'
    const planned = isOld ? plan : await this.#files.compare(copy.files)
    const { limit, isRestricted } = planned
    if (limit.length > 0) await this.#repository.restrict?.(copy, limit, isRestricted)
    if (planned.remove.length > 0) await this.#repository.remove(copy, planned.remove)
    const { parallel } = this.#repository.limits
    const there = new Set(copy.files.map(({ name }) => name.normalize('NFC')))
    const news = planned.send.filter(({ name }) => !there.has(name.normalize('NFC')))
    if (news.length > 1)
      await this.#repository.announce?.(
        copy,
        news.map(({ name }) => name),
      )
    await inParallel(planned.send, parallel, () => async (file) => {
      await this.#files.send(file, { copy, to: this.#open, progress })
      progress.fileDone()
    })
  }

  /** @throws {Failure} the draft does not have what is here */
  async #requireEqual(copy: Copy, plan: Plan): Promise<Copy> {
    const now = await this.#readAgain(copy)
    const { send, limit, remove } = await this.#files.compare(now.files)
    const wrong = [...send, ...limit, ...remove].map(({ name }) => name)
    if (wrong.length > 0) {
      const said = `${now.url} does not have these files as they are here: ${wrong.slice(0, 5).join(', ')}`
      const lines = { tried: this.#tried, said, next: advice.pushAgain() }
      throw new Failure(lines, { exitCode: exitCodes.refused })
    }
    if (isMoreOpen(plan.translation, now)) {
      const said = `${now.url} shows as open, or opens sooner, what is closed here`
      const lines = { tried: this.#tried, said, next: advice.pushAgain() }
      throw new Failure(lines, { exitCode: exitCodes.refused })
    }
    const { about, files } = this.#source
    const source = digestOfSource(about, files, this.#journal.versions)
    await this.#note(plan.marker, { source, ...asThere(now), ...doiOf(now), url: now.url })
    return now
  }

  async #readAgain({ id, url }: Copy): Promise<Copy> {
    const now = await this.#repository.read(id)
    if (now) return now
    const said = `${url} is not there any more`
    const lines = { tried: this.#tried, said, next: advice.pushAgain() }
    throw new Failure(lines, { exitCode: exitCodes.notFound })
  }

  async #note(marker: string, more: Partial<Pushed>): Promise<void> {
    await this.#journal.note({ ...this.#journal.find(marker), ...more, marker })
  }
}

function asThere({ files }: Copy): Pick<Pushed, 'there' | 'at'> {
  return { there: digestOfFiles(files), at: nowInIso() }
}

function nowInIso(): string {
  return new Date().toISOString()
}

const mostAttempts = 5
const pauseMs = 500
/** Before each look for a draft that may have been made. */
const looksMs = [0, 500, 1500, 3000] as const
