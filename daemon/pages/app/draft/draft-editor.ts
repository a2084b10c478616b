import { text } from '../../text/text.ts'
import type { Deposit, DepositApi } from '../api/deposits.ts'
import { ApiProblem, passes, toPath } from '../api/http.ts'
import type { JsonObject } from '../api/json.ts'
import { mergeFields, settle, toPatch, type Choices } from '../../text/field-merge.ts'
import { whyClosed, type EditorView } from './editor-view.ts'
import { findStep } from './undo-steps.ts'
import {
  dropAside,
  dropUnsaved,
  findAside,
  findUnsaved,
  keepUnsaved,
  setAside,
} from './unsaved-work.ts'

/** Milliseconds of rest before what was typed is saved. */
const rest = 700

/** Milliseconds before a save that failed for a while is tried again; the last one repeats. */
const retryDelays = [2_000, 4_000, 8_000, 15_000] as const

/**
 * Saves a draft as it is typed. Every save names the revision it starts from; when another one
 * was saved first, fields that only one side changed are brought together, and a person decides about
 * the rest. Unsaved changes survive in this browser.
 */
export class DraftEditor {
  #view: EditorView
  /** The user's fields as the daemon has them. */
  #base: JsonObject
  #timer: ReturnType<typeof setTimeout> | undefined
  #saving: Promise<void> | undefined
  /** Saves that failed since the last that did not. */
  #failures = 0
  /** True if the last failure is none of the document. */
  #isOnlyLate = false
  readonly #api: DepositApi
  readonly #listeners = new Set<() => void>()
  readonly #isOpen: (deposit: Deposit) => boolean

  /** @param isOpen true where the form can be changed */
  constructor(api: DepositApi, deposit: Deposit, isOpen: (deposit: Deposit) => boolean) {
    this.#api = api
    this.#isOpen = isOpen
    this.#base = userFields(deposit)
    const work = findAside(deposit.id)
    const view = {
      deposit,
      document: this.#base,
      formVersion: 0,
      others: 0,
      state: 'saved' as const,
    }
    this.#view = { ...view, ...(work && { aside: { work } }) }
    if (this.isOpen) this.#restore()
  }

  get view(): EditorView {
    return this.#view
  }

