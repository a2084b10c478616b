import { setTimeout as wait } from 'node:timers/promises'
import { inParallel } from '../../core/base/in-parallel.ts'
import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { findPastEmbargo } from '../metadata/past-embargo.ts'
import type { Progress } from '../output/progress.ts'
import type { CliContext } from '../session/context.ts'
import type { Flatten } from './port/flatten.ts'
import { isMoreOpen, isToBeClosed, movedDayOf, openedBy } from './access-there.ts'
import { digestOfEntered } from './entered.ts'
import type { OpenRemote } from './open-remote.ts'
import {
  dated,
  digestOfFiles,
  digestOfMetadata,
  digestOfSource,
  doiOf,
  PushJournal,
  withoutCopies,
  type Pushed,
} from './push-journal.ts'
import { faultsOf, hasMetadata, limitsOf, type Plan } from './push-plan.ts'
import { OutgoingFiles } from './outgoing-files.ts'
import { placeOf } from './place.ts'
import { isPassing, RemoteFailure } from './port/remote-failure.ts'
import { untold } from './port/stays-here.ts'
import type { Copy, Repository } from './port/repository.ts'
import { cannotClose, opensByOmission, refusalOf } from './push-refusals.ts'
import type { Source } from './source.ts'
import { WorkThere } from './work-there.ts'

export interface PushOptions {
  readonly publish: boolean
  readonly newVersion: boolean
  /** False where a record is left as it is if its metadata alone differ. */
  readonly corrects: boolean
  /** The record or draft there that this continues, as the user named it. */
  readonly of?: string | undefined
  readonly flatten?: Flatten | undefined
  /** `--retries`: with 0, nothing is asked a second time. */
  readonly retries?: number | undefined
  /** The command line, for advice. */
  readonly command: string
  /** Of a batch, the row as `--of` names it. */
  readonly row?: string | undefined
}

/** Pushes a source to a repository, in two halves: what will be done, and doing it. */
export class Push implements AsyncDisposable {
  readonly #source: Source
  readonly #open: OpenRemote
  readonly #journal: PushJournal
  readonly #options: PushOptions
  readonly #files: OutgoingFiles
  readonly #work: WorkThere

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
    this.#work = new WorkThere({ source, open: remote, journal, files, options })
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

