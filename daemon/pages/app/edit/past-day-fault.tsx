import { findPastUntil } from '../../../../core/contract/file-access.ts'
import { pastDay as texts } from '../../text/past-day.ts'
import { addTexts, formatDate, text } from '../../text/text.ts'
import { isObject, type JsonObject } from '../api/json.ts'
import type { DraftEditor } from '../draft/draft-editor.ts'

addTexts(texts)

interface PastDayFaultProps {
  readonly editor: DraftEditor
  /** What is said of other faults of this field. */
  readonly message: string
  /** Brings the focus to a field. */
  readonly onGo: (pointer: string) => void
}

/** Why the files cannot stay closed until a day that has come, and the ways out. */
export function PastDayFault({ editor, message, onGo }: PastDayFaultProps) {
  const { document: metadata } = editor.view
  const past = findPastUntil(metadata['access'], new Date().toISOString())
  if (!past) return `– ${message}`

  const write = (access: JsonObject) => {
    editor.replace({ ...metadata, access })
    // The form is drawn again, and this button is gone.
    requestAnimationFrame(() => onGo('/access/files'))
  }
  const { until: _, ...closed } = isObject(metadata['access']) ? metadata['access'] : {}
  return (
    <>
      – {text('pastDay.explain', { day: formatDate(past.until ?? '') })}
      {editor.isOpen && (
        <span class="file-actions">
          <button type="button" onClick={() => write({ files: 'public' })}>
            {text('pastDay.open')}
          </button>
          <button type="button" onClick={() => onGo('/access/until')}>
            {text('pastDay.other')}
          </button>
          <button type="button" onClick={() => write({ ...closed, files: 'restricted' })}>
            {text('pastDay.closed')}
          </button>
        </span>
      )}
    </>
  )
}
