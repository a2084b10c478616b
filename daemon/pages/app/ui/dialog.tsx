import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { text } from '../../text/text.ts'

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
  readonly wide?: boolean
}

/** A dialog in front of the page; the browser keeps the focus in it and closes it with Escape. */
export function Dialog({ title, children, onClose, wide }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => element.current?.showModal(), [])
  return (
    <dialog ref={element} class={wide ? 'wide' : ''} aria-labelledby={heading} onClose={onClose}>
      <header class="dialog-head">
        <h2 id={heading}>{title}</h2>
        <button
          type="button"
          class="icon-button"
          aria-label={text('close')}
          onClick={() => element.current?.close()}
        >
          ✕
        </button>
      </header>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly confirm: string
  readonly danger?: boolean
  readonly wide?: boolean
  /** True while there is nothing to confirm. */
  readonly cannot?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before something is done. */
export function Confirm({ title, children, confirm, danger, wide = false, ...more }: ConfirmProps) {
  const { onConfirm, onClose, cannot = false } = more
  return (
    <Dialog title={title} wide={wide} onClose={onClose}>
      <div class="dialog-body">{children}</div>
      <footer class="dialog-foot">
        <button type="button" onClick={onClose}>
          {text('cancel')}
        </button>
        <button
          type="button"
          class={danger ? 'danger' : 'primary'}
          disabled={cannot}
          onClick={onConfirm}
        >
          {confirm}
        </button>
      </footer>
    </Dialog>
  )
}
