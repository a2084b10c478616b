import type { RJSFSchema } from '@rjsf/utils'
import type { Rehearsal } from '../api/deposits.ts'
import { labelAt } from '../form/faults.ts'

interface WarningsProps {
  readonly rehearsal: Rehearsal | undefined
  readonly labels: RJSFSchema
  readonly intro: string
}

/** What a record should have and lacks, by a rehearsal: none of it prevents publishing. */
export function Warnings({ rehearsal, labels, intro }: WarningsProps) {
  const warnings = rehearsal?.warnings ?? []
  if (warnings.length === 0) return null
  return (
    <div class="notice warn">
      <p>{intro}</p>
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
