import { useState } from 'preact/hooks'
import { mostOfComment } from '../../../../core/contract/review.ts'
import { text } from '../../text/text.ts'
import type { Rehearsal } from '../api/deposits.ts'
import { Confirm } from '../ui/dialog.tsx'
import type { ReviewAction } from './action-list.ts'
import { Notice } from '../ui/messages.tsx'
import { Warnings, WithdrawnBefore } from './warnings.tsx'
import { WhatBecomesPublic, type Becoming } from './what-becomes-public.tsx'

interface ReviewDialogProps {
  readonly name: ReviewAction
  /** The draft as the page shows it. */
  readonly becoming: Becoming
  /** Of a submission, or an acceptance. */
  readonly rehearsal: Rehearsal | undefined
  /** True where the draft was changed while it was asked before. */
  readonly isChanged: boolean | undefined
  /** The message as it was written before. */
  readonly written: string | undefined
  /** Told the message, which may be empty. */
  readonly onConfirm: (message: string) => void
  readonly onClose: () => void
}

/** Asks for the message of a step of the review; to return a draft takes one. */
export function ReviewDialog(props: ReviewDialogProps) {
  const { name, becoming, rehearsal, isChanged, written = '', onConfirm, onClose } = props
  const { revision } = becoming.deposit
  const [message, setMessage] = useState(written)
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
      wide={name !== 'return'}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{text(`explain.${name}`, { revision })}</p>
      {isChanged && <Notice kind="warn">{text('publish.changed')}</Notice>}
      <WithdrawnBefore rehearsal={rehearsal} deposit={becoming.deposit} />
      <Warnings
        rehearsal={rehearsal}
        labels={becoming.labels}
        intro={text(name === 'accept' ? 'accept.warnings' : 'submit.warnings')}
      />
      {name !== 'return' && <WhatBecomesPublic {...becoming} isFolded />}
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
