import { text } from '../../text/text.ts'
import type { Deposit, DepositApi } from '../api/deposits.ts'
import { ApiProblem, Unreachable, type Fault } from '../api/http.ts'
import { userFields, type DraftEditor } from '../draft/draft-editor.ts'
import { mergeFields, toPatch, type FieldMerge } from '../../text/field-merge.ts'
import type { JsonObject } from '../api/json.ts'
import { settled } from '../api/pending.ts'
import { fillPath, pageUrl, recordUrlOf, type Page } from '../api/page.ts'
import { mayStay, type Standing } from '../people/standing.ts'
import { reviewsUrl } from '../api/reviews.ts'
import { say } from '../ui/messages.tsx'
import type { ActionName } from './action-list.ts'

/** Fields that both the draft and the record changed since the edit began. */
export interface PublishConflict extends FieldMerge {
  /** The record as it was compared with, and its revision. */
  readonly theirs: JsonObject
  readonly revision: number
}

/** The result of an action that did not simply succeed. */
export type Outcome =
  | { readonly faults: readonly Fault[] }
  | { readonly conflict: PublishConflict }
  /** Somebody changed the draft after it was shown to those who were to confirm it. */
  | 'stale'
  | undefined

interface Place {
  readonly page: Page
  readonly api: DepositApi
  readonly editor: DraftEditor
}

interface ActionPlace extends Place {
  readonly standing: Standing
  /** Told that the service or the network is missing, and that the action waits for it. */
  readonly onAway: () => void
}

/**
 * Runs the action and shows its deposit; publishing and reserving save the form first. An answer that
 * is lost with the connection or the service is waited for: the deposit says whether it was done.
 *
 * @param shown the revision that was shown to those who confirmed it, where it may be no other
 */
export async function runAction(
  place: ActionPlace,
  name: ActionName,
  body?: JsonObject,
  shown?: number,
): Promise<Outcome> {
  try {
    return await attempt(place, name, body, shown)
  } catch (error) {
    if (!isLost(error)) throw error
    place.onAway()
    return afterLostAnswer(place, name)
  }
}

function isLost(error: unknown): boolean {
  if (error instanceof Unreachable) return true
  return error instanceof ApiProblem && error.status >= 502 && error.status <= 504
}

/** Milliseconds before the deposit is asked for again; the last one repeats. */
const retryDelays = [1_000, 2_000, 4_000, 8_000] as const

async function afterLostAnswer(place: ActionPlace, name: ActionName): Promise<Outcome> {
  const { page, api, editor } = place
  const { id, revision } = editor.view.deposit
  const deposit = await readOnceBack(api, id).catch((error: unknown) => {
    const isGone = error instanceof ApiProblem && (error.status === 404 || error.status === 410)
    if (name === 'delete' && isGone) return undefined
    throw error
  })
  if (!deposit) location.assign(page.pages.list)
  else if (deposit.revision === revision) say(text('actions.notDone'), { kind: 'bad' })
  else {
    if (changesPages.has(name)) await refreshPages(page, deposit)
    editor.adopt(deposit)
  }
  return undefined
}

async function readOnceBack(api: DepositApi, id: string): Promise<Deposit> {
  for (let failures = 0; ; failures += 1) {
    const delay = retryDelays[failures] ?? retryDelays[retryDelays.length - 1]
    await new Promise((resolve) => setTimeout(resolve, delay))
    try {
      return await api.read(id)
    } catch (error) {
      if (!isLost(error)) throw error
    }
  }
}

