/** One place up or down. */
export type Step = -1 | 1

interface MoversProps {
  readonly isFirst: boolean
  readonly isLast: boolean
  /** The name of a button for those who do not see its arrow. */
  readonly nameOf: (by: Step) => string
  readonly onMove: (by: Step) => void
}

/** Two buttons that move an element of a list up or down. */
export function Movers({ isFirst, isLast, nameOf, onMove }: MoversProps) {
  return (
    <>
      {([-1, 1] as const).map((by) => (
        <button
          key={by}
          type="button"
          class="icon-button"
          data-move={by}
          disabled={by < 0 ? isFirst : isLast}
          aria-label={nameOf(by)}
          onClick={() => onMove(by)}
        >
          {by < 0 ? '↑' : '↓'}
        </button>
      ))}
    </>
  )
}

/** Keeps the focus on the button that moved an element, or on the other one at an end of the list. */
export function focusMover(element: Element | null, by: Step): void {
  const button = (step: Step) =>
    element?.querySelector<HTMLButtonElement>(`[data-move="${step}"]:not(:disabled)`)
  const wanted = button(by) ?? button(by < 0 ? 1 : -1)
  wanted?.focus()
}
