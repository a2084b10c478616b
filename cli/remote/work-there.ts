import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Description } from '../../core/describe/description.ts'
import { relationTypes, termOf } from '../../core/contract/datacite.ts'
import { isSameAddress } from '../metadata/identical-copies.ts'
import { isMoreOpen } from './access-there.ts'
import { digestOfEntered, isUntouched } from './entered.ts'
import type { OpenRemote } from './open-remote.ts'
import type { OutgoingFiles } from './outgoing-files.ts'
import type { Copy, Repository, Translation } from './port/repository.ts'
import { dated, digestOfMetadata, type Pushed, type PushJournal } from './push-journal.ts'
import { hasSameFiles, type Plan } from './push-plan.ts'
import * as refuse from './push-refusals.ts'
import { markerOf, type Source } from './source.ts'

interface Options {
  readonly publish: boolean
  readonly newVersion: boolean
  /** False where a record is left as it is if its metadata alone differ. */
  readonly corrects: boolean
  /** The record or draft there that this continues, as the user named it. */
  readonly of?: string | undefined
  /** The command line, for advice. */
  readonly command: string
  /** Of a batch, the row as `--of` names it. */
  readonly row?: string | undefined
}

interface Pushing {
  readonly source: Source
  readonly open: OpenRemote
  readonly journal: PushJournal
  readonly files: OutgoingFiles
  readonly options: Options
}

/** Which version is pushed, and what there is of it. */
export type StandingThere = Pick<Plan, 'marker' | 'found' | 'begins'>

/** What a repository has of a work: as the journal, a marker or the user names it. */
export class WorkThere {
  readonly #pushing: Pushing
  /** The version that the user named: it may be of others. */
  #named: string | undefined

  constructor(pushing: Pushing) {
    this.#pushing = pushing
  }

