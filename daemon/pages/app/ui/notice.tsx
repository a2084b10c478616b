import type { ComponentChildren } from 'preact'

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
