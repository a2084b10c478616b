import type { RJSFSchema } from '@rjsf/utils'
import { text } from '../../text/text.ts'
import type { Rehearsal } from '../api/deposits.ts'
import { labelAt } from '../form/faults.ts'

interface WarningsProps {
  readonly rehearsal: Rehearsal | undefined
  readonly labels: RJSFSchema
}

/** What a record should have and lacks, by a rehearsal: none of it prevents publishing. */
export function Warnings({ rehearsal, labels }: WarningsProps) {
  const warnings = rehearsal?.warnings ?? []
  if (warnings.length === 0) return null
  return (
    <div class="notice warn">
      <p>{text(rehearsal?.needs_review === true ? 'submit.warnings' : 'publish.warnings')}</p>
      <ul class="fault-list">
        {warnings.map(({ field, message }) => (
          <li key={`${field} ${message}`}>
            {field.startsWith('/') ? `${labelAt(labels, field)}: ${message}` : message}
          </li>
        ))}
      </ul>
    </div>
  )
}