  get #tried(): string {
    return `push ${this.#source.shown} to ${this.#open.remote.name}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#files[Symbol.asyncDispose]()
    await this.#journal[Symbol.asyncDispose]()
  }

  /**
   * What is there, and what will be done. Nothing is changed, there or here.
   *
   * @throws {Failure} the push would change what others made, or needs to be told more
   */
  async plan(): Promise<Plan> {
    const { marker, found, begins } = await this.#work.standing()
    const { taken, skipped } = this.#files
    const translation = this.#work.translate(marker)
    const { refused, missing } = translation
    const lost = [...translation.lost, ...untold(this.#source.about)]
    const { limits } = this.#repository
    const faults = [...faultsOf(taken, limits), ...refused]
    const compared = await this.#files.compare(found?.files ?? [])
    // Somebody may have opened there what is closed here.
    const isOpened = found !== undefined && isMoreOpen(translation, found)
    const isDone = found?.status === 'published' && begins === 'nothing'
    const isDescribed = !isOpened && hasMetadata(this.#journal, translation, marker)
    const setsMetadata = !isDone && !isDescribed
    const { about } = this.#source
    const describes = setsMetadata || (begins !== 'nothing' && begins !== 'draft')
    const sent = { about, translation, describes }
    const opens = found && !isDone ? openedBy(sent, found, compared, nowInIso()) : undefined
    if (found && opens?.isSaid === false) throw opensByOmission(found, opens, this.#tried)
    const isCorrected = begins === 'correction' || found?.isCorrection === true
    if (limits.keepsOpen && found && isCorrected && isToBeClosed(translation, found, nowInIso()))
      faults.push(cannotClose)
    const movedDay = found && describes ? movedDayOf(translation, found, nowInIso()) : undefined
    const { publish } = this.#options
    const past = found === undefined ? findPastEmbargo(about.document) : []
    const unmet = [...limitsOf(this.#source.about), ...missing]
    return {
      begins,
      found,
      marker,
      translation,
      setsMetadata,
      ...compared,
      steps: [...compared.steps, ...skipped],
      refused: [...faults, ...(publish ? unmet : [])],
      warnings: [
        ...(publish ? [] : unmet),
        ...past,
        ...skipped.map(({ name, because }) => ({ field: name, message: `Left out: ${because}.` })),
      ],
      lost,
      opens,
      movedDay,
    }
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
    const { isCorrection } = draft
    const made =
      described && plan.begins !== 'draft'
        ? await this.#repository.describe(draft, translation)
        : draft
    const copy = isCorrection ? { ...made, isCorrection } : made
    const { date, document } = this.#work.aboutOf(marker)
    const given = document['publication_date'] === undefined && { date }
    const entered = described ? digestOfEntered(copy) : undefined
    await this.#note(marker, {
      metadata: digestOfMetadata(translation.metadata),
      ...(entered !== undefined && { entered }),
      ...given,
    })
    await this.#sendFiles(copy, plan, progress)
    await this.#repository.finish?.(copy)
    return this.#requireEqual(copy, plan)
  }

  /** The record or draft there that it continues, as the user named it. */
  get of(): string | undefined {
    return this.#options.of
  }

  /** All that were pushed of it, to this repository. */
  get versions(): readonly Pushed[] {
    return this.#journal.versions
  }

  /** Publishes a draft, unless it is published by now. */
  async publish(copy: Copy, { marker }: Plan): Promise<Copy> {
    const before = await this.#readAgain(copy)
    const done = before.status === 'published' ? before : await this.#release(before)
    const { doi, url, id, version } = done
    const pushed = this.#journal.find(marker)
    // What others have published since is no version of this work.
    const isOurs = before !== done || pushed?.version === undefined
    // What others have entered in the draft stays theirs.
    const wasOurs = before !== done && digestOfEntered(before) === pushed?.entered
    const entered = wasOurs ? digestOfEntered(done) : undefined
    const isPublished = done.status === 'published' && {
      published: true as const,
      isCorrecting: undefined,
      ...(isOurs && version !== undefined && { version }),
      ...(entered !== undefined && { entered }),
    }
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

  async #openDraft(plan: Plan): Promise<Copy> {
    const { begins, found, marker, translation } = plan
    if (found && begins === 'nothing') {
      if (found.status === 'draft') await this.#keepFormer(marker, found.id)
      const { id, url, version } = found
      // A correction whose answer was lost: the version is ours.
      const isOurs = this.#journal.find(marker)?.isCorrecting && version !== undefined
      const known = { id, url, ...doiOf(found), ...(isOurs && { version }) }
      await this.#note(marker, { ...known, isCorrecting: undefined })
      return found
    }
    // Before each request: its answer may be lost.
    if (found && begins === 'correction') {
      const { id, status, url } = found
      const shown = { id, ...(status === 'published' && { url }), ...doiOf(found) }
      await this.#note(marker, { ...shown, published: true, isCorrecting: true })
      return this.#ofThisAccount(this.#repository.openCorrection(id))
    }
    await this.#keepFormer(marker, undefined)
    await this.#note(marker, { isBegun: true, ...(found && { base: found.id }) })
    const made =
      begins === 'version' && found
        ? await this.#ofThisAccount(this.#repository.openVersion(found.id))
        : await this.#create(translation, marker)
    // Lists are late: it may show only now.
    if (begins === 'version' && found) this.#work.requireUntouched(made, found, marker)
    await this.#note(marker, { id: made.id, url: made.url, ...doiOf(made) })
    return made
  }

  /** A draft here may be published there, and changed since: its versions there have one marker. */
  async #keepFormer(marker: string, next: string | undefined): Promise<void> {
    const former = this.#journal.find(marker)
    if (!former?.published || former.id === next) return
    await this.#journal.note({ ...former, marker: `${marker}#${former.id}` })
    await this.#journal.note({ marker })
  }

  /** Anybody can read a public record. */
  async #ofThisAccount(opened: Promise<Copy>): Promise<Copy> {
    return opened.catch((error: unknown) => {
      if (!(error instanceof RemoteFailure) || error.status !== 403) throw error
      const { tried, next, exitCode, said: words } = error
      const said = `${words}; the record may be of another account`
      throw new Failure({ tried, said, next }, { exitCode, cause: error })
    })
  }

  async #create(translation: Plan['translation'], marker: string): Promise<Copy> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#repository.create(translation)
      } catch (error) {
        if (!(error instanceof RemoteFailure) || !isPassing(error)) throw error
        if (attempt >= this.#most) throw error
        const found = await this.#work.lookFor(marker)
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
    const pushed = this.#journal.find(plan.marker)
    const source = digestOfSource(dated(about, pushed), files, this.#journal.versions)
    await this.#note(plan.marker, { source, ...asThere(now), ...doiOf(now), url: now.url })
    return now
  }

  async #readAgain({ id, url, isCorrection }: Copy): Promise<Copy> {
    const open = isCorrection ? await this.#repository.findCorrection(id) : undefined
    const now = open ?? (await this.#repository.read(id))
    if (now) return now
    const said = `${url} is not there any more`
    const lines = { tried: this.#tried, said, next: advice.pushAgain() }
    throw new Failure(lines, { exitCode: exitCodes.notFound })
  }

  async #note(marker: string, more: Partial<Pushed>): Promise<void> {
    const { remote, tokenMark } = this.#open
    const by = { remote: remote.name, token: tokenMark }
    await this.#journal.note({ ...this.#journal.find(marker), ...more, ...by, marker })
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
