import { useEffect, useState } from 'preact/hooks'
import type { Deposit } from '../api/deposits.ts'
import { text } from '../../text/text.ts'
import type { ComponentChildren } from 'preact'

/** Something that is said once, aloud and at the foot of the page. */
interface Toast {
  readonly id: number
  readonly message: string
  readonly kind: 'good' | 'bad'
  readonly undo?: () => void
}

interface Undoable {
  readonly undo?: () => void
  readonly kind?: 'good' | 'bad'
  /** Milliseconds until it goes. */
  readonly forMs?: number
}

let toasts: readonly Toast[] = []
let next = 1
const changed = new EventTarget()

/** Says something; answers how to take it back. */
export function say(message: string, options: Undoable = {}): () => void {
  const { undo, kind = 'good', forMs = kind === 'bad' ? 15_000 : 6_000 } = options
  const toast = { id: next++, message, kind, ...(undo && { undo }) }
  show([...toasts, toast])
  const dismiss = () => show(toasts.filter(({ id }) => id !== toast.id))
  setTimeout(dismiss, forMs)
  return dismiss
}

/** Says what went wrong. */
export function sayFailure(error: unknown): void {
  say(error instanceof Error ? error.message : String(error), { kind: 'bad' })
}

function show(list: readonly Toast[]): void {
  toasts = list
  changed.dispatchEvent(new Event('change'))
}

/** The place where things are said: there from the start, so that screen readers hear them. */
export function Toasts() {
  const [shown, setShown] = useState(toasts)
  useEffect(() => {
    const update = () => setShown(toasts)
    changed.addEventListener('change', update)
    return () => changed.removeEventListener('change', update)
  }, [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <div key={toast.id} class={`toast ${toast.kind}`}>
          <span>{toast.message}</span>
          {toast.undo && (
            <button type="button" class="link" onClick={toast.undo}>
              {text('undo')}
            </button>
          )}
        </div>
      ))}
    </div>
  )
}

interface NoticeProps {
  readonly kind: 'bad' | 'info' | 'warn'
  readonly children: ComponentChildren
}

/** Something that stays on the page until it is settled. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : undefined}>
      {children}
    </div>
  )
}

/** A status by colour, shape and word. */
export function StatusBadge({ deposit }: { readonly deposit: Deposit }) {
  const status = stateOf(deposit)
  return <span class={`badge ${status}`}>{text(`status.${status}`)}</span>
}

function stateOf({ metadata, review, withdrawn }: Deposit) {
  const { status } = metadata._deposit
  if (status === 'published') return withdrawn ? 'withdrawn' : status
  if (review && review.state !== 'accepted') return review.state
  return typeof metadata._deposit.value === 'string' ? 'edited' : status
}