async function attempt(
  place: ActionPlace,
  name: ActionName,
  body: JsonObject | undefined,
  shown: number | undefined,
): Promise<Outcome> {
  const { page, api, editor, standing } = place
  const { id } = editor.view.deposit
  if (name === 'delete') {
    await api.remove(id)
    location.assign(page.pages.list)
    return undefined
  }
  await settled()
  const saves = name === 'publish' || name === 'submit' || name === 'reserve'
  if (saves && !(await editor.save())) return undefined
  try {
    const deposit = await api.run(id, name, body, shown)
    if (changesPages.has(name)) await refreshPages(page, deposit)
    if (deposit.id !== id) location.assign(pageUrl(page, deposit.id))
    else if (isJudgement(name) && !mayStay(standing)) leaveReview(page, deposit)
    else editor.adopt(deposit)
    say(page.messages[name] ?? text(`done.${name}`))
    return undefined
  } catch (error) {
    if (name === 'accept' && error instanceof ApiProblem && error.code === 'stale_revision') {
      editor.adopt(await api.read(id))
      say(text('accept.stale'), { kind: 'bad' })
      return undefined
    }
    if (!(error instanceof ApiProblem) || !saves) throw error
    if (error.code === 'stale_revision') return 'stale'
    if (error.code === 'merge_conflict') return { conflict: await findConflict(place) }
    const isOfUploads = error.faults.some(({ upload }) => upload !== undefined)
    if (error.code === 'invalid_document' || isOfUploads) return { faults: error.faults }
    throw error
  }
}

function isJudgement(name: ActionName): boolean {
  return name === 'accept' || name === 'return'
}

/** The draft closes to those who only review it: they see the record, or what waits next. */
function leaveReview(page: Page, { links }: Deposit): void {
  const { record } = links
  location.assign(record === undefined ? reviewsUrl(page) : recordUrlOf(page, record))
}

/** Actions after which the page of a record says something else. */
const changesPages: ReadonlySet<ActionName> = new Set([
  'publish',
  'accept',
  'withdraw',
  'restore-record',
])

/** Longest wait for the pages of a record. */
const patienceMs = 3000

/**
 * Lets the browser ask again for the pages that an action changed: it would show the old ones for up
 * to an hour. A failure is no more than that.
 */
async function refreshPages(page: Page, { links }: Deposit): Promise<void> {
  const urls = [links['record'], links['previous_version']].filter((url) => url !== undefined)
  const signal = AbortSignal.timeout(patienceMs)
  await Promise.allSettled(
    urls.map(async (url) => {
      const headers = { accept: 'text/html' }
      const reply = await fetch(recordUrlOf(page, url), { cache: 'reload', headers, signal })
      // An answer that is not read to its end is not kept.
      await reply.text()
    }),
  )
}

/** The changes of the draft and of the record since the edit began. */
export async function findConflict({ page, api, editor }: Place): Promise<PublishConflict> {
  const { metadata } = editor.view.deposit
  const { value, pid } = metadata._deposit
  const { records, revisions } = page.routes
  const [base, theirs] = await Promise.all([
    api.document(fillPath(revisions, value).replace('{revision}', String(pid))),
    api.document(fillPath(records, value)),
  ])
  return compare(userFields(base), editor.view.document, theirs)
}

/**
 * Saves a settled document and lets the draft go on from the latest version of the record. Each step
 * leaves all that was typed and chosen in the draft, at the daemon: none takes anything back.
 *
 * @returns conflicts to settle again, if the record was changed once more
 */
export async function settleConflict(
  { page, api, editor }: Place,
  { theirs, revision }: PublishConflict,
  settled: JsonObject,
): Promise<Outcome> {
  const { id } = editor.view.deposit
  editor.replace(settled)
  if (!(await editor.save())) return undefined
  const merged = await api.run(id, 'merge')
  editor.adopt(merged)
  const { pid, value } = merged.metadata._deposit
  const latest =
    pid === revision ? undefined : await api.document(fillPath(page.routes.records, value))
  const again = latest && compare(theirs, settled, latest)
  if (again && again.conflicts.length > 0) return { conflict: again }
  // Lists that both sides added to were merged, but the person's choice is the wanted one.
  const wanted = again?.merged ?? settled
  if (toPatch(editor.view.document, wanted).length > 0) editor.replace(wanted)
  await editor.save()
  return undefined
}

function compare(
  base: JsonObject,
  mine: JsonObject,
  latest: Pick<Deposit, 'metadata' | 'revision'>,
): PublishConflict {
  const theirs = userFields(latest)
  return { ...mergeFields(base, mine, theirs), theirs, revision: latest.revision }
}
