import { useState } from 'preact/hooks'
import { mostOfNote, withdrawalReasons } from '../../../../core/contract/defaults.ts'
import type { WithdrawalRequest } from '../../../../core/contract/withdrawal.ts'
import { addTexts, text } from '../../text/text.ts'
import { withdraw } from '../../text/withdraw.ts'
import { Confirm } from '../ui/dialog.tsx'

addTexts(withdraw)

interface WithdrawDialogProps {
  readonly onConfirm: (request: WithdrawalRequest) => void
  readonly onClose: () => void
}

/** Asks why a record is withdrawn, and what becomes of its files. */
export function WithdrawDialog({ onConfirm, onClose }: WithdrawDialogProps) {
  const [reason, setReason] = useState<WithdrawalRequest['reason']>()
  const [note, setNote] = useState('')
  const [replacedBy, setReplacedBy] = useState('')
  const [destroys, setDestroys] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const confirm = () => {
    setMissing(reason === undefined)
    if (reason === undefined) return
    onConfirm({
      reason,
      ...(note.trim() !== '' && { note: note.trim() }),
      ...(replacedBy.trim() !== '' && { replaced_by: replacedBy.trim() }),
      ...(destroys && { destroy_bytes: true }),
    })
  }
  return (
    <Confirm
      title={text('ask.withdraw')}
      confirm={text(destroys ? 'withdraw.confirmDestroy' : 'confirm.withdraw')}
      danger
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{text('explain.withdraw')}</p>
      <label>
        {text('withdrawn.why')}
        <select
          value={reason ?? ''}
          aria-required
          aria-invalid={isMissing}
          aria-describedby="withdraw-reason-error"
          onChange={({ currentTarget }) =>
            setReason(withdrawalReasons.find((each) => each === currentTarget.value))
          }
        >
          <option value="">{text('form.choose')}</option>
          {withdrawalReasons.map((each) => (
            <option key={each} value={each}>
              {text(`withdrawn.reason.${each}`)}
            </option>
          ))}
        </select>
      </label>
      <p id="withdraw-reason-error" class="field-error" aria-live="polite">
        {isMissing ? text('withdraw.needsReason') : ''}
      </p>
      <label>
        {text('withdraw.note')}
        <textarea
          rows={3}
          maxLength={mostOfNote}
          value={note}
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
        />
      </label>
      <label>
        {text('withdraw.replacedBy')}
        <input
          type="text"
          maxLength={mostOfNote}
          value={replacedBy}
          onInput={({ currentTarget }) => setReplacedBy(currentTarget.value)}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={destroys}
          onChange={({ currentTarget }) => setDestroys(currentTarget.checked)}
        />{' '}
        {text('withdraw.destroy')}
      </label>
    </Confirm>
  )
}