  /** True where the deposit, as the daemon last showed it, can be changed. */
  get isOpen(): boolean {
    return this.#isOpen(this.#view.deposit)
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Takes what was typed. */
  change(document: JsonObject): void {
    if (toPatch(this.#view.document, document).length === 0) {
      this.#view = { ...this.#view, document }
      return
    }
    this.#keep(document)
    const isWaiting = this.#view.state === 'conflict' || this.#view.state === 'deleted'
    this.#show({ document, ...(!isWaiting && { state: 'unsaved' }) })
    this.#schedule()
  }

  /** Saves what is not saved yet. True once the daemon has all of it. */
  save(): Promise<boolean> {
    if (this.#view.state === 'failed') this.#show({ state: 'saving' })
    return this.#save()
  }

  async #save(): Promise<boolean> {
    clearTimeout(this.#timer)
    while (this.#saving) await this.#saving
    if (this.#view.state === 'conflict' || this.#view.state === 'deleted') return false
    const wasOpen = this.isOpen
    this.#saving = this.#send().finally(() => (this.#saving = undefined))
    await this.#saving
    return this.#view.state === 'saved' && this.isOpen === wasOpen
  }

  /** Saves at once where only the service, the network or the sign-in was missing. */
  retry(): void {
    if (this.#view.state === 'failed' && this.#isOnlyLate) void this.save()
  }

  /**
   * Takes back the last change that was saved; asked again, the one before it.
   *
   * @returns false where there is nothing more to undo, or what was typed cannot be saved first
   */
  async undo(): Promise<boolean> {
    if (!this.isOpen || !(await this.save())) return false
    const step = findStep(await this.#api.history(this.#view.deposit.id))
    if (step === undefined) this.#show({ canUndo: false })
    return step !== undefined && this.undoTo(step)
  }

  /** Asks whether there is something to undo. */
  async findUndo(): Promise<void> {
    const { changes, next } = await this.#api.historyPage(this.#view.deposit.id)
    this.#show({ canUndo: next !== undefined || findStep(changes) !== undefined })
  }

  /**
   * Undoes the last change, or brings back the document of an earlier revision.
   *
   * @returns false where what was typed cannot be saved first
   */
  async undoTo(step: { readonly to?: number }): Promise<boolean> {
    if (!(await this.save())) return false
    this.adopt(await this.#api.run(this.#view.deposit.id, 'undo', step))
    // Without an answer, the button says it when it is pressed.
    await this.findUndo().catch(() => undefined)
    return true
  }

  /** Puts all that is in the form into a new draft: answers where that is shown. */
  async copyToNew(): Promise<string> {
    const { deposit, document } = this.#view
    const { $schema } = deposit.metadata
    const copy = await this.#api.create({ ...document, ...($schema !== undefined && { $schema }) })
    dropUnsaved(deposit.id)
    return toPath(copy.links['html'] ?? '')
  }

  /** Shows what others changed since, at the daemon. What is typed and not saved waits for its save. */
  async refresh(): Promise<void> {
    const deposit = await this.#api.read(this.#view.deposit.id)
    const { state, formVersion, others, deposit: shown } = this.#view
    if (state !== 'saved' || deposit.revision < shown.revision) return
    const isNewer = deposit.revision > shown.revision
    const fields = userFields(deposit)
    const isOther = toPatch(this.#base, fields).length > 0
    this.#base = fields
    this.#show({
      deposit,
      ...(isOther && { document: fields, formVersion: formVersion + 1 }),
      ...(isNewer && { others: others + 1 }),
    })
  }

  /** Ends a conflict: each field as it was chosen. */
  async settle(choices: Choices): Promise<void> {
    const { conflict } = this.#view
    if (!conflict) return
    this.replace(settle(conflict, choices))
    await this.save()
  }

  /** Puts another document into the form, to be saved. */
  replace(document: JsonObject): void {
    const { conflict: _settled, failure: _past, ...view } = this.#view
    this.#keep(document)
    this.#view = { ...view, document, formVersion: view.formVersion + 1, state: 'unsaved' }
    this.#announce()
    this.#schedule()
  }

  /**
   * Shows the deposit as the daemon has it now, after an action. Nothing is kept of what was typed,
   * unless the deposit was closed to it until now.
   */
  adopt(deposit: Deposit): void {
    clearTimeout(this.#timer)
    const wasClosed = !this.isOpen
    this.#base = userFields(deposit)
    const [formVersion, others] = [this.#view.formVersion + 1, this.#view.others + 1]
    const { aside, canUndo } = this.#view
    const state = 'saved' as const
    const view = { deposit, document: this.#base, formVersion, others, state, canUndo }
    this.#view = { ...view, ...(aside && { aside: { work: aside.work } }) }
    if (!wasClosed) dropUnsaved(deposit.id)
    else if (this.isOpen) this.#restore()
    this.#announce()
  }

  /** Puts what was set aside into the form, to be saved. */
  takeAside(): void {
    const { aside, document } = this.#view
    if (!aside) return
    const found = mergeFields(aside.work.base, aside.work.document, document)
    this.dropAside()
    this.replace(found.merged)
    if (found.conflicts.length > 0) this.#show({ state: 'conflict', conflict: found })
  }

  /** Throws away what was set aside. */
  dropAside(): void {
    const { aside: _, ...view } = this.#view
    dropAside(view.deposit.id)
    this.#view = view
    this.#announce()
  }

  /** Goes on where another page stopped; asks first where the deposit was changed since. */
  #restore(): void {
    const { id, revision } = this.#view.deposit
    const kept = findUnsaved(id)
    if (!kept) return
    const found = mergeFields(kept.base, kept.document, this.#base)
    if (toPatch(this.#base, found.merged).length === 0) {
      dropUnsaved(id)
      return
    }
    if (kept.revision !== revision) {
      setAside(id, kept)
      this.#view = { ...this.#view, aside: { work: kept } }
      return
    }
    this.#view = { ...this.#view, document: found.merged, state: 'unsaved' }
    this.#schedule()
  }

  async #send(): Promise<void> {
    const { document, deposit } = this.#view
    const patch = toPatch(this.#base, document)
    if (patch.length === 0) {
      this.#saved()
      return
    }
    // A retry is silent until it succeeds: screen readers would announce each.
    if (this.#view.state !== 'failed') this.#show({ state: 'saving' })
    try {
      const saved = await this.#api.patch(deposit.id, patch, deposit.revision)
      this.#base = userFields(saved)
      this.#show({ deposit: saved, canUndo: true })
      // Changes typed during the save go next.
      if (toPatch(this.#view.document, document).length === 0) this.#saved()
      else this.#schedule()
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'stale_revision') await this.#catchUp()
      else this.#fail(error)
    }
  }

  /** Another revision was saved first: this draft is based on that one now. */
  async #catchUp(): Promise<void> {
    try {
      const theirs = await this.#api.read(this.#view.deposit.id)
      if (!this.#isOpen(theirs)) {
        this.#close(theirs)
        return
      }
      const found = mergeFields(this.#base, this.#view.document, userFields(theirs))
      const isTheirs = toPatch(this.#view.document, found.merged).length > 0
      this.#base = userFields(theirs)
      const hasConflict = found.conflicts.length > 0
      this.#show({
        deposit: theirs,
        document: found.merged,
        formVersion: this.#view.formVersion + (isTheirs ? 1 : 0),
        others: this.#view.others + 1,
        state: hasConflict ? 'conflict' : 'unsaved',
        ...(hasConflict && { conflict: found }),
      })
      this.#keep(found.merged)
      if (!hasConflict) this.#schedule(0)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** The draft does not take what is typed any more: it is shown beside the deposit as it is now. */
  #close(theirs: Deposit): void {
    const { deposit, document, formVersion, others } = this.#view
    const { revision } = deposit
    const work = { base: this.#base, document, revision, at: Date.now() }
    setAside(deposit.id, work)
    this.#base = userFields(theirs)
    this.#view = {
      deposit: theirs,
      document: this.#base,
      formVersion: formVersion + 1,
      others: others + 1,
      state: 'saved',
      aside: { work, because: whyClosed(deposit, theirs) },
    }
    this.#announce()
  }

  #saved(): void {
    dropUnsaved(this.#view.deposit.id)
    this.#failures = 0
    const { failure: _past, ...view } = this.#view
    this.#view = { ...view, state: 'saved' }
    this.#announce()
  }

  #fail(error: unknown): void {
    if (isDeleted(error)) {
      this.#show({ state: 'deleted', failure: text('save.copyAdvice') })
      return
    }
    const isSignedOut = error instanceof ApiProblem && error.status === 401
    const message = error instanceof Error ? error.message : text('error.unknown', { status: '?' })
    const said = isSignedOut ? text('error.signed_out') : message
    const isRetried = passes(error)
    this.#isOnlyLate = isRetried || isSignedOut
    this.#show({ state: 'failed', failure: isRetried ? `${said} ${text('save.retried')}` : said })
    if (!isRetried) return
    this.#schedule(retryDelays[this.#failures] ?? retryDelays.at(-1))
    this.#failures += 1
  }

  #keep(document: JsonObject): void {
    const { deposit, state } = this.#view
    const { id, revision } = deposit
    // What waits for a decision waits for it after a reload too.
    const known = state === 'conflict' ? {} : { revision }
    keepUnsaved(id, { base: this.#base, document, at: Date.now(), ...known })
  }

  #schedule(afterMs: number = rest): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#save(), afterMs)
  }

  #show(change: Partial<EditorView>): void {
    this.#view = { ...this.#view, ...change }
    this.#announce()
  }

  #announce(): void {
    for (const listen of this.#listeners) listen()
  }
}

function isDeleted(error: unknown): boolean {
  return error instanceof ApiProblem && (error.status === 404 || error.status === 410)
}

/** The document without what the service keeps in it. */
export function userFields({ metadata }: Pick<Deposit, 'metadata'>): JsonObject {
  const { _deposit, $schema, ...fields } = metadata
  return fields
}
