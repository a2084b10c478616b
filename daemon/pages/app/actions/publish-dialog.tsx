import { text } from '../../text/text.ts'
import type { Rehearsal } from '../api/deposits.ts'
import { Confirm } from '../ui/dialog.tsx'
import { Notice } from '../ui/messages.tsx'
import { Warnings, WithdrawnBefore } from './warnings.tsx'
import { explainPublish, WhatBecomesPublic, type Becoming } from './what-becomes-public.tsx'

interface PublishDialogProps extends Becoming {
  readonly rehearsal: Rehearsal | undefined
  /** True where the draft was changed while it was asked before. */
  readonly isChanged: boolean | undefined
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Shows what becomes public, and the record as it will read, before it is published. */
export function PublishDialog(props: PublishDialogProps) {
  const { deposit, document, identifiers, labels, onDate } = props
  const { rehearsal, isChanged, onConfirm, onClose } = props
  const isAgain = typeof deposit.metadata._deposit.value === 'string'
  return (
    <Confirm
      title={text(isAgain ? 'ask.publishAgain' : 'ask.publish')}
      confirm={text('confirm.publish')}
      wide
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{explainPublish(deposit, document)}</p>
      {isChanged && <Notice kind="warn">{text('publish.changed')}</Notice>}
      <WithdrawnBefore rehearsal={rehearsal} deposit={deposit} />
      <Warnings rehearsal={rehearsal} labels={labels} intro={text('publish.warnings')} />
      <WhatBecomesPublic
        deposit={deposit}
        document={document}
        identifiers={identifiers}
        labels={labels}
        onDate={onDate}
      />
    </Confirm>
  )
}
