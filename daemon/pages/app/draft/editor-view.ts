import type { FieldMerge } from '../../text/field-merge.ts'
import type { Deposit } from '../api/deposits.ts'
import type { JsonObject } from '../api/json.ts'
import type { UnsavedWork } from './unsaved-work.ts'

export type SaveState = 'saved' | 'unsaved' | 'saving' | 'failed' | 'conflict' | 'deleted'

/** The state of the draft that the page shows. */
export interface EditorView {
  /** As the daemon last showed it. */
  readonly deposit: Deposit
  /** The content of the form: the user's fields. */
  readonly document: JsonObject
  /** Raised when the document was changed by something else than the form. */
  readonly formVersion: number
  /** Raised whenever the deposit is at a revision that no save of this page has made. */
  readonly others: number
  readonly state: SaveState
  readonly failure?: string
  /** Fields that both this page and another program changed. */
  readonly conflict?: FieldMerge
  /** False where it is known that the button has nothing to undo. */
  readonly canUndo?: boolean | undefined
  /** Typed text that is not saved before a person has looked at it. */
  readonly aside?: Aside
}

/** What became of a draft while somebody typed. */
export type Closed = 'submitted' | 'published' | 'discarded' | 'closed'

interface Aside {
  readonly work: UnsavedWork
  /** Why it could not be saved; absent of what an earlier page left. */
  readonly because?: Closed
}

/**
 * What became of a draft that is not open any more.
 *
 * @param before the draft as it was open
 */
export function whyClosed(before: Deposit, { metadata, review }: Deposit): Closed {
  if (review?.state === 'submitted') return 'submitted'
  const { status, revision_id: revision } = metadata._deposit
  if (status !== 'published') return 'closed'
  const was = before.metadata._deposit
  const isEdit = typeof was.value === 'string'
  return isEdit && was.revision_id === revision ? 'discarded' : 'published'
}
