import { useState } from 'preact/hooks'
import { mostOfComment } from '../../../../core/contract/review.ts'
import { text } from '../../text/text.ts'
import { Confirm } from '../ui/dialog.tsx'
import type { ReviewAction } from './action-list.ts'

interface ReviewDialogProps {
  readonly name: ReviewAction
  /** Told the message, which may be empty. */
  readonly onConfirm: (message: string) => void
  readonly onClose: () => void
}

/** Asks for the message of a step of the review; to return a draft takes one. */
export function ReviewDialog({ name, onConfirm, onClose }: ReviewDialogProps) {
  const [message, setMessage] = useState('')
  const [isMissing, setMissing] = useState(false)
  const confirm = () => {
    const isNeeded = name === 'return' && message.trim() === ''
    setMissing(isNeeded)
    if (!isNeeded) onConfirm(message.trim())
  }
  return (
    <Confirm
      title={text(`ask.${name}`)}
      confirm={text(`confirm.${name}`)}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{text(`explain.${name}`)}</p>
      <label>
        {text(name === 'return' ? 'review.message' : 'review.messageOptional')}
        <textarea
          rows={4}
          maxLength={mostOfComment}
          value={message}
          aria-required={name === 'return'}
          aria-invalid={isMissing}
          aria-describedby="review-message-error"
          onInput={({ currentTarget }) => setMessage(currentTarget.value)}
        />
      </label>
      <p id="review-message-error" class="field-error" aria-live="polite">
        {isMissing ? text('review.needsMessage') : ''}
      </p>
    </Confirm>
  )
}