  get #repository(): Repository {
    return this.#pushing.open.repository
  }

  get #journal(): PushJournal {
    return this.#pushing.journal
  }

  get #own(): string | undefined {
    return this.#pushing.source.marker
  }

  get #refusing(): refuse.About {
    const { source, open, options, journal } = this.#pushing
    const { name } = open.remote
    const tried = `push ${source.shown} to ${name}`
    const { command, row } = options
    return { tried, command, row, remote: name, journal: journal.path }
  }

  /** @throws {Failure} the push would change what others made, or make a second record of the work */
  async standing(): Promise<StandingThere> {
    const named = await this.#takeUp()
    if (named) return named
    const current =
      this.#own === undefined ? this.#journal.versions.at(-1) : this.#journal.find(this.#own)
    const marker = this.#own ?? current?.marker ?? newMarker()
    const found = await this.#find(marker, current)
    await this.#requireNotWithdrawn(found, current)
    if (found === undefined && current?.published) throw refuse.isGone(current, this.#refusing)
    if (found === undefined && current) this.#requireSameToken(current)
    if (found?.status === 'draft') return this.#ofDraft(found, marker, current)
    if (found) return this.#ofRecord(found, marker)
    const base = await this.#predecessor(marker)
    if (base?.status !== 'published') {
      await this.#requireNoCopy()
      return { marker, found: undefined, begins: 'draft' }
    }
    if (!this.#pushing.options.newVersion) throw refuse.isNextVersion(base, this.#refusing)
    return this.#nextVersion(base, marker)
  }

  /** @throws {Failure} the metadata say that it is identical to a record there, as those of a pull do */
  async #requireNoCopy(): Promise<void> {
    const { relations } = this.#pushing.source.about
    const identical = relations.filter(
      ({ relation }) => termOf(relationTypes, relation) === 'IsIdenticalTo',
    )
    for (const { identifier } of identical.slice(0, mostCopies)) {
      const copy = await this.#repository.resolve(identifier)
      const isIt = [copy?.doi, copy?.url].some(
        (address) => address !== undefined && isSameAddress(identifier, address),
      )
      if (copy && isIt) throw refuse.isCopied(copy, this.#refusing)
    }
  }

  /** As it is translated for a version: with the date that this was given, if it has none itself. */
  translate(marker: string): Translation {
    const { source, files } = this.#pushing
    return this.#repository.translate({
      about: this.aboutOf(marker),
      ofZenodo: source.ofZenodo,
      marker,
      identicalTo: source.identicalTo,
      hasFiles: files.taken.length > 0,
    })
  }

  aboutOf(marker: string): Description {
    return dated(this.#pushing.source.about, this.#journal.find(marker))
  }

  /** Lists are late: a draft whose answer was lost may show only after a while. */
  async lookFor(marker: string): Promise<Copy | undefined> {
    for (const pauseMs of looksMs) {
      await wait(pauseMs)
      const found = await this.#repository.find(marker)
      if (found) return found
    }
    return undefined
  }

  /** The record or draft that the user named, unless the journal knows it as one of this work. */
  async #takeUp(): Promise<StandingThere | undefined> {
    const { of, newVersion } = this.#pushing.options
    if (of === undefined) return undefined
    const resolved = await this.#repository.resolve(of)
    const copy = resolved && (await this.#repository.read(resolved.id))
    if (copy === undefined) throw refuse.isNotOwn(of, this.#refusing)
    await this.#requireNotWithdrawn(copy, undefined)
    this.#named = copy.version ?? copy.id
    const isKnown = ({ id, base, marker, isCorrecting }: Pushed): boolean =>
      base === copy.id || (id === copy.id && (marker === copy.marker || isCorrecting === true))
    if (this.#journal.versions.some(isKnown)) return undefined
    const marker = this.#own ?? newMarker()
    if (copy.status === 'draft') {
      await this.#requireOtherFiles(copy)
      return { marker, found: copy, begins: 'nothing' }
    }
    if (await this.#hasSameFiles(copy)) return this.#correction(copy, marker)
    await this.#requireNewest(copy)
    if (!newVersion) throw refuse.asksForVersion(copy, this.#refusing)
    return this.#nextVersion(copy, marker)
  }

  async #ofDraft(found: Copy, marker: string, current: Pushed | undefined): Promise<StandingThere> {
    if (current?.isCorrecting) return { marker, found, begins: 'correction' }
    // Where all versions are one deposit, others have opened it.
    if (current?.published && this.#named === undefined)
      throw refuse.isEdited(found, this.#refusing)
    return { marker, found, begins: 'nothing' }
  }

  async #ofRecord(found: Copy, marker: string): Promise<StandingThere> {
    const { newVersion, corrects } = this.#pushing.options
    if (await this.#hasSameFiles(found)) {
      const isCorrecting = this.#journal.find(marker)?.isCorrecting === true
      const isOther = this.#hasOtherMetadata(found, marker)
      if (!isOther && !isCorrecting) return { marker, found, begins: 'nothing' }
      if (!corrects) throw refuse.asksForVersion(found, this.#refusing)
      const open = isCorrecting && (await this.#repository.findCorrection(found.id))
      // Only the answer to its publication was lost.
      if (isCorrecting && !open && !isOther) return { marker, found, begins: 'nothing' }
      return this.#correction(found, marker)
    }
    await this.#requireNewest(found)
    if (!newVersion) throw refuse.asksForVersion(found, this.#refusing)
    // A folder has no versions of its own: each that is pushed gets a marker.
    return this.#nextVersion(found, this.#own ?? newMarker())
  }

  async #nextVersion(found: Copy, marker: string): Promise<StandingThere> {
    await this.#requireNewest(found)
    const { wantsOtherFiles } = this.#repository.limits
    if (!wantsOtherFiles || !(await this.#pushing.files.haveSameBytes(found.files))) {
      const open = await this.#repository.findVersion?.(found)
      if (open) this.requireUntouched(open, found, marker)
      return { marker, found, begins: 'version' }
    }
    // A new version here without other files is one record there.
    if (await this.#hasSameFiles(found)) return this.#correction(found, marker)
    throw refuse.hasNoOtherFiles(found, this.#refusing)
  }

  /** @throws {Failure} it is the draft of a new version, which would not be published without other files */
  async #requireOtherFiles(draft: Copy): Promise<void> {
    if (!this.#repository.limits.wantsOtherFiles) return
    const newest = await this.#repository.newestVersion(draft)
    const before =
      newest === undefined || newest === draft.id ? undefined : await this.#repository.read(newest)
    if (before?.status !== 'published') return
    if (await this.#pushing.files.haveSameBytes(before.files))
      throw refuse.hasFilesBefore(before, this.#refusing)
  }

  /** @throws {Failure} others have worked on the draft of a new version: it is not taken over */
  requireUntouched(draft: Copy, base: Copy, marker: string): void {
    const isOurs =
      draft.marker === marker || this.#journal.versions.some(({ id }) => id === draft.id)
    if (isOurs || isUntouched(draft, base)) return
    throw refuse.isBegunByOthers(draft, this.#refusing)
  }

  /** @throws {Failure} somebody is editing the record, or has published a later state of it */
  async #correction(found: Copy, marker: string): Promise<StandingThere> {
    const { isCorrecting, entered } = this.#journal.find(marker) ?? {}
    const isOurs = isCorrecting === true
    const open = isOurs ? undefined : await this.#repository.findCorrection(found.id)
    if (open) throw refuse.isEdited(open, this.#refusing)
    const isKept = isOurs || entered === undefined || entered === digestOfEntered(found)
    if (!isKept && this.#named === undefined) throw refuse.isChanged(found, this.#refusing)
    if (found.version !== undefined) await this.#requireNewest(found)
    return { marker, found, begins: 'correction' }
  }

  /** @throws {Failure} others have published a version after those of this work */
  async #requireNewest(found: Copy): Promise<void> {
    const { versions } = this.#journal
    // Where versions have no identifiers of their own, the journal alone knows the last one.
    const isOne = found.version !== undefined
    const known = versions.flatMap(({ id, version }) => (isOne ? version : id) ?? [])
    const ours = [...known, isOne ? undefined : found.id, this.#named]
    if (isOne && known.length === 0) return
    const newest = await this.#repository.newestVersion(found)
    if (newest === undefined || ours.includes(newest)) return
    throw refuse.isOfOthers(found, newest, this.#refusing)
  }

  async #hasSameFiles({ files }: Copy): Promise<boolean> {
    return hasSameFiles(await this.#pushing.files.compare(files))
  }

  /** As far as anybody knows: the repository may write them otherwise. */
  #hasOtherMetadata(found: Copy, marker: string): boolean {
    const translation = this.translate(marker)
    const { metadata, isCorrecting } = this.#journal.find(marker) ?? {}
    const known = metadata ?? (isCorrecting ? '' : undefined)
    const isOther = known !== undefined && known !== digestOfMetadata(translation.metadata)
    return isOther || isMoreOpen(translation, found)
  }

  /** The draft or record of a version: where the journal has it, or by its marker. */
  async #find(marker: string, pushed: Pushed | undefined): Promise<Copy | undefined> {
    if (pushed?.id !== undefined)
      return this.#requireOwn(pushed, await this.#repository.read(pushed.id))
    if (pushed === undefined && this.#own === undefined) return undefined
    if (pushed?.isBegun !== true) return this.#repository.find(marker)
    if (pushed.base === undefined) return this.lookFor(marker)
    // The draft of a new version is found by the record before it, which may have the same marker.
    const found = await this.#repository.find(marker)
    return found?.id === pushed.base ? undefined : found
  }

  /**
   * The journal may be of another place or person: what it names is believed only with the marker.
   * A version that was just begun has that of the version before.
   *
   * @throws {Failure} it is another work
   */
  #requireOwn(pushed: Pushed, copy: Copy | undefined): Copy | undefined {
    const isBegun = pushed.base !== undefined && pushed.metadata === undefined
    // Versions here without other files may be one record there, which has the marker of the last.
    const known = this.#journal.versions.filter(({ id }) => isBegun || id === pushed.id)
    const markers = [pushed, ...known].map(({ marker }) => marker)
    if (copy === undefined) return copy
    const isMarked = markers.some((marker) => marker === copy.marker)
    if (!isMarked && pushed.isCorrecting !== true)
      throw refuse.isUnmarked(copy, pushed.marker, this.#refusing)
    if (this.#isStrange(copy)) throw refuse.isUnlike(copy, this.#refusing)
    return copy
  }

  /**
   * A service may still show its owner a record that nobody else sees any more.
   *
   * @throws {Failure} the record was withdrawn there
   */
  async #requireNotWithdrawn(copy: Copy | undefined, pushed: Pushed | undefined): Promise<void> {
    const isRecord = copy === undefined ? pushed?.published : copy.status === 'published'
    const id = copy?.id ?? pushed?.id
    if (!isRecord || id === undefined) return
    const withdrawal = await this.#repository.findWithdrawal?.(id)
    if (withdrawal === undefined) return
    const { doi = pushed?.doi, url = pushed?.url ?? id } = copy ?? {}
    throw refuse.isWithdrawn(withdrawal, { doi, url }, this.#refusing)
  }

  /**
   * A draft that was deleted is made again; one of another account is there still.
   *
   * @throws {Failure} another token made it
   */
  #requireSameToken(pushed: Pushed): void {
    const { token } = pushed
    const isSame = token === undefined || token === this.#pushing.open.tokenMark
    if (isSame || this.#named !== undefined) return
    throw refuse.isUnseen(pushed, this.#refusing)
  }

  /** A journal that came with a folder may be that of another work: a marker is no secret. */
  #isStrange({ title, files }: Copy): boolean {
    const { source, options } = this.#pushing
    const isCarried = source.journals !== undefined && source.key === 'folder'
    if (!isCarried || options.of !== undefined || title === undefined) return false
    const isSameTitle = title.trim().toLowerCase() === (source.about.title ?? '').toLowerCase()
    // A work that others were copied from has its license in them.
    const telling = files.filter(({ name }) => !/^(?:licen[cs]e|copying|readme)\b/i.test(name))
    const here = telling.filter((file) =>
      this.#pushing.files.taken.some(({ name, size }) => name === file.name && size === file.size),
    )
    const isHere = here.length > 0 && here.length * 2 >= telling.length
    return !isSameTitle && !isHere
  }

  /** The record of the version before. */
  async #predecessor(marker: string): Promise<Copy | undefined> {
    const pushed = this.#journal.versions.findLast(
      (version) => version.published === true && version.marker !== marker,
    )
    if (pushed?.id !== undefined) {
      const copy = await this.#repository.read(pushed.id)
      await this.#requireNotWithdrawn(copy, pushed)
      if (copy === undefined) throw refuse.isGone(pushed, this.#refusing)
      return this.#requireOwn(pushed, copy)
    }
    const { deposit } = this.#pushing.source
    const previous = deposit?.body.links['previous_version']
    if (deposit === undefined || previous === undefined) return undefined
    const address = await deposit.client.depositOf(previous)
    const [, id] = /\/deposits\/([0-9a-f]{32})$/.exec(address ?? '') ?? []
    return id === undefined ? undefined : this.#repository.find(markerOf(id))
  }
}

function newMarker(): string {
  return `urn:uuid:${randomUUID()}`
}

/** Addresses of identical works that are looked for there. */
const mostCopies = 10

/** Before each look for a draft that may have been made. */
const looksMs = [0, 500, 1500, 3000] as const
