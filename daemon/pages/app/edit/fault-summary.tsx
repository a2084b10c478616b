import type { RJSFSchema } from '@rjsf/utils'
import { counted, text } from '../../text/text.ts'
import type { Fault } from '../api/http.ts'
import type { DraftEditor } from '../draft/draft-editor.ts'
import { revealUpload } from '../files/unfinished-uploads.ts'
import { labelAt } from '../form/faults.ts'
import { PastDayFault } from './past-day-fault.tsx'

interface FaultSummaryProps {
  readonly editor: DraftEditor
  readonly faults: readonly Fault[]
  readonly labels: RJSFSchema
  readonly onGo: (pointer: string) => void
}

/** Faults that prevent publishing, each with a link to its field. */
export function FaultSummary({ editor, faults, labels, onGo }: FaultSummaryProps) {
  return (
    <section class="notice bad" tabIndex={-1} aria-labelledby="faults-heading">
      <h2 id="faults-heading">{counted('faults.count', faults.length)}</h2>
      <ul class="fault-list">
        {faults.map(({ field, message, upload }) => (
          <li key={`${field} ${message}`}>
            {upload === undefined ? (
              <FieldName field={field} labels={labels} onGo={onGo} />
            ) : (
              <button type="button" class="link" onClick={() => revealUpload(upload)}>
                {field}
              </button>
            )}{' '}
            {field === '/access/until' ? (
              <PastDayFault editor={editor} message={message} onGo={onGo} />
            ) : upload === undefined ? (
              withoutName(message, labelAt(labels, field))
            ) : (
              text('upload.unfinished')
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

interface FieldNameProps extends Pick<FaultSummaryProps, 'labels' | 'onGo'> {
  readonly field: string
}

function FieldName({ field, labels, onGo }: FieldNameProps) {
  if (!field.startsWith('/')) return <strong>{field || text('faults.whole')}</strong>
  return (
    <button type="button" class="link" onClick={() => onGo(field)}>
      {labelAt(labels, field)}
    </button>
  )
}

/** The name of the field is said already: `License is missing.` → `is missing.` */
function withoutName(message: string, label: string): string {
  const name = label.split(', ').at(-1) ?? ''
  const isFirst = name !== '' && message.startsWith(`${name} `)
  return isFirst ? message.slice(name.length + 1) : `– ${message}`
}
