import type { RJSFSchema } from '@rjsf/utils'
import { counted, text } from '../../text/text.ts'
import type { Fault } from '../api/http.ts'
import { labelAt } from '../form/labels.ts'

interface FaultSummaryProps {
  readonly faults: readonly Fault[]
  readonly labels: RJSFSchema
  readonly onGo: (pointer: string) => void
}

/** What stands in the way of publishing, each with the way to its field. */
export function FaultSummary({ faults, labels, onGo }: FaultSummaryProps) {
  if (faults.length === 0) return null
  return (
    <section class="notice bad" tabIndex={-1} aria-labelledby="faults-heading">
      <h2 id="faults-heading">{counted('faults.count', faults.length)}</h2>
      <ul class="fault-list">
        {faults.map(({ field, message }) => (
          <li key={`${field} ${message}`}>
            {field.startsWith('/') ? (
              <button type="button" class="link" onClick={() => onGo(field)}>
                {labelAt(labels, field)}
              </button>
            ) : (
              <strong>{field || text('faults.whole')}</strong>
            )}{' '}
            {withoutName(message, labelAt(labels, field))}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The name of the field is said already: `License is missing.` → `is missing.` */
function withoutName(message: string, label: string): string {
  const name = label.split(', ').at(-1) ?? ''
  return name !== '' && message.startsWith(`${name} `) ? message.slice(name.length + 1) : message
}
