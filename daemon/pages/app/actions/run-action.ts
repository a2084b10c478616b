import { text } from '../../text/text.ts'
import type { DepositApi } from '../api/deposits.ts'
import { fileApi } from '../api/files.ts'
import { ApiProblem, type Fault } from '../api/http.ts'
import { userFields, type DraftEditor } from '../edit/draft-editor.ts'
import { mergeFields, type FieldMerge } from '../edit/field-merge.ts'
import { keepUnsaved } from '../edit/unsaved-work.ts'
import type { JsonObject } from '../json.ts'
import { pageUrl, type Page } from '../page.ts'
import { say } from '../ui/toasts.tsx'
import type { ActionName } from './action-list.ts'

/** What an action came to where it did not simply succeed. */
export type Outcome =
  | { readonly faults: readonly Fault[] }
  | { readonly conflict: FieldMerge }
  | undefined

interface Place {
  readonly page: Page
  readonly api: DepositApi
  readonly editor: DraftEditor
}

/** Does it, and shows the deposit as it is then. What was typed is saved first. */
export async function runAction(place: Place, name: ActionName): Promise<Outcome> {
  const { page, api, editor } = place
  const { id } = editor.view.deposit
  if (name === 'delete') {
    await api.remove(id)
    location.assign('/deposit')
    return undefined
  }
  if (name === 'publish' && !(await editor.save())) return undefined
  try {
    const deposit = await api.run(id, name)
    if (deposit.id !== id) location.assign(pageUrl(page, deposit.id))
    else editor.adopt(deposit)
    say(page.messages[name] ?? text(`done.${name}`))
    return undefined
  } catch (error) {
    if (!(error instanceof ApiProblem) || name !== 'publish') throw error
    if (error.code === 'merge_conflict') return { conflict: await findConflict(place) }
    if (error.code === 'invalid_document') return { faults: error.faults }
    throw error
  }
}

/** What was changed in the draft and in the record since the edit began. */
export async function findConflict({ api, editor }: Place): Promise<FieldMerge> {
  const { metadata } = editor.view.deposit
  const { value, pid } = metadata._deposit
  const record = `/api/records/${encodeURIComponent(value)}`
  const [base, theirs] = await Promise.all([
    api.document(`${record}/revisions/${pid}`),
    api.document(record),
  ])
  return mergeFields(userFields(base), editor.view.document, userFields(theirs))
}

/**
 * Puts a settled document in the place of the draft, on the latest version of the record. The draft
 * is opened anew for that; what was settled is kept in this browser until it is saved.
 */
export async function settleConflict({ api, editor }: Place, settled: JsonObject): Promise<void> {
  const { deposit } = editor.view
  const files = fileApi(deposit)
  const order = (await files.list()).map((file) => file.id)
  keepUnsaved(deposit.id, { base: userFields(deposit), document: settled })
  await api.run(deposit.id, 'discard')
  const opened = await api.run(deposit.id, 'edit')
  keepUnsaved(deposit.id, { base: userFields(opened), document: settled })
  if (order.length > 1) await files.sort(order)
  editor.adopt(await api.read(deposit.id))
  editor.replace(settled)
  await editor.save()
}
