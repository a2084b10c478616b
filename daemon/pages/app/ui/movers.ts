/** One place up or down. */
export type Step = -1 | 1

/** Keeps the focus on the button that moved an element, or on its twin at an end of the list. */
export function focusMover(element: Element | null, by: Step): void {
  const button = (step: Step) =>
    element?.querySelector<HTMLButtonElement>(`[data-move="${step}"]:not(:disabled)`)
  const wanted = button(by) ?? button(by < 0 ? 1 : -1)
  wanted?.focus()
}
