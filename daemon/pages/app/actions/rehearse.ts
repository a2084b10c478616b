import { text } from '../../text/text.ts'
import type { DepositApi, Rehearsal } from '../api/deposits.ts'
import type { Fault } from '../api/http.ts'
import type { DraftEditor } from '../draft/draft-editor.ts'
import type { Page } from '../api/page.ts'
import { heldUp, settled } from '../api/pending.ts'
import { say } from '../ui/messages.tsx'
import { findConflict, type PublishConflict } from './run-action.ts'

/** The result of a rehearsal of a publish. */
export interface Rehearsed {
  readonly answer: Rehearsal
  readonly faults: readonly Fault[]
  readonly conflict?: PublishConflict
}

interface Place {
  readonly page: Page
  readonly api: DepositApi
  readonly editor: DraftEditor
}

/**
 * Saves the draft, takes over what others changed in it, and rehearses its publish; undefined if it
 * could not be saved, or is none that can be published any more.
 */
export async function rehearse(place: Place): Promise<Rehearsed | undefined> {
  const { api, editor } = place
  await settled()
  if (!(await editor.save())) {
    say(text('publish.unsaved'), { kind: 'bad' })
    return undefined
  }
  await editor.refresh()
  if (!editor.isOpen) {
    say(text('publish.closed'), { kind: 'bad' })
    return undefined
  }
  const answer = await api.rehearse(editor.view.deposit.id)
  const hasConflict = answer.errors.some(isConflict)
  const faults = [...answer.errors.filter((error) => !isConflict(error)), ...heldUp()]
  return { answer, faults, ...(hasConflict && { conflict: await findConflict(place) }) }
}

function isConflict({ code }: Rehearsal['errors'][number]): boolean {
  return code === 'merge_conflict'
}
