import type { RJSFSchema } from '@rjsf/utils'
import { formatDay, text } from '../../text/text.ts'
import type { Deposit, Rehearsal } from '../api/deposits.ts'
import { labelAt } from '../form/faults.ts'
import { Notice } from '../ui/messages.tsx'

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

interface WithdrawnBeforeProps {
  readonly rehearsal: Rehearsal | undefined
  readonly deposit: Deposit
}

/** That a new version follows one that was withdrawn: the draft may have what that had. */
export function WithdrawnBefore({ rehearsal, deposit }: WithdrawnBeforeProps) {
  const { withdrawn_version: before } = rehearsal ?? {}
  if (before === undefined || typeof deposit.metadata._deposit.value === 'string') return null
  const reason = text(`withdrawn.reason.${before.reason}`)
  return (
    <Notice kind="warn">
      {text('publish.afterWithdrawn', { day: formatDay(before.at), reason })}{' '}
      <a href={before.url}>{text('publish.seeWithdrawn')}</a>
    </Notice>
  )
}
