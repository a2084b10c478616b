import { addedNotes } from '../../text/added-notes.ts'
import { addTexts, counted, text } from '../../text/text.ts'
import { Notice } from '../ui/messages.tsx'
import type { Source } from './drop-zone.tsx'

addTexts(addedNotes)

/** What is worth a word about files that were added. */
export interface AddedNotes {
  readonly leftOut: readonly Source[]
  readonly hidden: readonly string[]
  readonly warnings: readonly string[]
}

/** Names that are told; more of them would hide the rest of the page. */
const mostTold = 5

interface AddedNotesProps {
  readonly notes: AddedNotes
  /** Uploads what was left out. */
  readonly onTake: (sources: readonly Source[]) => void
  readonly onClose: () => void
}

/** Says which files of a folder were left out, and which names make trouble elsewhere. */
export function AddedNotesBox({ notes, onTake, onClose }: AddedNotesProps) {
  const { leftOut, hidden, warnings } = notes
  return (
    <Notice kind="warn">
      {leftOut.length > 0 && (
        <p>{counted('files.leftOut', leftOut.length, { names: firstOf(hidden, ', ') })}</p>
      )}
      {warnings.slice(0, mostTold).map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
      {warnings.length > mostTold && (
        <p>{counted('files.moreWarnings', warnings.length - mostTold)}</p>
      )}
      <p class="file-actions">
        {leftOut.length > 0 && (
          <button type="button" onClick={() => onTake(leftOut)}>
            {text('files.takeThem')}
          </button>
        )}
        <button type="button" class="quiet-button" onClick={onClose}>
          {text('files.noted')}
        </button>
      </p>
    </Notice>
  )
}

function firstOf(names: readonly string[], between: string): string {
  return names.slice(0, mostTold).join(between) + (names.length > mostTold ? `${between}…` : '')
}
