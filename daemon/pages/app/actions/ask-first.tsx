import type { RJSFSchema } from '@rjsf/utils'
import { text } from '../../text/text.ts'
import type { Rehearsal } from '../api/deposits.ts'
import { labelAt } from '../form/labels.ts'
import { Confirm } from '../ui/dialog.tsx'
import type { ActionName } from './action-list.ts'

interface AskFirstProps {
  readonly name: ActionName
  readonly rehearsal?: Rehearsal
  readonly labels: RJSFSchema
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Says what an action will do before it is done. */
export function AskFirst({ name, rehearsal, labels, onConfirm, onClose }: AskFirstProps) {
  const warnings = rehearsal?.warnings ?? []
  return (
    <Confirm
      title={text(`ask.${name}`)}
      confirm={text(`confirm.${name}`)}
      danger={name !== 'publish'}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{text(`explain.${name}`)}</p>
      {warnings.length > 0 && (
        <div class="notice warn">
          <p>{text('publish.warnings')}</p>
          <ul class="fault-list">
            {warnings.map(({ field, message }) => (
              <li key={`${field} ${message}`}>
                {field.startsWith('/') ? `${labelAt(labels, field)}: ${message}` : message}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Confirm>
  )
}
