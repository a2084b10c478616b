import type { RJSFSchema } from '@rjsf/utils'
import { useEffect, useRef } from 'preact/hooks'
import { toPatch } from '../../text/field-merge.ts'
import { aside as texts } from '../../text/aside.ts'
import { addTexts, formatTime, text } from '../../text/text.ts'
import { labelAt } from '../form/faults.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Notice } from '../ui/messages.tsx'
import { inWords } from './conflict-panel.tsx'
import type { DraftEditor } from './draft-editor.ts'

addTexts(texts)

interface AsideNoticeProps {
  readonly editor: DraftEditor
  readonly labels: RJSFSchema
}

/** What somebody typed and is not saved, until they keep it or throw it away. */
export function AsideNotice({ editor, labels }: AsideNoticeProps) {
  const { aside } = editor.view
  const box = useRef<HTMLDivElement>(null)
  const isNew = aside?.because !== undefined
  useEffect(() => {
    // The field in which they typed is gone.
    if (isNew) box.current?.focus()
  }, [isNew])
  if (!aside) return null
  const { work, because } = aside
  const fields = toPatch(work.base, work.document).map(({ path, value }) => ({
    label: labelAt(labels, typeof path === 'string' ? path : ''),
    value: inWords(value),
  }))
  const time = work.at === undefined ? undefined : formatTime(new Date(work.at).toISOString())
  const found = time === undefined ? text('aside.found') : text('aside.foundFrom', { time })
  const copy = fields.map(({ label, value }) => `${label}: ${value}`).join('\n')
  return (
    <div ref={box} tabIndex={-1} class="aside">
      <Notice kind={isNew ? 'bad' : 'warn'}>
        <p>
          <strong>{because === undefined ? found : text(`aside.${because}`)}</strong>
        </p>
        <dl class="fields compact">
          {fields.map(({ label, value }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd dir="auto" class="conflict-value">
                {value}
              </dd>
            </div>
          ))}
        </dl>
        <p class="file-actions">
          {editor.isOpen ? (
            <button type="button" class="primary" onClick={() => editor.takeAside()}>
              {text('aside.take')}
            </button>
          ) : (
            <CopyButton content={copy} />
          )}
          <button type="button" onClick={() => editor.dropAside()}>
            {text('aside.drop')}
          </button>
        </p>
      </Notice>
    </div>
  )
}
